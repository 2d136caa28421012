"""How tensors lie in memory, as far as it is sure: whether a reshape is a view depends on it.

A name that is missing is not known; then only what does not depend on it is translated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from nnir.dim import Dim
from nnir.types import TensorType

from ...source import SourceNode

Types = Mapping[str, TensorType | None]
Steps = list[Dim]

DENSE = frozenset(
    f"aten.{name}"
    for name in (
        *("zeros", "ones", "full", "empty", "arange", "linspace", "eye", "tensor", "scalar_tensor"),
        *("new_zeros", "new_ones", "new_full", "new_empty", "rand", "randn", "randint"),
        *(
            "cat",
            "stack",
            "contiguous",
            "addmm",
            "mm",
            "bmm",
            "embedding",
            "one_hot",
            "repeat",
            "tril",
        ),
        *("triu", "index_select", "gather", "pad", "constant_pad_nd", "argmax", "argmin"),
    )
)
"""Operators whose results lie in order, whatever the arguments do."""

ALIKE = frozenset(
    f"aten.{name}"
    for name in (
        *(
            "abs",
            "add",
            "bitwise_and",
            "bitwise_not",
            "bitwise_or",
            "ceil",
            "clamp",
            "clone",
            "cos",
        ),
        *("div", "dropout", "elu", "eq", "erf", "exp", "floor", "floor_divide", "ge", "gelu", "gt"),
        *("hardsigmoid", "hardswish", "hardtanh", "le", "leaky_relu", "log", "logical_and"),
        *("logical_not", "logical_or", "lt", "masked_fill", "maximum", "minimum", "mish", "mul"),
        *("ne", "neg", "pow", "reciprocal", "relu", "relu6", "remainder", "round", "rsqrt", "rsub"),
        *("selu", "sigmoid", "sign", "silu", "sin", "softplus", "softmax", "log_softmax", "sqrt"),
        *("square", "sub", "tan", "tanh", "type_as", "where", "zeros_like", "ones_like", "copy"),
        *("full_like", "index_put", "fill", "select_scatter", "slice_scatter", "batch_norm"),
        *("conv1d", "conv2d", "conv3d", "_convolution", "max_pool1d", "max_pool2d", "avg_pool2d"),
        *(
            "adaptive_avg_pool2d",
            "linear",
            "layer_norm",
            "group_norm",
            "instance_norm",
            "mean",
            "sum",
        ),
        *("amax", "amin", "upsample_nearest2d", "upsample_bilinear2d", "to", "cumsum"),
    )
)
"""Operators whose results lie in order where all arguments with axes do."""

RESHAPES = frozenset(
    f"aten.{name}"
    for name in ("view", "reshape", "flatten", "unflatten", "_unsafe_view", "view_as", "squeeze")
)
"""Operators whose results lie in order where their argument does."""

SAME = frozenset({"aten.alias.default", "aten.detach.default"})


class Layout(Mapping[str, Sequence[Dim]]):
    """The strides of tensors, in elements, by their names."""

    def __init__(self) -> None:
        self.steps: dict[str, Steps] = {}

    def __getitem__(self, name: str) -> Sequence[Dim]:
        return self.steps[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def follow(self, node: SourceNode, types: Types) -> None:
        """Note how the results of a node lie, where that is sure."""
        kinds = [types.get(name) for name in node.outputs]
        packet = node.op.rpartition(".")[0]
        if node.op in SAME or packet in VIEWS:
            source = node.attributes.get("self")
            before = types.get(str(source))
            steps = self.steps.get(str(source))
            if before is None or steps is None or len(node.outputs) != 1:
                return
            make = VIEWS.get(packet)
            found = steps if make is None else make(before.shape, list(steps), node.attributes)
            if found is not None:
                self.steps[node.outputs[0]] = found
            return
        dense = packet in DENSE or (
            (packet in ALIKE or packet in RESHAPES)
            and "memory_format" not in node.attributes
            and all(self._lies_in_order(name, types) for name in node.inputs)
        )
        for name, kind in zip(node.outputs, kinds, strict=True):
            if dense and kind is not None:
                self.steps[name] = in_order(kind.shape)

    def _lies_in_order(self, name: str, types: Types) -> bool:
        kind = types.get(name)
        if kind is None:
            return False
        return kind.rank < 2 or self.steps.get(name) == in_order(kind.shape)


def in_order(shape: Sequence[Dim]) -> Steps:
    """The strides of a tensor whose elements lie in order."""
    steps: Steps = []
    step: Dim = 1
    for size in reversed(shape):
        steps.append(step)
        step = step * size
    return steps[::-1]


def _select(shape: Sequence[Dim], steps: Steps, given: Mapping[str, Any]) -> Steps | None:
    dim = given.get("dim")
    return None if not isinstance(dim, int) else _without(steps, dim)


def _without(steps: Steps, dim: int) -> Steps:
    dim %= max(len(steps), 1)
    return steps[:dim] + steps[dim + 1 :]


def _slice(shape: Sequence[Dim], steps: Steps, given: Mapping[str, Any]) -> Steps | None:
    dim, step = given.get("dim", 0), given.get("step", 1)
    if not isinstance(dim, int) or not isinstance(step, int):
        return None
    found = list(steps)
    found[dim] = found[dim] * step
    return found


def _transpose(shape: Sequence[Dim], steps: Steps, given: Mapping[str, Any]) -> Steps | None:
    a, b = given.get("dim0"), given.get("dim1")
    if not isinstance(a, int) or not isinstance(b, int) or not steps:
        return None
    found = list(steps)
    found[a], found[b] = found[b], found[a]
    return found


def _permute(shape: Sequence[Dim], steps: Steps, given: Mapping[str, Any]) -> Steps | None:
    return [steps[d] for d in given["dims"]]


def _unsqueeze(shape: Sequence[Dim], steps: Steps, given: Mapping[str, Any]) -> Steps | None:
    dim = given.get("dim")
    if not isinstance(dim, int):
        return None
    dim %= len(steps) + 1
    step: Dim = shape[dim] * steps[dim] if dim < len(steps) else 1
    return [*steps[:dim], step, *steps[dim:]]


def _matrix_transpose(shape: Sequence[Dim], steps: Steps, given: Mapping[str, Any]) -> Steps | None:
    return steps[::-1]


VIEWS: dict[str, Callable[[Sequence[Dim], Steps, Mapping[str, Any]], Steps | None]] = {
    "aten.select": _select,
    "aten.slice": _slice,
    "aten.transpose": _transpose,
    "aten.swapaxes": _transpose,
    "aten.permute": _permute,
    "aten.unsqueeze": _unsqueeze,
    "aten.t": _matrix_transpose,
}
