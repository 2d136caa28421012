"""ATen products of matrices and vectors."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import binary, linear, reduce
from nnir.types import Precision

from ..table import Items, Table
from . import contraction
from .promotion import HALVES, Number, Operand, category, promoted, promoted_to

table = Table.merge([contraction.table])


@table.convert("aten.linear.default")
def dense(input: Value, weight: Value, bias: Value | None = None) -> Value:
    """One FULLY_CONNECTED for rows; for more axes a product, which needs no reshapes."""
    rows = input.rank == 2 and weight.rank == 2
    if rows and bias is not None and bias.shape == weight.shape[:1]:
        return linear.fully_connected(input, weight, bias)
    product = linear.mat_mul(input, weight, transpose_y=True)
    return product if bias is None else product + bias


def ranked(name: str, *operands: tuple[Value, int]) -> None:
    """BadType unless every operand has the rank beside it."""
    if any(value.rank != rank for value, rank in operands):
        raise BadType(f"{name} of {', '.join(str(v.type) for v, _ in operands)}")


@table.convert("aten.matmul.default")
def matmul(self: Value, other: Value) -> Value:
    return linear.mat_mul(self, other)


@table.convert("aten.mm.default")
def mm(self: Value, mat2: Value) -> Value:
    ranked("mm", (self, 2), (mat2, 2))
    return linear.mat_mul(self, mat2)


@table.convert("aten.bmm.default")
def bmm(self: Value, mat2: Value) -> Value:
    ranked("bmm", (self, 3), (mat2, 3))
    return linear.mat_mul(self, mat2)


@table.convert("aten._int_mm.default")
def int_mm(self: Value, mat2: Value) -> Value:
    return mm(self.cast(Precision.INT32), mat2.cast(Precision.INT32))


@table.convert("aten.mv.default")
def mv(self: Value, vec: Value) -> Value:
    ranked("mv", (self, 2), (vec, 1))
    return linear.mat_mul(self, vec)


@table.convert("aten.dot.default")
def dot(self: Value, tensor: Value) -> Value:
    ranked("dot", (self, 1), (tensor, 1))
    return linear.mat_mul(self, tensor)


@table.convert("aten.vdot.default")
def vdot(self: Value, other: Value) -> Value:
    return dot(conjugate(self), other)


def conjugate(x: Value) -> Value:
    """The complex conjugate; a real tensor itself."""
    if category(x.precision) < 3:
        return x
    from nnir.ops import complex  # the family of complex operators, which builds on this one's

    result: Value = complex.conj(x)
    return result


def times(value: Value, factor: Operand) -> Value:
    """`value` times a number, in its own precision."""
    if not isinstance(factor, Value) and factor == 1:
        return value
    if value.is_integer and isinstance(factor, float) and factor != int(factor):
        raise BadType(f"{value.type} times {factor}")
    return binary.mul(value, *promoted_to(value.precision, factor, value)[:1])


def combined(self: Value, product: Value, beta: Number, alpha: Number) -> Value:
    """beta * self + alpha * product; with a beta of 0 not even a NaN of `self` is left."""
    scaled = times(product, alpha)
    return scaled if beta == 0 else times(self, beta) + scaled


@table.convert("aten.addmm.default")
def addmm(self: Value, mat1: Value, mat2: Value, *, beta: Number = 1, alpha: Number = 1) -> Value:
    plain = beta == alpha == 1 and mat2.constant is not None and self.shape == mat2.shape[1:]
    if plain and mat1.rank == 2 and mat2.constant is not None:
        return linear.fully_connected(mat1, mat2.model.constant(mat2.constant.T), self)
    return combined(self, mm(mat1, mat2), beta, alpha)


@table.convert("aten.addmv.default")
def addmv(self: Value, mat: Value, vec: Value, *, beta: Number = 1, alpha: Number = 1) -> Value:
    return combined(self, mv(mat, vec), beta, alpha)


@table.convert("aten.baddbmm.default")
def baddbmm(
    self: Value, batch1: Value, batch2: Value, *, beta: Number = 1, alpha: Number = 1
) -> Value:
    return combined(self, bmm(batch1, batch2), beta, alpha)


@table.convert("aten.addbmm.default")
def addbmm(
    self: Value, batch1: Value, batch2: Value, *, beta: Number = 1, alpha: Number = 1
) -> Value:
    total = reduce.reduce_sum(bmm(batch1, batch2), [0], keepdim=False)
    return combined(self, total, beta, alpha)


@table.convert("aten.addr.default")
def addr(self: Value, vec1: Value, vec2: Value, *, beta: Number = 1, alpha: Number = 1) -> Value:
    ranked("addr", (vec1, 1), (vec2, 1))
    total, left, right = promoted(self, vec1, vec2)
    if total.precision == Precision.BOOL8:
        product = contraction.outer(left, right) & left.model.constant(bool(alpha))
        return total | product if beta else product
    # the vector is scaled, as in PyTorch: the product of both might already be too large
    return combined(total, contraction.outer(times(left, alpha), right), beta, 1)


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
    left, right = promoted(x, y)
    kind = left.precision
    wide = Precision.FLOAT32 if kind in HALVES else kind
    products = conjugate(left).cast(wide) * right.cast(wide)
    return reduce.reduce_sum(products, [dim], keepdim=False).cast(kind)


@table.convert("aten.linalg_multi_dot.default")
def multi_dot(tensors: Items) -> Value:
    result = tensors[0]
    for matrix in tensors[1:]:
        result = linear.mat_mul(result, matrix)
    return result


@table.convert("aten.chain_matmul.default")
def chain_matmul(matrices: Items) -> Value:
    return multi_dot(matrices)


@table.convert("aten.matrix_power.default", "aten.linalg_matrix_power.default")
def matrix_power(self: Value, n: int) -> Value:
    """By squaring; a negative power is one of the inverse."""
    if n == 0:
        return identity_like(self)
    base = linear.inverse(self) if n < 0 else self
    result: Value | None = None
    for bit in reversed(f"{abs(n):b}"):
        if bit == "1":
            result = base if result is None else linear.mat_mul(result, base)
        if len(f"{abs(n):b}") > 1:
            base = linear.mat_mul(base, base)
    return self if result is None else result


def identity_like(x: Value) -> Value:
    """The identity in the shape of square matrices, which must be known."""
    from nnir.ops import shape  # only here

    size = x.shape[-1]
    if not isinstance(size, int):
        raise Unsupported(f"an identity of {x.type}, whose size is not known")
    eye = x.model.constant(np.eye(size, dtype=x.dtype))
    return eye if x.rank == 2 else shape.expand(eye, build.shape_of(x))
