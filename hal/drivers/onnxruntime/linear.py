"""Matrix products and linear algebra."""

from __future__ import annotations

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.mapping import place_of
from nnir.model import Value
from nnir.ops import linear
from nnir.types import Precision

from ...lowering import Lowerings
from . import blind, tiny, whole
from .emitter import Emitter, Operand, Ref
from .lending import LEAST
from .products import is_turned

table = Lowerings[Ref]()
table.native(linear.determinant, "Det")


@table.lower(linear.inverse)
def inverse(g: Emitter, input: Value) -> Ref:
    """ONNX Runtime's own kernel for sizes that only a run knows, which no file names: others would
    not read it."""
    if g.for_file or not isinstance(input.shape[-1], Expr):
        return g.decomposed()[0]
    wide = Precision.FLOAT64 if input.precision == Precision.FLOAT64 else Precision.FLOAT32
    found = g.node("Inverse", g.cast(input, wide), domain="com.microsoft")
    return g.cast(found, input.precision)


@table.lower(linear.fully_connected)
def fully_connected(g: Emitter, input: Value, weight: Value, bias: Value) -> Ref:
    rows: Operand = input
    if input.rank != 2:
        sizes, last = g.dims(input), input.rank - 1
        batch = g.node("ReduceProd", g.part(sizes, 0, last), g.ints(0))
        shape = g.concat(batch, g.part(sizes, last, last + 1))
        rows = g.node("Reshape", input, shape, allowzero=1)
    if not input.is_float:  # Gemm has no kernels for integers
        return g.node("MatMul", rows, g.node("Transpose", weight)) + bias
    return g.node("Gemm", rows, weight, bias, transB=1)


@table.lower(linear.mat_mul)
def mat_mul(g: Emitter, x: Value, y: Value, *, transpose_x: bool, transpose_y: bool) -> Ref:
    if (found := whole.whole_of(g, g.operation)) is not None:
        return whole.attend(g, found)
    if whole.is_inside(g, g.operation.outputs[0]):
        return g.stand_in(g.operation.outputs[0])
    left = _swap_last(g, x) if transpose_x else tiny.without_tiny(g, x)
    if x.shape[-2 if transpose_x and x.rank > 1 else -1] == 0:
        return _sums_of_nothing(g)
    if y.rank == 1 and x.rank > 1:  # a transpose before would be fused into what is wrong
        return g.squeeze(g.node("MatMul", left, g.unsqueeze(y, 1)), x.rank - 1)
    rows = _mapped_rows(g, y, is_turned=not transpose_y) if x.rank > 1 else None
    if rows is not None:
        made = g.node("FusedMatMul", left, g.constant(rows), domain="com.microsoft", transB=1)
    else:
        made = g.node("MatMul", left, _swap_last(g, y) if transpose_y else y)
    if blind.is_mended_later(x, for_file=g.for_file):
        return blind.mended_product(g, x, left, y, made)
    return made


def _mapped_rows(g: Emitter, weights: Value, *, is_turned: bool) -> np.ndarray | None:
    """Weights of which a file has the transpose, as a table of words that is the last layer's too:
    a kernel reads them from there, and nothing is written anew."""
    data = weights.constant
    if data is None or weights.rank != 2 or weights.precision != Precision.FLOAT32:
        return None
    if g.for_file or g.outer is not None or g.host is not None:
        return None
    rows = data.T if is_turned else data
    return None if rows.nbytes < LEAST or place_of(rows) is None else rows


def _sums_of_nothing(g: Emitter) -> Ref:
    """Zeros: stacks of empty matrices are products that MatMul does not write, or that end the
    process."""
    made = g.operation.outputs[0]
    if not made.is_static:
        raise NoLowering("products of empty matrices of sizes that are not known")
    return g.constant(np.zeros(made.shape, made.dtype))


def _swap_last(g: Emitter, value: Value) -> Operand:
    if value.rank < 2 or is_turned(value):
        return value
    return g.node("Transpose", value, perm=[*range(value.rank - 2), value.rank - 1, value.rank - 2])


@table.lower(linear.einsum)
def einsum(g: Emitter, *input: Value, equation: str) -> Ref:
    if "..." in equation:
        raise NoLowering("einsum with an ellipsis, whose axes ONNX Runtime does not broadcast")
    if any(0 in v.shape for v in input):
        raise NoLowering("einsum of an empty tensor, over which ONNX Runtime divides by zero")
    return g.node("Einsum", *input, equation=equation)
