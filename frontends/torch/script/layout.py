"""How tensors lie in memory, as far as it is sure: whether a reshape is a view depends on it.

A name that is missing is not known; then only what does not depend on it is translated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from nnir.dim import Dim
from nnir.types import TensorType

from ...source import SourceNode
from ..reading.strides import is_contiguous

Types = Mapping[str, TensorType | None]
Steps = list[Dim]


def _operators(text: str) -> frozenset[str]:
    return frozenset(f"aten.{name}" for name in text.split())


DENSE = _operators("""
    addmm arange argmax argmin bmm cat constant_pad_nd contiguous embedding empty eye full gather
    index_select linspace mm new_empty new_full new_ones new_zeros one_hot ones pad rand randint
    randn repeat scalar_tensor stack tril triu zeros
""")
"""Operators whose results lie in order, whatever the arguments do."""

ALIKE = _operators("""
    _convolution abs adaptive_avg_pool2d add amax amin avg_pool2d batch_norm bitwise_and
    bitwise_not bitwise_or ceil clamp clone conv1d conv2d conv3d copy cos cumsum div elu eq erf exp
    fill floor floor_divide full_like ge gelu group_norm gt hardsigmoid hardswish hardtanh
    index_put instance_norm layer_norm le leaky_relu linear log log_softmax logical_and logical_not
    logical_or lt masked_fill max_pool1d max_pool2d maximum mean minimum mish mul ne neg ones_like
    pow reciprocal relu relu6 remainder round rsqrt rsub select_scatter selu sigmoid sign silu sin
    slice_scatter softmax softplus sqrt square sub sum tan tanh upsample_bilinear2d
    upsample_nearest2d where zeros_like
""")
"""Operators whose results lie in order where all arguments with axes do."""

THEMSELVES = _operators("""
    _unsafe_view alpha_dropout dropout feature_dropout flatten reshape squeeze to type_as unflatten
    view view_as
""")
"""Operators whose results may be their argument or a view of it, and lie in order where it does."""

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
            (packet in ALIKE or packet in THEMSELVES)
            and all(self._lies_in_order(name, types) for name in node.inputs)
        )
        if packet in THEMSELVES:  # which may be their argument, in whatever order that lies
            dense &= all(name in self.steps for name in node.inputs)
        for name, kind in zip(node.outputs, kinds, strict=True):
            if dense and kind is not None:
                self.steps[name] = in_order(kind.shape)

    def _lies_in_order(self, name: str, types: Types) -> bool:
        kind, steps = types.get(name), self.steps.get(name)
        if kind is None:
            return False
        return kind.rank < 2 if steps is None else is_contiguous(kind.shape, steps)


def in_order(shape: Sequence[Dim]) -> Steps:
    """The strides of a tensor whose elements lie in order."""
    steps: Steps = []
    step: Dim = 1
    for size in (1, *reversed(shape[1:])):
        step = step * size
        steps.append(step)
    return steps[::-1][: len(shape)]


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
