"""QLinearConv, QLinearMatMul and QGemm as operators of real numbers between borders.

ONNX multiplies the sum of integers by one rounded number and rounds again. Integer kernels of
TFLite and other formats are made of dequantised operands and a rounded result instead, whose
integers are at most one away. This form keeps the scales and zero points of a file.
"""

from __future__ import annotations

from dataclasses import replace

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import linear
from nnir.recipes.integer_products import as_number

from ..table import Maybe, Table
from .operators.conv import conv_
from .operators.linear import gemm
from .operators.quant import PlainSteps, Scale, Steps
from .operators.windows import Sliding

table = Table()


def to_real(x: Steps, axis: int) -> Value:
    """What integers stand for, by one scale or by one for each entry of an axis."""
    zero = None if x.zero_point is None else as_number(x.zero_point)
    return replace(x, scale=as_number(x.scale), zero_point=zero).real_along(axis)


def to_steps(real: Value, scale: Value, zero_point: Maybe) -> Value:
    """Real numbers as integers of the type of the zero point."""
    if zero_point is None:
        raise BadType("integers of a result without a zero point, which says their type")
    zero = as_number(zero_point)
    return Scale(as_number(scale), zero).count(real, zero.precision)


@table.convert("QLinearConv", since=10)
def q_linear_conv(
    x: Steps, w: Steps, y: Scale, b: Maybe = None, *, group: int = 1, how: Sliding
) -> Value:
    """Filters may have a scale each; the bias is in steps of the products."""
    image, filters = to_real(x, 1), to_real(w, 0)
    if b is not None:
        b = to_real(PlainSteps(b, as_number(w.scale) * as_number(x.scale)), 0)
    return to_steps(conv_(image, filters, b, group=group, how=how), y.scale, y.zero_point)


@table.convert("QLinearMatMul", since=10)
def q_linear_mat_mul(a: Steps, b: Steps, y: Scale) -> Value:
    """A matrix may have one scale, or one for each row of `a` and each column of `b`."""
    if not a.own.is_integer:
        raise BadType(f"QLinearMatMul of {a.own.type}")
    left, right = to_real(a, max(a.own.rank - 2, 0)), to_real(b, b.own.rank - 1)
    return to_steps(linear.mat_mul(left, right), y.scale, y.zero_point)


@table.convert("com.microsoft::QGemm")
def q_gemm(
    a: Steps,
    b: Steps,
    c: Maybe = None,
    y_scale: Maybe = None,
    y_zero_point: Maybe = None,
    *,
    alpha: float = 1.0,
    transA: bool = False,  # noqa: N803  the names are those of ONNX Runtime
    transB: bool = False,  # noqa: N803  as above
) -> Value:
    """The addend is in steps of the product, before `alpha`; without a scale the result is real."""
    left, right = to_real(a, 0), to_real(b, 0 if transB else 1)
    if c is not None:
        c = to_real(PlainSteps(c, as_number(b.scale) * as_number(a.scale)), c.rank - 1)
    real = gemm(left, right, c, alpha=alpha, beta=alpha, transA=transA, transB=transB)
    return real if y_scale is None else to_steps(real, y_scale, y_zero_point)
