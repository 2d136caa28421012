"""ATen operators on complex numbers."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import complex
from nnir.recipes.promotion import COMPLEX

from ...table import Table
from .shape import conjugate

table = Table()
table.same({"aten.complex.default": complex.complex_, "aten.polar.default": complex.polar})
table.same({"aten.view_as_real.default": complex.complex_to_pairs})
table.same({"aten.view_as_complex.default": complex.pairs_to_complex})


@table.convert("aten.real.default")
def real(self: Value) -> Value:
    return complex.real(self) if self.precision in COMPLEX else self


@table.convert("aten.imag.default")
def imag(self: Value) -> Value:
    if self.precision not in COMPLEX:
        raise BadType(f"imag of {self.type}, not of complex numbers")
    return complex.imag(self)


@table.convert("aten.conj_physical.default", "aten._conj_physical.default")
def conj_physical(self: Value) -> Value:
    return conjugate(self)


@table.convert("aten.conj.default", "aten._conj.default")
def conj(self: Value) -> Value:
    return conjugate(self)


@table.convert("aten.resolve_conj.default", "aten.resolve_neg.default")
def resolve(self: Value) -> Value:
    """PyTorch delays these; here nothing is left to do."""
    return self


@table.convert("aten._neg_view.default")
def neg_view(self: Value) -> Value:
    return -self
