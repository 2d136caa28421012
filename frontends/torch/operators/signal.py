"""ATen Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.broadcast import axes_of, axis_of, ints
from nnir.errors import BadType, NotConstant
from nnir.model import Index, Value
from nnir.ops import index, shape
from nnir.recipes.promotion import COMPLEX, DEFAULT_FLOAT, complex_of
from nnir.recipes.signal import (
    as_pairs,
    complex_to_real,
    floating_numbers,
    fourier_transform,
    from_pairs,
    norm_power,
    real_to_complex,
)
from nnir.types import Precision

from ...table import Table
from ...translate import Translator
from . import frames, window
from .fourier import inner_power

table = Table()


def size_given(n: Value | None) -> build.Size | None:
    """A length that is a number, or one that the graph computes."""
    if n is None:
        return None
    known = ints(n)
    return known[0] if known is not None else shape.reshape(n, [1])


def _one_axis(name: str, *, inverse: bool) -> None:
    """fft and ifft, fft2, fftn and their inverses."""

    @table.convert(f"aten.fft_{name}.default")
    def convert(
        self: Value, n: Index | None = None, dim: int = -1, norm: str | None = None
    ) -> Value:
        axis = axis_of(dim, self.rank)
        by = norm_power(norm, inverse=inverse)
        pairs = fourier_transform(as_pairs(self), [axis], [size_given(n)], by, inverse=inverse)
        return from_pairs(pairs)

    @table.convert(f"aten.fft_{name}2.default")
    def planes(
        self: Value,
        s: Index | None = None,
        dim: tuple[int, ...] = (-2, -1),
        norm: str | None = None,
    ) -> Value:
        return all_axes(self, s, dim, norm)

    @table.convert(f"aten.fft_{name}n.default")
    def all_axes(
        self: Value,
        s: Index | None = None,
        dim: tuple[int, ...] | None = None,
        norm: str | None = None,
    ) -> Value:
        axes, lengths = _axes(self, s, dim)
        by = norm_power(norm, inverse=inverse)
        if not axes:
            x = floating_numbers(self)
            return x if x.precision in COMPLEX else x.cast(complex_of(x.precision))
        return from_pairs(fourier_transform(as_pairs(self), axes, lengths, by, inverse=inverse))


_one_axis("fft", inverse=False)
_one_axis("ifft", inverse=True)


def _axes(
    x: Value, s: Value | None, dim: Sequence[int] | None
) -> tuple[list[int], list[build.Size | None]]:
    """The axes to transform, and the lengths that they get where that is said."""
    given: list[build.Size | None] = []
    if s is not None:
        known = ints(s)
        if known is None:
            raise NotConstant("a Fourier transform of sizes that are only known while running")
        given = [None if n == -1 else n for n in known]
    if dim is not None:
        axes = list(axes_of(dim, x.rank))
    else:
        axes = list(range(x.rank - len(given) if s is not None else 0, x.rank))
    if s is None:
        given = [None] * len(axes)
    if len(given) != len(axes):
        raise BadType(f"a Fourier transform of {len(axes)} axes with {len(given)} sizes")
    return axes, given


def _half_family(name: str, *, is_real: bool, inverse: bool) -> None:
    """Transforms between real numbers and half a spectrum."""
    function = real_to_complex if is_real else complex_to_real

    @table.convert(f"aten.fft_{name}.default")
    def convert(
        self: Value, n: Index | None = None, dim: int = -1, norm: str | None = None
    ) -> Value:
        axis = axis_of(dim, self.rank)
        by = norm_power(norm, inverse=inverse)
        return function(self, [axis], [size_given(n)], by, inverse=inverse)

    @table.convert(f"aten.fft_{name}2.default")
    def planes(
        self: Value,
        s: Index | None = None,
        dim: tuple[int, ...] = (-2, -1),
        norm: str | None = None,
    ) -> Value:
        return all_axes(self, s, dim, norm)

    @table.convert(f"aten.fft_{name}n.default")
    def all_axes(
        self: Value,
        s: Index | None = None,
        dim: tuple[int, ...] | None = None,
        norm: str | None = None,
    ) -> Value:
        axes, lengths = _axes(self, s, dim)
        return function(self, axes, lengths, norm_power(norm, inverse=inverse), inverse=inverse)


_half_family("rfft", is_real=True, inverse=False)
_half_family("irfft", is_real=False, inverse=True)
_half_family("hfft", is_real=False, inverse=False)
_half_family("ihfft", is_real=True, inverse=True)


@table.convert("aten._fft_c2c.default")
def fft_c2c(self: Value, dim: tuple[int, ...], normalization: int, forward: bool) -> Value:
    axes = axes_of(dim, self.rank)
    none: list[build.Size | None] = [None] * len(axes)
    by = inner_power(normalization)
    return from_pairs(fourier_transform(as_pairs(self), axes, none, by, inverse=not forward))


@table.convert("aten._fft_r2c.default")
def fft_r2c(self: Value, dim: tuple[int, ...], normalization: int, onesided: bool) -> Value:
    axes = list(axes_of(dim, self.rank))
    none: list[build.Size | None] = [None] * len(axes)
    by = inner_power(normalization)
    if onesided:
        return real_to_complex(self, axes, none, by, inverse=False)
    return from_pairs(fourier_transform(as_pairs(self), axes, none, by, inverse=False))


@table.convert("aten._fft_c2r.default")
def fft_c2r(self: Value, dim: tuple[int, ...], normalization: int, last_dim_size: Index) -> Value:
    axes = list(axes_of(dim, self.rank))
    lengths: list[build.Size | None] = [None] * (len(axes) - 1)
    by = inner_power(normalization)
    return complex_to_real(self, axes, [*lengths, size_given(last_dim_size)], by, inverse=True)


def _shift(x: Value, dim: tuple[int, ...] | None, *, back: bool) -> Value:
    axes = list(range(x.rank)) if dim is None else list(axes_of(dim, x.rank))
    shifts = []
    for axis in axes:
        size = build.size_of(x, axis)
        shifts.append(build.over(build.plus(size, 1) if back else size, 2))
    return index.roll(x, build.vector(x.model, shifts), axes)


@table.convert("aten.fft_fftshift.default")
def fftshift(self: Value, dim: tuple[int, ...] | None = None) -> Value:
    return _shift(self, dim, back=False)


@table.convert("aten.fft_ifftshift.default")
def ifftshift(self: Value, dim: tuple[int, ...] | None = None) -> Value:
    return _shift(self, dim, back=True)


@table.convert("aten.fft_fftfreq.default")
def fftfreq(
    n: int, d: float = 1.0, *, dtype: Precision | None = None, translator: Translator
) -> Value:
    frequencies = np.fft.fftfreq(len(build.arange(n)), d).astype((dtype or DEFAULT_FLOAT).dtype)
    return translator.model.constant(frequencies)


@table.convert("aten.fft_rfftfreq.default")
def rfftfreq(
    n: int, d: float = 1.0, *, dtype: Precision | None = None, translator: Translator
) -> Value:
    frequencies = np.fft.rfftfreq(len(build.arange(n)), d).astype((dtype or DEFAULT_FLOAT).dtype)
    return translator.model.constant(frequencies)


table = Table.merge([table, frames.table, window.table])
