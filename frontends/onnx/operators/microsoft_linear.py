"""Products of matrices of ONNX Runtime's own domain, with what was fused into them."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import linear, shape
from nnir.recipes.linear import scale_by

from ...table import Maybe, Table
from .linear import gemm
from .microsoft_activation import activate

table = Table(prefix="com.microsoft::")


@table.convert("FusedMatMul")
@table.convert("TransposeMatMul", transBatchA=False, transBatchB=False)
def fused_mat_mul(
    a: Value,
    b: Value,
    *,
    alpha: float = 1.0,
    transA: bool = False,  # noqa: N803  the names are those of ONNX Runtime
    transB: bool = False,  # noqa: N803  as above
    transBatchA: bool = False,  # noqa: N803  as above
    transBatchB: bool = False,  # noqa: N803  as above
) -> Value:
    """A vector has nothing to transpose."""
    left, right = _batch_behind(a, transBatchA), _batch_behind(b, transBatchB)
    turn_left, turn_right = transA and a.rank > 1, transB and b.rank > 1
    product = linear.mat_mul(left, right, transpose_x=turn_left, transpose_y=turn_right)
    return scale_by(product, alpha)


def _batch_behind(x: Value, wanted: bool) -> Value:
    """The first axis as the last but one, behind those that it was before."""
    if not wanted:
        return x
    if x.rank < 3:
        raise BadType(f"FusedMatMul of {x.type}, which has no batch to transpose")
    return shape.transpose(x, perm=(*range(1, x.rank - 1), 0, x.rank - 1))


@table.convert("FusedGemm")
def fused_gemm(
    a: Value,
    b: Value,
    c: Maybe = None,
    *,
    activation: str,
    activation_alpha: float | None = None,
    activation_beta: float | None = None,
    activation_gamma: float | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    transA: bool = False,  # noqa: N803  the names are those of ONNX Runtime
    transB: bool = False,  # noqa: N803  as above
) -> Value:
    product = gemm(a, b, c, alpha=alpha, beta=beta, transA=transA, transB=transB)
    given = {"alpha": activation_alpha, "beta": activation_beta, "gamma": activation_gamma}
    numbers = {k: v for k, v in given.items() if v is not None}
    return activate("FusedGemm", product, activation, numbers)
