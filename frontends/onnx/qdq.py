"""QLinearConv, QLinearMatMul and QGemm as operators of real numbers between borders.

ONNX multiplies the sum of integers by one rounded number and rounds again. Integer kernels of
TFLite and other formats are made of dequantised operands and a rounded result instead, whose
integers are at most one away. This form keeps the scales and zero points of a file.
"""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import linear, quant, shape

from ..table import Table
from .operators.conv import conv_
from .operators.linear import gemm
from .operators.windows import Sliding

table = Table()


def as_scalar(value: Value) -> Value:
    """A vector of one number without its axis; other values as they are."""
    return shape.reshape(value, []) if value.shape == (1,) else value


def to_real(x: Value, scale: Value, zero_point: Value | None, axis: int) -> Value:
    """What integers stand for, by one scale or by one for each entry of an axis."""
    zero = None if zero_point is None else as_scalar(zero_point)
    return quant.dequantize_linear(x, as_scalar(scale), zero, axis=axis)


def to_steps(real: Value, scale: Value, zero_point: Value) -> Value:
    """Real numbers as integers of the type of the zero point."""
    zero = as_scalar(zero_point)
    return quant.quantize_linear(real, as_scalar(scale), zero, dtype=zero.precision)


@table.convert("QLinearConv", since=10)
def q_linear_conv(
    x: Value,
    x_scale: Value,
    x_zero_point: Value,
    w: Value,
    w_scale: Value,
    w_zero_point: Value,
    y_scale: Value,
    y_zero_point: Value,
    b: Value | None = None,
    *,
    group: int = 1,
    how: Sliding,
) -> Value:
    """Filters may have a scale each; the bias is in steps of the products."""
    image, filters = to_real(x, x_scale, x_zero_point, 1), to_real(w, w_scale, w_zero_point, 0)
    if b is not None:
        b = to_real(b, as_scalar(w_scale) * as_scalar(x_scale), None, 0)
    return to_steps(conv_(image, filters, b, group=group, how=how), y_scale, y_zero_point)


@table.convert("QLinearMatMul", since=10)
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
    """A matrix may have one scale, or one for each row of `a` and each column of `b`."""
    if not a.is_integer:
        raise BadType(f"QLinearMatMul of {a.type}")
    left = to_real(a, a_scale, a_zero_point, max(a.rank - 2, 0))
    right = to_real(b, b_scale, b_zero_point, b.rank - 1)
    return to_steps(linear.mat_mul(left, right), y_scale, y_zero_point)


@table.convert("com.microsoft::QGemm")
def q_gemm(
    a: Value,
    a_scale: Value,
    a_zero_point: Value,
    b: Value,
    b_scale: Value,
    b_zero_point: Value,
    c: Value | None = None,
    y_scale: Value | None = None,
    y_zero_point: Value | None = None,
    *,
    alpha: float = 1.0,
    transA: bool = False,  # noqa: N803  the names are those of ONNX Runtime
    transB: bool = False,  # noqa: N803  as above
) -> Value:
    """The addend is in steps of the product, before `alpha`; without a scale the result is real."""
    left = to_real(a, a_scale, a_zero_point, 0)
    right = to_real(b, b_scale, b_zero_point, 0 if transB else 1)
    if c is not None:
        c = to_real(c, as_scalar(b_scale) * as_scalar(a_scale), None, c.rank - 1)
    real = gemm(left, right, c, alpha=alpha, beta=alpha, transA=transA, transB=transB)
    if y_scale is None:
        return real
    if y_zero_point is None:
        raise BadType("QGemm with a scale of the result and no zero point")
    return to_steps(real, y_scale, y_zero_point)
