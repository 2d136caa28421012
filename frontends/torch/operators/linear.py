"""ATen products of matrices and vectors."""

from __future__ import annotations

from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import linear, reduce
from nnir.recipes import linear as linear_recipes
from nnir.recipes.linear import conjugate, scale_by, weighted_sum
from nnir.recipes.promotion import HALVES, Number, promote
from nnir.types import Precision

from ...table import Items, Table
from . import contraction

table = Table.merge([contraction.table])


@table.convert("aten.linear.default")
def dense(input: Value, weight: Value, bias: Value | None = None) -> Value:
    """One FULLY_CONNECTED for rows; for more axes a product, which needs no reshapes."""
    rows = input.rank == 2 and weight.rank == 2
    if rows and bias is not None and bias.shape == weight.shape[:1]:
        return linear.fully_connected(input, weight, bias)
    product = linear.mat_mul(input, weight, transpose_y=True)
    return product if bias is None else product + bias


def require_ranks(name: str, *operands: tuple[Value, int]) -> None:
    """BadType unless every operand has the rank beside it."""
    if any(value.rank != rank for value, rank in operands):
        raise BadType(f"{name} of {', '.join(str(v.type) for v, _ in operands)}")


@table.convert("aten.matmul.default")
def matmul(self: Value, other: Value) -> Value:
    return linear.mat_mul(self, other)


@table.convert("aten.mm.default")
def mm(self: Value, mat2: Value) -> Value:
    require_ranks("mm", (self, 2), (mat2, 2))
    return linear.mat_mul(self, mat2)


@table.convert("aten.bmm.default")
def bmm(self: Value, mat2: Value) -> Value:
    require_ranks("bmm", (self, 3), (mat2, 3))
    return linear.mat_mul(self, mat2)


@table.convert("aten._int_mm.default")
def int_mm(self: Value, mat2: Value) -> Value:
    return mm(self.cast(Precision.INT32), mat2.cast(Precision.INT32))


@table.convert("aten.mv.default")
def mv(self: Value, vec: Value) -> Value:
    require_ranks("mv", (self, 2), (vec, 1))
    return linear.mat_mul(self, vec)


@table.convert("aten.dot.default")
def dot(self: Value, tensor: Value) -> Value:
    require_ranks("dot", (self, 1), (tensor, 1))
    return linear.mat_mul(self, tensor)


@table.convert("aten.vdot.default")
def vdot(self: Value, other: Value) -> Value:
    return dot(conjugate(self), other)


@table.convert("aten.addmm.default")
def addmm(self: Value, mat1: Value, mat2: Value, *, beta: Number = 1, alpha: Number = 1) -> Value:
    plain = beta == alpha == 1 and mat2.constant is not None and self.shape == mat2.shape[1:]
    if plain and mat1.rank == 2 and mat2.constant is not None:
        return linear.fully_connected(mat1, mat2.model.constant(mat2.constant.T), self)
    return weighted_sum(self, mm(mat1, mat2), beta, alpha)


@table.convert("aten.addmv.default")
def addmv(self: Value, mat: Value, vec: Value, *, beta: Number = 1, alpha: Number = 1) -> Value:
    return weighted_sum(self, mv(mat, vec), beta, alpha)


@table.convert("aten.baddbmm.default")
def baddbmm(
    self: Value, batch1: Value, batch2: Value, *, beta: Number = 1, alpha: Number = 1
) -> Value:
    return weighted_sum(self, bmm(batch1, batch2), beta, alpha)


@table.convert("aten.addbmm.default")
def addbmm(
    self: Value, batch1: Value, batch2: Value, *, beta: Number = 1, alpha: Number = 1
) -> Value:
    total = reduce.reduce_sum(bmm(batch1, batch2), [0], keepdim=False)
    return weighted_sum(self, total, beta, alpha)


@table.convert("aten.addr.default")
def addr(self: Value, vec1: Value, vec2: Value, *, beta: Number = 1, alpha: Number = 1) -> Value:
    require_ranks("addr", (vec1, 1), (vec2, 1))
    total, left, right = promote(self, vec1, vec2)
    if total.precision == Precision.BOOL8:
        product = contraction.outer(left, right) & left.model.constant(bool(alpha))
        return total | product if beta else product
    # the vector is scaled, as in PyTorch: the product of both might already be too large
    return weighted_sum(total, contraction.outer(scale_by(left, alpha), right), beta, 1)


@table.convert("transformers.grouped_mm_fallback.default")
def grouped_mm_fallback(input: Value, weight: Value, offs: Value) -> Value:
    return linear.grouped_mat_mul(input, weight, offs)


@table.convert("aten._grouped_mm.default")
def grouped_mm(
    self: Value,
    mat2: Value,
    offs: Value | None = None,
    bias: Value | None = None,
    out_dtype: Precision | None = None,
) -> Value:
    if offs is None or self.rank != 2 or mat2.rank != 3 or bias is not None:
        raise Unsupported(f"_grouped_mm of {self.type} and {mat2.type}")
    result = linear.grouped_mat_mul(self, mat2, offs)
    return result if out_dtype is None else result.cast(out_dtype)


@table.convert("aten.linalg_vecdot.default")
def vecdot(x: Value, y: Value, *, dim: int = -1) -> Value:
    left, right = promote(x, y)
    kind = left.precision
    wide = Precision.FLOAT32 if kind in HALVES else kind
    products = conjugate(left).cast(wide) * right.cast(wide)
    return reduce.reduce_sum(products, [dim], keepdim=False).cast(kind)


@table.convert("aten.linalg_multi_dot.default")
def multi_dot(tensors: Items) -> Value:
    return linear_recipes.multi_dot(tensors)


@table.convert("aten.chain_matmul.default")
def chain_matmul(matrices: Items) -> Value:
    return multi_dot(matrices)


@table.convert("aten.matrix_power.default", "aten.linalg_matrix_power.default")
def matrix_power(self: Value, n: int) -> Value:
    return linear_recipes.matrix_power(self, n)
