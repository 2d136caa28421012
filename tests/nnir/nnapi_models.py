"""Small NNAPI models of one operation, valid unless a test says otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hal.drivers.nnapi.graph import FLOAT, INT, QUANT, Graph, Step, Tensor
from nnir.formats.nnapi.operations import SIGNATURES
from nnir.formats.nnapi.structures import Model, OperandType, OperationType

SCALARS = (OperandType.INT32, OperandType.FLOAT32)
KINDS = {"q": QUANT, "i": INT}
GRID = (0.02, 130)
RANKS = {"RESHAPE": 1, "LSH_PROJECTION": 1, "EMBEDDING_LOOKUP": 2, "FULLY_CONNECTED": 2}


def tensor(given: Any) -> Tensor | None:
    """A shape as an input, with "q" or "i" in front for integers; an array as a constant."""
    if given is None:
        return None
    if isinstance(given, np.ndarray):
        return Tensor(INT if given.dtype == np.int32 else FLOAT, given.shape, given)
    if given and isinstance(given[0], str):
        grid = GRID if given[0] == "q" else (0.0, 0)
        return Tensor(KINDS[given[0]], tuple(given[1:]), None, *grid)
    return Tensor(FLOAT, tuple(given))


def build(
    op: str,
    tensors: Sequence[Any],
    scalars: Mapping[str, Any] | None = None,
    *,
    form: str | None = None,
    edit: Callable[[Graph], None] | None = None,
) -> Model:
    """A model of one operation, whose results have open dimensions."""
    kind = OperationType[op]
    signature = SIGNATURES[kind]
    chosen = next(f for f in signature.forms if form in (None, f.name))
    left, numbers = list(tensors), dict(scalars or {})
    count = len(left) + sum(a.types[0] in SCALARS for a in chosen.inputs)
    graph, inputs = Graph(), []
    for argument in chosen.spread(count):
        if argument.types[0] in SCALARS:
            value = numbers[argument.name]
            dtype = argument.types[0].dtype
            inputs.append(
                None if value is None else Tensor(argument.types[0], (), np.array(value, dtype))
            )
            continue
        inputs.append(tensor(left.pop(0)))
        if inputs[-1] is not None and inputs[-1].data is None:
            graph.inputs.append(inputs[-1])
    first = inputs[2 if op == "HASHTABLE_LOOKUP" else 1 if op == "EMBEDDING_LOOKUP" else 0]
    for number in range(len(signature.outputs)):
        graph.outputs.append(result(op, number, first))
    graph.steps.append(Step(kind, inputs, list(graph.outputs)))
    if edit is not None:
        edit(graph)
    return graph.finish()[0]


def result(op: str, number: int, first: Any) -> Tensor:
    """A result: of the type of an input unless the operation says otherwise."""
    rank = RANKS.get(op, len(first.dims))
    if op == "HASHTABLE_LOOKUP" and number:
        return Tensor(QUANT, (0,), None, 1.0, 0)
    if op == "LSH_PROJECTION":
        return Tensor(INT, (0,))
    if op == "DEQUANTIZE":
        return Tensor(FLOAT, (0,) * rank)
    return Tensor(first.type, (0,) * rank, None, *first.grid)


def one(op: str, tensors: Sequence[Any], scalars: Mapping[str, Any] | None = None) -> Model:
    """A model whose only operation is this."""
    return build(op, tensors, scalars)


WINDOW = {"padding_scheme": 2, "stride_width": 1, "stride_height": 1}
SIZE = {"filter_width": 2, "filter_height": 2, "fuse_code": 0}
SIDES = dict.fromkeys(("padding_left", "padding_right", "padding_top", "padding_bottom"), 0)


def pool(**changes: Any) -> Model:
    numbers = {**WINDOW, **SIZE, **changes}
    return build("MAX_POOL_2D", [(1, 4, 4, 2)], numbers, form="implicit")


def explicit_pool(**changes: Any) -> Model:
    numbers = {**SIDES, "stride_width": 1, "stride_height": 1, **SIZE, **changes}
    return build("MAX_POOL_2D", [(1, 4, 4, 2)], numbers, form="explicit")


def lrn(**changes: Any) -> Model:
    numbers = {"radius": 1, "bias": 1.0, "alpha": 0.1, "beta": 0.5, **changes}
    return build("LOCAL_RESPONSE_NORMALIZATION", [(1, 2, 2, 3)], numbers)


def lstm(*, missing: bool = False, **changes: Any) -> Model:
    units, width = 4, 3
    inner = [(units, width)] * 4
    if missing:
        inner = [None, *inner[1:]]
    tensors = [(2, width), *inner, *[(units, units)] * 4, *[None] * 3, *[(units,)] * 4]
    tensors += [None, None, (2, units), (2, units)]
    numbers = {"activation": 4, "cell_clip": 0.0, "proj_clip": 0.0, **changes}
    return build("LSTM", tensors, numbers)


def svdf(**changes: Any) -> Model:
    numbers = {"rank": 2, "fuse_code": 0, **changes}
    return build("SVDF", [(2, 3), (6, 3), (6, 4), (3,), (2, 18)], numbers)


def depthwise(**changes: Any) -> Model:
    numbers = {**WINDOW, "depth_multiplier": 2, "fuse_code": 0, **changes}
    return build("DEPTHWISE_CONV_2D", [(1, 4, 4, 2), (1, 2, 2, 4), (4,)], numbers, form="implicit")


def dense(*, width: int = 5) -> Model:
    return build("FULLY_CONNECTED", [(3, 5), (4, width), (4,)], {"fuse_code": 0})


def quantised_conv(*, bias: float = 0.02 * 0.02, out: float = 0.1) -> Model:
    def edit(graph: Graph) -> None:
        graph.outputs[0].scale = out
        offsets = graph.steps[0].inputs[2]
        if offsets is not None:
            offsets.scale = bias

    tensors = [("q", 1, 4, 4, 2), ("q", 3, 2, 2, 2), ("i", 3)]
    return build("CONV_2D", tensors, {**WINDOW, "fuse_code": 0}, form="implicit", edit=edit)


ALL: dict[str, Callable[..., Model]] = {
    "pool": pool,
    "explicit pool": explicit_pool,
    "lrn": lrn,
    "lstm": lstm,
    "LSTM without a weight": lambda: lstm(missing=True),
    "svdf": svdf,
    "depthwise": depthwise,
    "dense": dense,
    "quantised conv": quantised_conv,
}
