"""TensorFlow's products of matrices."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import linear
from nnir.recipes.linear import multiply_matrices
from nnir.types import Precision

from ...table import Items, Table

table = Table()


@table.convert("MatMul")
def mat_mul(
    a: Value,
    b: Value,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    grad_a: bool = False,
    grad_b: bool = False,
) -> Value:
    if a.rank != 2 or b.rank != 2:
        raise BadType(f"MatMul of {a.type} and {b.type}: matrices are needed")
    return linear.mat_mul(a, b, transpose_x=transpose_a, transpose_y=transpose_b)


@table.convert("SparseMatMul")
def sparse_mat_mul(
    a: Value,
    b: Value,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
) -> Value:
    """Matrices that are stored in full and may have many zeros; the result is float32."""
    wide = (v.cast(Precision.FLOAT32) for v in (a, b))
    return mat_mul(*wide, transpose_a=transpose_a, transpose_b=transpose_b)


@table.convert("BatchMatMul", "BatchMatMulV2")
def batch_mat_mul(
    x: Value,
    y: Value,
    *,
    adj_x: bool = False,
    adj_y: bool = False,
    grad_x: bool = False,
    grad_y: bool = False,
) -> Value:
    return multiply_matrices(x, y, adj_x=adj_x, adj_y=adj_y)


@table.convert("BatchMatMulV3")
def batch_mat_mul_3(
    x: Value,
    y: Value,
    *,
    Tout: Precision,  # noqa: N803
    adj_x: bool = False,
    adj_y: bool = False,
    grad_x: bool = False,
    grad_y: bool = False,
) -> Value:
    return batch_mat_mul(x.cast(Tout), y.cast(Tout), adj_x=adj_x, adj_y=adj_y)


@table.convert("Einsum")
def einsum(inputs: Items, *, equation: str) -> Value:
    return linear.einsum(*inputs, equation=equation)
