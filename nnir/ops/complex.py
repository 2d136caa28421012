"""Complex numbers.

A complex tensor has COMPLEX64 or COMPLEX128 elements; its parts are FLOAT32 or FLOAT64.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..broadcast import broadcast
from ..decomposition import Level
from ..dim import Expr
from ..model import Value
from ..operator import Operator, Pattern, operator, require
from ..types import Precision, TensorType
from .unary import COMPLEX as PARTS

WHOLE = {part: whole for whole, part in PARTS.items()}


def _from_parts(real: np.ndarray, imag: np.ndarray) -> np.ndarray:
    shape = np.broadcast_shapes(real.shape, imag.shape)
    result = np.empty(shape, WHOLE[_precision(real)].dtype)
    result.real, result.imag = real, imag
    return result


def _precision(array: np.ndarray) -> Precision:
    return Precision.FLOAT64 if array.dtype == np.float64 else Precision.FLOAT32


@operator(pattern=Pattern.ELEMENTWISE, code=2200, reference=_from_parts)
def complex_(real: Value, imag: Value) -> TensorType:
    """The complex numbers real + i imag.

    Types: two FLOAT32 give COMPLEX64, two FLOAT64 COMPLEX128.
    Shapes: broadcast as in NumPy.
    """
    fits = real.precision in WHOLE and real.precision == imag.precision
    require(fits, f"complex of {real.type} and {imag.type}")
    return TensorType(WHOLE[real.precision], broadcast(real.shape, imag.shape))


def part(
    name: str, function: Callable[[np.ndarray], np.ndarray], code: int, summary: str
) -> Operator:
    """An operator that maps complex numbers to real ones."""

    def reference(input: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(function(input)) if input.ndim else np.asarray(function(input))

    def rule(input: Value) -> TensorType:
        require(input.precision.is_complex, f"{name} needs complex numbers, not {input.type}")
        return input.type.with_precision(PARTS[input.precision])

    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: COMPLEX64 gives FLOAT32, COMPLEX128 FLOAT64.\n"
        "    Shapes: that of `input`.\n    "
    )
    return operator(pattern=Pattern.ELEMENTWISE, code=code, reference=reference)(rule)


real = part("real", np.real, 2201, "The real part.")
imag = part("imag", np.imag, 2202, "The imaginary part.")
angle = part("angle", np.angle, 2203, "The angle in radians, from -pi to pi.")


@operator(pattern=Pattern.ELEMENTWISE, code=2205, reference=np.conjugate)
def conj(input: Value) -> TensorType:
    """The complex conjugate: the imaginary part with the other sign.

    Types: COMPLEX64 or COMPLEX128.
    Shapes: that of `input`.
    """
    require(input.precision.is_complex, f"conj needs complex numbers, not {input.type}")
    return input.type


def _as_pairs(input: np.ndarray) -> np.ndarray:
    return np.stack([input.real, input.imag], -1)


@operator(pattern=Pattern.MOVEMENT, code=2206, reference=_as_pairs)
def complex_to_pairs(input: Value) -> TensorType:
    """Complex numbers as pairs of real ones: real and imaginary part are a new last axis.

    Types: COMPLEX64 gives FLOAT32, COMPLEX128 FLOAT64.
    Shapes: that of `input` and an axis of 2.
    """
    require(input.precision.is_complex, f"complex_to_pairs needs complex numbers, not {input.type}")
    return TensorType(PARTS[input.precision], (*input.shape, 2))


def _as_complex(input: np.ndarray) -> np.ndarray:
    return _from_parts(input[..., 0], input[..., 1])


@operator(pattern=Pattern.MOVEMENT, code=2207, reference=_as_complex)
def pairs_to_complex(input: Value) -> TensorType:
    """Pairs of real numbers along the last axis as complex ones.

    Types: FLOAT32 gives COMPLEX64, FLOAT64 COMPLEX128.
    Shapes: the last axis is 2, and goes.
    """
    pairs = input.rank > 0 and (isinstance(input.shape[-1], Expr) or input.shape[-1] == 2)
    require(input.precision in WHOLE and pairs, f"pairs_to_complex of {input.type}")
    return TensorType(WHOLE[input.precision], input.shape[:-1])


def _polar(size: np.ndarray, angle: np.ndarray) -> np.ndarray:
    return _from_parts(size * np.cos(angle), size * np.sin(angle))


@operator(pattern=Pattern.ELEMENTWISE, code=2208, reference=_polar)
def polar(size: Value, angle: Value) -> TensorType:
    """Complex numbers by their distance from 0 and their angle in radians.

    Types: two FLOAT32 give COMPLEX64, two FLOAT64 COMPLEX128.
    Shapes: broadcast as in NumPy.
    """
    fits = size.precision in WHOLE and size.precision == angle.precision
    require(fits, f"polar of {size.type} and {angle.type}")
    return TensorType(WHOLE[size.precision], broadcast(size.shape, angle.shape))


@polar.decomposes(level=Level.ROUNDING)
def _polar_by_parts(size: Value, angle: Value) -> Value:
    from . import unary

    parts = [size * f(angle) for f in (unary.cos, unary.sin)]
    return complex_(*parts)
