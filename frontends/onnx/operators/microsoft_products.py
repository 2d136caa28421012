"""ONNX Runtime's products of integers (com.microsoft), with real numbers or integers as results."""

from __future__ import annotations

from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import shape
from nnir.types import Precision

from ...table import Table
from .linear import mat_mul_integer, requantize
from .quant import Steps, as_number, dynamic_quantize_linear

table = Table(prefix="com.microsoft::")


@table.convert("MatMulInteger16")
def mat_mul_integer_16(a: Value, b: Value) -> Value:
    return mat_mul_integer(a, b)


@table.convert("MatMulIntegerToFloat")
def mat_mul_integer_to_float(
    a: Value,
    b: Value,
    a_scale: Value,
    b_scale: Value,
    a_zero_point: Value | None = None,
    b_zero_point: Value | None = None,
    bias: Value | None = None,
) -> Value:
    """The exact product of integers in real numbers; scales of `b` may be one for each column."""
    is_one = b_scale.shape in ((), (1,))
    if bias is not None and (bias.rank != 1 or not (is_one or (b.rank == 2 and b_scale.rank == 1))):
        what = f"{bias.type} added to a product with {b.type} in steps of {b_scale.type}"
        raise Unsupported(f"{what}: ONNX Runtime scales what is added")
    whole = mat_mul_integer(a, b, a_zero_point, b_zero_point).cast(Precision.FLOAT32)
    real = whole * (as_number(a_scale) * as_number(b_scale))
    return real if bias is None else real + bias


@table.convert("DynamicQuantizeMatMul")
def dynamic_quantize_mat_mul(
    a: Value,
    b: Value,
    b_scale: Value,
    b_zero_point: Value | None = None,
    bias: Value | None = None,
) -> Value:
    """`a` becomes integers by its own extremes."""
    steps, scale, zero_point = dynamic_quantize_linear(a)
    return mat_mul_integer_to_float(steps, b, scale, b_scale, zero_point, b_zero_point, bias)


@table.convert("QGemm")
def q_gemm(
    a: Steps,
    b: Steps,
    c: Value | None = None,
    y_scale: Value | None = None,
    y_zero_point: Value | None = None,
    *,
    alpha: float = 1.0,
    transA: bool = False,  # noqa: N803  the names are those of ONNX Runtime
    transB: bool = False,  # noqa: N803  as above
) -> Value:
    """The addend is in steps of the product, before `alpha`; without a scale the result is real."""
    if a.own.rank != 2 or b.own.rank != 2:
        raise BadType(f"QGemm of {a.own.type} and {b.own.type}, not matrices")
    left = shape.transpose(a.own) if transA else a.own
    right = shape.transpose(b.own) if transB else b.own
    whole = mat_mul_integer(left, right, a.zero_point, b.zero_point)
    if c is not None:
        whole = whole + c
    factor = as_number(a.scale) * as_number(b.scale) * alpha
    if y_scale is None:
        return whole.cast(Precision.FLOAT32) * factor
    return requantize(whole, factor / as_number(y_scale), y_zero_point)
