"""ONNX matrix products and linear algebra."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import linear
from nnir.recipes.integer_products import multiply_integers, requantize, spread_rows
from nnir.recipes.linear import scale_by, weighted_sum
from nnir.types import Precision

from ...table import Maybe, Table
from .quant import Scale, Steps

table = Table()
table.same({"Det": linear.determinant, "Einsum": linear.einsum})
table.same({"MatMulInteger": multiply_integers})
table.convert("MatMul", transpose_x=False, transpose_y=False)(linear.mat_mul)


@table.convert("Gemm")
def gemm(
    a: Value,
    b: Value,
    c: Maybe = None,
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


@table.convert("QLinearMatMul")
def q_linear_mat_mul(a: Steps, b: Steps, y: Scale) -> Value:
    """The exact integer product, scaled, rounded and clipped."""
    if not a.own.is_integer:
        raise BadType(f"QLinearMatMul of {a.own.type}")
    product = multiply_integers(a.own, b.own, a.zero_point, b.zero_point)
    left, right, result = (s.scale.cast(Precision.FLOAT32) for s in (a, b, y))
    return requantize(product, spread_rows(left) * right / result, y.zero_point)
