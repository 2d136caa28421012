"""Matrix products."""

from __future__ import annotations

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import linear
from nnir.types import Precision

from ...lowering import Lowerings
from ...quirks import report_met
from .emitter import Emitter, Ref
from .quirks import (
    EQUAL_HEADS_AND_ROWS,
    GROUPS_OF_OPEN_ROWS,
    SCALED_VECTOR,
    is_attention_of_equal_sizes,
    is_open_with_groups,
)

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


@table.lower(linear.fully_connected)
def fully_connected(g: Emitter, input: Value, weight: Value, bias: Value) -> Ref:
    if not input.is_float:
        raise NoLowering(f"openvino multiplies no matrices of {input.precision.name}")
    rows, w, b = (g.cast(v, FLOAT32) for v in (input, weight, bias))
    if weight.shape[1] == 0:  # of rows that are open, sums of nothing are what the memory is
        if input.rank != 2:
            raise NoLowering(f"openvino: rows of nothing, as many as only a run says: {input.type}")
        return g.node("Broadcast", b, g.concat(g.part(g.dims(rows), 0, 1), g.dims(b)), mode="numpy")
    if input.rank != 2:
        rows = g.reshape(rows, [-1, weight.shape[1]])
    product = g.node("MatMul", rows, w, transpose_a=False, transpose_b=True)
    return product + b if bias.constant is None or bias.constant.any() else product


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Ref:
    if not x.is_float:
        raise NoLowering(f"openvino multiplies {x.type} and {y.type} in float32")
    if any(v.constant is not None and 0 in v.shape for v in (x, y)):
        raise NoLowering(f"openvino: sums of nothing of {x.type} and a constant {y.type}")
    flags = {"transpose_a": transpose_x and x.rank > 1, "transpose_b": transpose_y and y.rank > 1}
    left, right = g.cast(x, FLOAT32), g.cast(y, FLOAT32)
    for quirk, applies, rank in (
        (GROUPS_OF_OPEN_ROWS, is_open_with_groups, 4),
        (EQUAL_HEADS_AND_ROWS, is_attention_of_equal_sizes, 5),
    ):
        if applies(x, y):
            report_met(quirk)
            wide = (g.unsqueeze(r, *range(rank - r.rank)) for r in (left, right))
            added = range(rank - max(x.rank, y.rank))
            return g.squeeze(g.node("MatMul", *wide, outputs=1, **flags), *added)
    if y.rank == 1 and x.rank > 1 and y.constant is not None:
        report_met(SCALED_VECTOR)
        return g.squeeze(g.node("MatMul", left, g.unsqueeze(right, 1), outputs=1, **flags), -1)
    return g.node("MatMul", left, right, outputs=1, **flags)


@table.lower(linear.inverse)
def inverse(g: Emitter, input: Value) -> Ref:
    raise NoLowering("openvino: a singular matrix has no inverse that says so")
