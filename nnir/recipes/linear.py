"""Products of matrices."""

from __future__ import annotations

from ..errors import BadType
from ..model import Value
from ..ops import complex, linear


def conjugate_if(x: Value, *, wanted: bool) -> Value:
    """The conjugate of complex numbers; the transpose is a flag of the product."""
    return complex.conj(x) if wanted and complex.is_complex(x) else x


def multiply_matrices(
    x: Value,
    y: Value,
    *,
    adj_x: bool = False,
    adj_y: bool = False,
) -> Value:
    """Products of batches of matrices; `adj_x` and `adj_y` take the conjugate transpose."""
    if x.rank < 2 or y.rank < 2:
        raise BadType(f"BatchMatMul of {x.type} and {y.type}: matrices are needed")
    left, right = conjugate_if(x, wanted=adj_x), conjugate_if(y, wanted=adj_y)
    return linear.mat_mul(left, right, transpose_x=adj_x, transpose_y=adj_y)
