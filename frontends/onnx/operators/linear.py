"""ONNX matrix products and linear algebra."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import activation, linear, unary
from nnir.ops import shape as ops
from nnir.types import Precision

from ...table import Table

table = Table()


@table.convert("MatMul")
def mat_mul(a: Value, b: Value) -> Value:
    return linear.mat_mul(a, b)


@table.convert("Gemm")
def gemm_1(
    a: Value,
    b: Value,
    c: Value,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    broadcast: int = 0,
    transA: int = 0,  # noqa: N803  the names are those of ONNX
    transB: int = 0,  # noqa: N803  as above
) -> Value:
    """Without `broadcast` the addend has the shape of the result already."""
    return gemm(a, b, c, alpha=alpha, beta=beta, transA=transA, transB=transB)


@table.convert("Gemm", since=7)
def gemm_7(
    a: Value,
    b: Value,
    c: Value,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,  # noqa: N803  as above
    transB: int = 0,  # noqa: N803  as above
) -> Value:
    return gemm(a, b, c, alpha=alpha, beta=beta, transA=transA, transB=transB)


@table.convert("Gemm", since=11)
def gemm(
    a: Value,
    b: Value,
    c: Value | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: int = 0,  # noqa: N803  the names are those of ONNX
    transB: int = 0,  # noqa: N803  as above
) -> Value:
    if a.rank != 2 or b.rank != 2:
        raise BadType(f"Gemm of {a.type} and {b.type}, not matrices")
    plain = alpha == beta == 1 and transB and not transA and a.is_float
    if plain and c is not None and c.shape == b.shape[:1]:
        return linear.fully_connected(a, b, c)
    product = linear.mat_mul(a, b, transpose_x=bool(transA), transpose_y=bool(transB))
    product = scale_by(product, alpha)
    return product if c is None or beta == 0 else product + scale_by(c, beta)


def scale_by(value: Value, factor: float) -> Value:
    """`value` times a number; integers take a whole one only."""
    if factor == 1:
        return value
    if value.is_integer and factor != int(factor):
        raise BadType(f"{value.type} times {factor}")
    return value * factor


@table.convert("Einsum")
def einsum(*inputs: Value, equation: str) -> Value:
    return linear.einsum(*inputs, equation=equation)


@table.convert("Det")
def det(x: Value) -> Value:
    return linear.determinant(x)


@table.convert("MatMulInteger")
def mat_mul_integer(
    a: Value, b: Value, a_zero_point: Value | None = None, b_zero_point: Value | None = None
) -> Value:
    left = subtract_zero_point(a, a_zero_point, Precision.INT32, rows=True)
    return linear.mat_mul(left, subtract_zero_point(b, b_zero_point, Precision.INT32))


def subtract_zero_point(
    value: Value, zero_point: Value | None, precision: Precision, *, rows: bool = False
) -> Value:
    """`value - zero_point`; with `rows` a vector of zero points is one per row."""
    whole = unary.cast(value, dtype=precision)
    if zero_point is None:
        return whole
    zero = unary.cast(zero_point, dtype=precision)
    if rows and zero.rank == 1 and zero.shape[0] != 1:
        zero = ops.unsqueeze(zero, [1])
    return whole - zero


@table.convert("QLinearMatMul")
def q_linear_mat_mul(
    a: Value,
    a_scale: Value,
    a_zero_point: Value,
    b: Value,
    b_scale: Value,
    b_zero_point: Value,
    y_scale: Value,
    y_zero_point: Value,
) -> Value:
    """The exact integer product, scaled, rounded and clipped."""
    if not a.is_integer:
        raise BadType(f"QLinearMatMul of {a.type}")
    left = subtract_zero_point(a, a_zero_point, Precision.INT32, rows=True)
    product = linear.mat_mul(left, subtract_zero_point(b, b_zero_point, Precision.INT32))
    scales = [unary.cast(s, dtype=Precision.FLOAT32) for s in (a_scale, b_scale, y_scale)]
    if scales[0].rank == 1 and scales[0].shape[0] != 1:
        scales[0] = ops.unsqueeze(scales[0], [1])
    factor = scales[0] * scales[1] / scales[2]
    return requantize(product, factor, y_zero_point)


def requantize(product: Value, factor: Value, zero_point: Value) -> Value:
    """round(product * factor) + zero_point, clipped to the type of the zero point."""
    real = unary.cast(product, dtype=Precision.FLOAT32) * factor
    zero = unary.cast(zero_point, dtype=Precision.FLOAT32)
    shifted = unary.round_(real) + zero
    kind = np.iinfo(zero_point.dtype)
    low, high = (product.model.constant(n, np.float32) for n in (kind.min, kind.max))
    return unary.cast(activation.clip(shifted, low, high), dtype=zero_point.precision)
