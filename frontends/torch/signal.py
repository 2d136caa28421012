"""ATen Fourier transforms. They run on pairs: real and imaginary part are the last axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.broadcast import axes_of, axis_of, ints
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import binary, complex, index, shape, signal, sizes, unary
from nnir.ops.sizes import Size
from nnir.types import PadMode, Precision

from ..precision import cast_to
from ..table import Table
from ..translate import Translator
from . import window
from .padding import padded
from .promotion import COMPLEX, DEFAULT_FLOAT, HALVES, category, complex_of, promoted
from .rearranging import unfold
from .sizes import steps_to

table = Table()
FORWARD = {None: 0.0, "backward": 0.0, "ortho": 0.5, "forward": 1.0}
"""By which power of the length a forward transform is divided; an inverse one by the rest."""

NORMALIZATIONS = (0.0, 0.5, 1.0)
"""The same for the numbers 0, 1 and 2 of the inner operators, for either direction."""


def power(norm: str | None, *, inverse: bool) -> float:
    """By which power of the length to divide."""
    if norm not in FORWARD:
        raise Unsupported(f"a Fourier transform with norm={norm!r}")
    return 1 - FORWARD[norm] if inverse else FORWARD[norm]


def _inner(normalization: int) -> float:
    match normalization:
        case 0 | 1 | 2:
            return NORMALIZATIONS[normalization]
    raise Unsupported(f"a Fourier transform with normalization={normalization!r}")


def numbers(x: Value) -> Value:
    """What PyTorch transforms: floats of 32 bits or more, and complex numbers."""
    if x.precision in HALVES:
        raise BadType(f"a Fourier transform of {x.type}")
    return x if category(x.precision) >= 2 else cast_to(x, DEFAULT_FLOAT)


def pairs_of(x: Value) -> Value:
    """Real or complex numbers with their parts along a last axis."""
    x = numbers(x)
    if x.precision in COMPLEX:
        pairs: Value = complex.complex_to_pairs(x)
        return pairs
    return shape.unsqueeze(x, [x.rank])


def along(pairs: Value, axis: int, length: Size | None, *, inverse: bool) -> Value:
    """A transform of one axis that takes and gives whole spectra; the inverse divides."""
    return signal.dft(pairs, _length(pairs, length), [axis], inverse=inverse)


def _length(pairs: Value, length: Size | None) -> Value | None:
    return None if length is None else sizes.vector(pairs.model, [length])


def scaled(x: Value, length: Size, exponent: float) -> Value:
    """`x` divided by a power of a length."""
    if exponent == 0:
        return x
    if isinstance(length, int):
        return binary.mul(x, x.model.constant(float(max(length, 1)) ** -exponent, x.dtype))
    whole = unary.cast(length, dtype=x.precision)
    whole = unary.sqrt(whole) if exponent in (0.5, -0.5) else whole
    return (binary.div if exponent > 0 else binary.mul)(x, whole)


def transformed(
    pairs: Value, axes: Sequence[int], lengths: Sequence[Size | None], by: float, *, inverse: bool
) -> Value:
    """Complex transforms along several axes, divided by a power of the number of elements."""
    count: Size = 1
    for axis, length in zip(axes, lengths, strict=True):
        pairs = along(pairs, axis, length, inverse=inverse)
        count = sizes.times(count, sizes.size_of(pairs, axis))
    return scaled(pairs, count, by - 1 if inverse else by)


def half(pairs: Value, axis: int, length: Size | None, by: float) -> Value:
    """The first half of the spectrum of a real signal."""
    count = sizes.size_of(pairs, axis) if length is None else length
    found = signal.dft(pairs, _length(pairs, length), [axis], onesided=True)
    return scaled(found, count, by)


def from_half(pairs: Value, axis: int, length: Size | None, by: float) -> Value:
    """The real signal of half a spectrum."""
    count = length
    if count is None:
        count = sizes.times(sizes.minus(sizes.size_of(pairs, axis), 1), 2)
    found = signal.dft(pairs, _length(pairs, count), [axis], inverse=True, onesided=True)
    return shape.squeeze(scaled(found, count, by - 1), [found.rank - 1])


def whole(pairs: Value) -> Value:
    """Pairs as complex numbers."""
    result: Value = complex.pairs_to_complex(pairs)
    return result


def conjugated(pairs: Value) -> Value:
    """The imaginary part with the other sign."""
    if pairs.shape[-1] == 1:
        return pairs
    return binary.mul(pairs, pairs.model.constant([1, -1], pairs.dtype))


def size_given(n: Value | None) -> Size | None:
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
        by = power(norm, inverse=inverse)
        pairs = transformed(pairs_of(self), [axis], [size_given(n)], by, inverse=inverse)
        return whole(pairs)

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
        by = power(norm, inverse=inverse)
        if not axes:
            x = numbers(self)
            return x if x.precision in COMPLEX else cast_to(x, complex_of(x.precision))
        return whole(transformed(pairs_of(self), axes, lengths, by, inverse=inverse))


_one_axis("fft", inverse=False)
_one_axis("ifft", inverse=True)


def _axes(
    x: Value, s: Value | None, dim: Sequence[int] | None
) -> tuple[list[int], list[Size | None]]:
    """The axes to transform, and the lengths that they get where that is said."""
    given: list[Size | None] = []
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


def _require_axes(axes: Sequence[int]) -> None:
    if not axes:
        raise BadType("a Fourier transform between real and complex numbers without axes")


def real_to_complex(
    x: Value, axes: list[int], lengths: list[Size | None], by: float, *, inverse: bool
) -> Value:
    """Half the spectrum along the last of the axes, then all of it along the others."""
    if x.precision in COMPLEX:
        raise BadType(f"a transform of real numbers, not of {x.type}")
    _require_axes(axes)
    pairs = half(pairs_of(x), axes[-1], lengths[-1], by)
    pairs = conjugated(pairs) if inverse else pairs
    return whole(transformed(pairs, axes[:-1], lengths[:-1], by, inverse=inverse))


def complex_to_real(
    x: Value, axes: list[int], lengths: list[Size | None], by: float, *, inverse: bool
) -> Value:
    """The other way round; a forward transform is the inverse one of the conjugates."""
    _require_axes(axes)
    pairs = transformed(pairs_of(x), axes[:-1], lengths[:-1], by, inverse=inverse)
    if pairs.shape[-1] == 1:
        pairs = shape.pad(pairs, [*[0, 0] * (pairs.rank - 1), 0, 1])
    return from_half(pairs if inverse else conjugated(pairs), axes[-1], lengths[-1], by)


def _half_family(name: str, *, is_real: bool, inverse: bool) -> None:
    """Transforms between real numbers and half a spectrum."""
    function = real_to_complex if is_real else complex_to_real

    @table.convert(f"aten.fft_{name}.default")
    def convert(
        self: Value, n: Index | None = None, dim: int = -1, norm: str | None = None
    ) -> Value:
        axis = axis_of(dim, self.rank)
        by = power(norm, inverse=inverse)
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
        return function(self, axes, lengths, power(norm, inverse=inverse), inverse=inverse)


_half_family("rfft", is_real=True, inverse=False)
_half_family("irfft", is_real=False, inverse=True)
_half_family("hfft", is_real=False, inverse=False)
_half_family("ihfft", is_real=True, inverse=True)


@table.convert("aten._fft_c2c.default")
def fft_c2c(self: Value, dim: tuple[int, ...], normalization: int, forward: bool) -> Value:
    axes = axes_of(dim, self.rank)
    none: list[Size | None] = [None] * len(axes)
    by = _inner(normalization)
    return whole(transformed(pairs_of(self), axes, none, by, inverse=not forward))


@table.convert("aten._fft_r2c.default")
def fft_r2c(self: Value, dim: tuple[int, ...], normalization: int, onesided: bool) -> Value:
    axes = list(axes_of(dim, self.rank))
    none: list[Size | None] = [None] * len(axes)
    by = _inner(normalization)
    if onesided:
        return real_to_complex(self, axes, none, by, inverse=False)
    return whole(transformed(pairs_of(self), axes, none, by, inverse=False))


@table.convert("aten._fft_c2r.default")
def fft_c2r(self: Value, dim: tuple[int, ...], normalization: int, last_dim_size: Index) -> Value:
    axes = list(axes_of(dim, self.rank))
    lengths: list[Size | None] = [None] * (len(axes) - 1)
    by = _inner(normalization)
    return complex_to_real(self, axes, [*lengths, size_given(last_dim_size)], by, inverse=True)


def _shifted(x: Value, dim: tuple[int, ...] | None, *, back: bool) -> Value:
    axes = list(range(x.rank)) if dim is None else list(axes_of(dim, x.rank))
    if not axes:
        return x
    shifts = []
    for axis in axes:
        size = sizes.size_of(x, axis)
        shifts.append(sizes.over(sizes.plus(size, 1) if back else size, 2))
    return index.roll(x, sizes.vector(x.model, shifts), axes)


@table.convert("aten.fft_fftshift.default")
def fftshift(self: Value, dim: tuple[int, ...] | None = None) -> Value:
    return _shifted(self, dim, back=False)


@table.convert("aten.fft_ifftshift.default")
def ifftshift(self: Value, dim: tuple[int, ...] | None = None) -> Value:
    return _shifted(self, dim, back=True)


@table.convert("aten.fft_fftfreq.default")
def fftfreq(
    n: int, d: float = 1.0, *, dtype: Precision | None = None, translator: Translator
) -> Value:
    frequencies = np.fft.fftfreq(len(steps_to(n)), d).astype((dtype or DEFAULT_FLOAT).dtype)
    return translator.model.constant(frequencies)


@table.convert("aten.fft_rfftfreq.default")
def rfftfreq(
    n: int, d: float = 1.0, *, dtype: Precision | None = None, translator: Translator
) -> Value:
    frequencies = np.fft.rfftfreq(len(steps_to(n)), d).astype((dtype or DEFAULT_FLOAT).dtype)
    return translator.model.constant(frequencies)


@table.convert("aten.stft.center")
def stft_center(
    self: Value,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Value | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Value:
    """The first frame is centred on the first sample: the signal grows on both sides."""
    modes = {"reflect": PadMode.REFLECT, "replicate": PadMode.EDGE, "constant": PadMode.CONSTANT}
    modes["circular"] = PadMode.WRAP
    if pad_mode not in modes:
        raise Unsupported(f"stft with pad_mode={pad_mode!r}")
    x = self
    if center:
        amounts = self.model.constant(np.array([n_fft // 2] * 2, np.int64))
        x = padded(self, amounts, modes[pad_mode])
    return stft(
        x,
        n_fft,
        hop_length,
        win_length,
        window,
        normalized,
        onesided,
        return_complex,
        align_to_window,
    )


@table.convert("aten.stft.default")
def stft(
    self: Value,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Value | None = None,
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Value:
    """Overlapping frames, each weighted and transformed; they are the last axis."""
    if align_to_window:
        raise Unsupported("stft with align_to_window=True")
    hop = n_fft // 4 if hop_length is None else hop_length
    frames = unfold(numbers(self), -1, n_fft, hop)
    weights = _window(window, n_fft if win_length is None else win_length, n_fft)
    if weights is not None:
        frames = binary.mul(*promoted(frames, weights))
    is_half = frames.precision not in COMPLEX if onesided is None else onesided
    by = 0.5 if normalized else 0.0
    axis = frames.rank - 1
    if is_half:
        found = half(pairs_of(frames), axis, None, by)
    else:
        found = transformed(pairs_of(frames), [axis], [None], by, inverse=False)
    perm = (*range(axis - 1), axis, axis - 1, axis + 1)
    turned = shape.transpose(found, perm=perm)
    return whole(turned) if return_complex else turned


def _window(window: Value | None, length: int, n_fft: int) -> Value | None:
    """The weights of a frame; a shorter window lies in its middle."""
    if window is None and length == n_fft:
        return None
    before = (n_fft - length) // 2
    behind = n_fft - length - before
    if window is None:
        raise Unsupported(f"stft with win_length={length} and no window")
    return shape.pad(window, [before, behind]) if before + behind else window


table = Table.merge([table, window.table])
