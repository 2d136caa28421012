"""ONNX matrix products and linear algebra."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import activation, linear, unary
from nnir.ops import shape as ops
from nnir.recipes.linear import scale_by, weighted_sum
from nnir.types import Precision

from ...table import Table
from .quant import Scale, Steps

table = Table()
table.same({"Det": linear.determinant, "Einsum": linear.einsum})
table.convert("MatMul", transpose_x=False, transpose_y=False)(linear.mat_mul)


@table.convert("Gemm")
def gemm(
    a: Value,
    b: Value,
    c: Value | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    broadcast: bool = False,
    transA: bool = False,  # noqa: N803  the names are those of ONNX
    transB: bool = False,  # noqa: N803  as above
) -> Value:
    """Before opset 7 without `broadcast` the addend has the shape of the result already."""
    if a.rank != 2 or b.rank != 2:
        raise BadType(f"Gemm of {a.type} and {b.type}, not matrices")
    plain = alpha == beta == 1 and transB and not transA and a.is_float
    if plain and c is not None and c.shape == b.shape[:1]:
        return linear.fully_connected(a, b, c)
    product = linear.mat_mul(a, b, transpose_x=transA, transpose_y=transB)
    if c is None:
        return scale_by(product, alpha)
    return weighted_sum(c, product, beta, alpha)


@table.convert("MatMulInteger")
def mat_mul_integer(
    a: Value, b: Value, a_zero_point: Value | None = None, b_zero_point: Value | None = None
) -> Value:
    """A vector of zero points has one for each row of `a`, or for each column of `b`."""
    rows = None if a_zero_point is None else _per_row(a_zero_point)
    return linear.mat_mul(_whole(a, rows), _whole(b, b_zero_point))


def _whole(value: Value, zero_point: Value | None) -> Value:
    whole = value.cast(Precision.INT32)
    return whole if zero_point is None else whole - zero_point.cast(Precision.INT32)


def _per_row(value: Value) -> Value:
    return ops.unsqueeze(value, [1]) if value.rank == 1 and value.shape[0] != 1 else value


@table.convert("QLinearMatMul")
def q_linear_mat_mul(a: Steps, b: Steps, y: Scale) -> Value:
    """The exact integer product, scaled, rounded and clipped."""
    if not a.own.is_integer:
        raise BadType(f"QLinearMatMul of {a.own.type}")
    product = mat_mul_integer(a.own, b.own, a.zero_point, b.zero_point)
    left, right, result = (s.scale.cast(Precision.FLOAT32) for s in (a, b, y))
    return requantize(product, _per_row(left) * right / result, y.zero_point)


def requantize(product: Value, factor: Value, zero_point: Value | None) -> Value:
    """round(product * factor) + zero_point, clipped to the type of the zero point."""
    if zero_point is None:
        raise BadType(f"integers of {product.type} without a zero point, which says their type")
    real = product.cast(Precision.FLOAT32) * factor
    shifted = unary.round_(real) + zero_point.cast(Precision.FLOAT32)
    kind = np.iinfo(zero_point.dtype)
    bounds = float(kind.min), float(kind.max)
    return activation.clip(shifted, *bounds).cast(zero_point.precision)
