"""Matrix products."""

from __future__ import annotations

from nnir.broadcast import broadcast
from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import linear
from nnir.types import Fuse, Precision

from ...lowering import Lowerings
from ...quirks import report_met
from .binary import apply_fuse_code
from .emitter import Emitter, Ref
from .integers import total, wide, wrap
from .quirks import (
    EQUAL_HEADS_AND_ROWS,
    GROUPS_OF_OPEN_ROWS,
    SCALED_VECTOR,
    is_attention_of_equal_sizes,
    is_open_with_groups,
)

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32
MOST = 1 << 22
"""Products of integers that are written out."""


@table.lower(linear.fully_connected)
def fully_connected(
    g: Emitter, input: Value, weight: Value, bias: Value, *, fuse_code: Fuse
) -> Ref:
    if not input.is_float:
        raise NoLowering(f"openvino multiplies no matrices of {input.precision.name}")
    rows = g.cast(input, FLOAT32)
    if input.rank != 2:
        last = input.shape[-1]
        if isinstance(last, Expr):
            shape = g.concat(g.ints(-1), g.part(g.dims(rows), input.rank - 1, input.rank))
            rows = g.reshape(rows, shape)
        else:
            rows = g.reshape(rows, [-1, last])
    w, b = g.cast(weight, FLOAT32), g.cast(bias, FLOAT32)
    product = g.node("MatMul", rows, w, transpose_a=False, transpose_b=True)
    if bias.constant is None or bias.constant.any():
        product = product + b
    return apply_fuse_code(g, product, fuse_code)


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Ref:
    flags = {"transpose_a": transpose_x and x.rank > 1, "transpose_b": transpose_y and y.rank > 1}
    if x.is_float:
        left, right = g.cast(x, FLOAT32), g.cast(y, FLOAT32)
        if is_open_with_groups(x, y):
            report_met(GROUPS_OF_OPEN_ROWS)
            made = _with_more_axes(g, 4, left, right, **flags)
        elif is_attention_of_equal_sizes(x, y):
            report_met(EQUAL_HEADS_AND_ROWS)
            made = _with_more_axes(g, 5, left, right, **flags)
        elif y.rank == 1 and x.rank > 1 and y.constant is not None:
            report_met(SCALED_VECTOR)
            column = g.unsqueeze(right, 1)
            made = g.node("MatMul", left, column, outputs=1, **flags)
            made = g.squeeze(made, -1)
        else:
            made = g.node("MatMul", left, right, outputs=1, **flags)
        return made
    return _integers(g, x, y, **flags)


def _with_more_axes(g: Emitter, rank: int, left: Ref, right: Ref, **flags: bool) -> Ref:
    """A product of matrices of a lower rank, with axes of size 1 before theirs."""
    lower = max(left.rank, right.rank)
    wide = [g.unsqueeze(r, *range(rank - r.rank)) for r in (left, right)]
    return g.squeeze(g.node("MatMul", *wide, outputs=1, **flags), *range(rank - lower))


def _integers(g: Emitter, x: Value, y: Value, *, transpose_a: bool, transpose_b: bool) -> Ref:
    """Products written out, and their sum, which wraps: OpenVINO multiplies in float32."""
    sizes = [d for d in (*x.shape, *y.shape) if not isinstance(d, Expr)]
    if x.rank < 2 or y.rank < 2 or len(sizes) < x.rank + y.rank:
        raise NoLowering(f"openvino multiplies no matrices {x.type} and {y.type}")
    left = [int(d) for d in x.shape]  # type: ignore[arg-type]
    right = [int(d) for d in y.shape]  # type: ignore[arg-type]
    a, b = wide(g, x), wide(g, y)
    if transpose_a:
        left[-2:] = left[:-3:-1]
        a = _transpose_last(g, a)
    if not transpose_b:
        right[-2:] = right[:-3:-1]
        b = _transpose_last(g, b)
    count = 1
    for size in broadcast(tuple(left[:-2]), tuple(right[:-2])):
        count *= int(size)  # type: ignore[arg-type]
    if count * left[-2] * left[-1] * right[-2] > MOST:
        raise NoLowering(f"openvino multiplies no large matrices {x.type} and {y.type}")
    a = g.reshape(a, [*left[:-1], 1, left[-1]])
    b = g.reshape(b, [*right[:-2], 1, *right[-2:]])
    products = a * b
    return wrap(g, total(g, products, [products.rank - 1], keepdim=False), x.precision)


def _transpose_last(g: Emitter, ref: Ref) -> Ref:
    order = [*range(ref.rank - 2), ref.rank - 1, ref.rank - 2]
    return g.transpose(ref, *order)


@table.lower(linear.inverse)
def inverse(g: Emitter, input: Value) -> Ref:
    raise NoLowering("openvino: a singular matrix has no inverse that says so")
