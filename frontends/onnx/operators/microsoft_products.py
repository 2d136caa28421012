"""ONNX Runtime's products of integers (com.microsoft), with real numbers or integers as results."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import shape
from nnir.recipes import integer_products as products
from nnir.types import Precision

from ...table import Maybe, Table
from .quant import Steps

table = Table(prefix="com.microsoft::")
table.convert("MatMulInteger16", a_zero_point=None, b_zero_point=None)(products.multiply_integers)
table.same(
    {
        "DynamicQuantizeMatMul": products.multiply_dynamically,
        "MatMulIntegerToFloat": products.multiply_to_real,
    }
)


@table.convert("QGemm")
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
    if a.own.rank != 2 or b.own.rank != 2:
        raise BadType(f"QGemm of {a.own.type} and {b.own.type}, not matrices")
    left = shape.transpose(a.own) if transA else a.own
    right = shape.transpose(b.own) if transB else b.own
    whole = products.multiply_integers(left, right, a.zero_point, b.zero_point)
    if c is not None:
        whole = whole + c
    factor = products.as_number(a.scale) * products.as_number(b.scale) * alpha
    if y_scale is None:
        return whole.cast(Precision.FLOAT32) * factor
    return products.requantize(whole, factor / products.as_number(y_scale), y_zero_point)
