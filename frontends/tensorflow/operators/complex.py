"""TensorFlow's complex numbers."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import binary, complex
from nnir.types import Precision

from ...table import Table

table = Table()


def _as(x: Value, kind: Precision) -> Value:
    """The result, whose type follows from the operands; the attribute repeats it."""
    if x.precision != kind:
        raise BadType(f"{kind.name} of an operator that gives {x.type}")
    return x


@table.convert("Complex")
def complex_(
    real: Value,
    imag: Value,
    *,
    Tout: Precision = Precision.COMPLEX64,  # noqa: N803
) -> Value:
    return _as(complex.complex_(real, imag), Tout)


@table.convert("ComplexAbs")
def complex_abs(x: Value, *, Tout: Precision = Precision.FLOAT32) -> Value:  # noqa: N803
    return _as(binary.hypot(complex.real(x), complex.imag(x)), Tout)


@table.convert("Real")
def real(input: Value, *, Tout: Precision = Precision.FLOAT32) -> Value:  # noqa: N803
    return _as(complex.real(input), Tout)


@table.convert("Imag")
def imag(input: Value, *, Tout: Precision = Precision.FLOAT32) -> Value:  # noqa: N803
    return _as(complex.imag(input), Tout)


@table.convert("Conj")
def conj(input: Value) -> Value:
    return complex.conj(input) if input.precision.is_complex else input


@table.convert("Angle")
def angle(input: Value, *, Tout: Precision = Precision.FLOAT32) -> Value:  # noqa: N803
    return _as(binary.atan2(complex.imag(input), complex.real(input)), Tout)
