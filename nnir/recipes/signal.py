"""Fourier transforms, frames of signals, spectrograms and mel bands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import build
from ..dim import Expr
from ..errors import BadType, NotConstant, Unsupported
from ..model import Value
from ..ops import binary, complex, conv, index, linear, reduce, shape, signal, unary
from ..types import PadMode, Precision
from .padding import pad_by_mode
from .promotion import COMPLEX, DEFAULT_FLOAT, HALVES, category, promote
from .shape import unfold
from .windows import window_positions

FORWARD = {None: 0.0, "backward": 0.0, "ortho": 0.5, "forward": 1.0}
"""By which power of the length a forward transform is divided; an inverse one by the rest."""


def norm_power(norm: str | None, *, inverse: bool) -> float:
    """By which power of the length to divide."""
    if norm not in FORWARD:
        raise Unsupported(f"a Fourier transform with norm={norm!r}")
    return 1 - FORWARD[norm] if inverse else FORWARD[norm]


def floating_numbers(x: Value) -> Value:
    """What PyTorch transforms: floats of 32 bits or more, and complex numbers."""
    if x.precision in HALVES:
        raise BadType(f"a Fourier transform of {x.type}")
    return x if category(x.precision) >= 2 else x.cast(DEFAULT_FLOAT)


def as_pairs(x: Value) -> Value:
    """Numbers, as floats of 32 bits or more, with their parts along a last axis."""
    return complex_pairs(floating_numbers(x))


def fourier_along(pairs: Value, axis: int, length: build.Size | None, *, inverse: bool) -> Value:
    """A transform of one axis that takes and gives whole spectra; the inverse divides."""
    return signal.dft(pairs, _length(pairs, length), [axis], inverse=inverse)


def _length(pairs: Value, length: build.Size | None) -> Value | None:
    return None if length is None else build.vector(pairs.model, [length])


def scale_transform(x: Value, length: build.Size, exponent: float) -> Value:
    """`x` divided by a power of a length."""
    if exponent == 0:
        return x
    if isinstance(length, int):
        return x * float(max(length, 1)) ** -exponent
    whole = unary.cast(length, dtype=x.precision)
    whole = unary.sqrt(whole) if exponent in (0.5, -0.5) else whole
    return (binary.div if exponent > 0 else binary.mul)(x, whole)


def fourier_transform(
    pairs: Value,
    axes: Sequence[int],
    lengths: Sequence[build.Size | None],
    by: float,
    *,
    inverse: bool,
) -> Value:
    """Complex transforms along several axes, divided by a power of the number of elements."""
    count: build.Size = 1
    for axis, length in zip(axes, lengths, strict=True):
        pairs = fourier_along(pairs, axis, length, inverse=inverse)
        count = build.times(count, build.size_of(pairs, axis))
    return scale_transform(pairs, count, by - 1 if inverse else by)


def half_spectrum(pairs: Value, axis: int, length: build.Size | None, by: float) -> Value:
    """The first half of the spectrum of a real signal."""
    count = build.size_of(pairs, axis) if length is None else length
    found = signal.dft(pairs, _length(pairs, length), [axis], onesided=True)
    return scale_transform(found, count, by)


def from_half(pairs: Value, axis: int, length: build.Size | None, by: float) -> Value:
    """The real signal of half a spectrum."""
    count = length
    if count is None:
        count = build.times(build.minus(build.size_of(pairs, axis), 1), 2)
    found = signal.dft(pairs, _length(pairs, count), [axis], inverse=True, onesided=True)
    return shape.squeeze(scale_transform(found, count, by - 1), [found.rank - 1])


def from_pairs(pairs: Value) -> Value:
    """Pairs as complex numbers."""
    return complex.pairs_to_complex(pairs)


def conjugate_pairs(pairs: Value) -> Value:
    """The imaginary part with the other sign."""
    if pairs.shape[-1] == 1:
        return pairs
    return pairs * pairs.model.constant([1, -1], pairs.dtype)


def stft(
    input: Value,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Value | None,
    normalized: bool,
    onesided: bool | None,
    return_complex: bool | None,
    align_to_window: bool | None = None,
) -> Value:
    """Overlapping frames, each weighted and transformed; they are the last axis.

    Aligned to the window, the first one begins at the first sample: what the window hides lies
    before it.
    """
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    x = floating_numbers(input)
    if align_to_window:
        amounts = input.model.constant(np.array([(n_fft - length) // 2] * 2, np.int64))
        x = pad_by_mode(x, amounts, PadMode.CONSTANT)
    frames = unfold(x, -1, n_fft, hop)
    weights = padded_window(window, length, n_fft)
    if weights is not None:
        frames = binary.mul(*promote(frames, weights))
    is_half = frames.precision not in COMPLEX if onesided is None else onesided
    by = 0.5 if normalized else 0.0
    axis = frames.rank - 1
    if is_half:
        found = half_spectrum(as_pairs(frames), axis, None, by)
    else:
        found = fourier_transform(as_pairs(frames), [axis], [None], by, inverse=False)
    perm = (*range(axis - 1), axis, axis - 1, axis + 1)
    turned = shape.transpose(found, perm=perm)
    return from_pairs(turned) if return_complex else turned


def overlap_add(columns: Value, length: build.Size, hop: int, start: int, end: build.Size) -> Value:
    """The sum [n, 1, 1, end - start] of frames that lie `hop` apart."""
    if isinstance(length, int) and isinstance(end, int) and end > length:
        raise Unsupported(f"istft of {length} samples up to {end}")
    size = build.vector(columns.model, [1, length])
    frame = columns.shape[1]
    total = conv.col_2_im(
        columns, size, [1, frame], dilations=(1, 1), pads=(0, 0, 0, 0), strides=(1, hop)
    )
    ends = build.vector(columns.model, [end])
    return index.slice_(total, [3], [start], ends)


def padded_window(window: Value | None, length: int, n_fft: int) -> Value | None:
    """The weights of a frame; a shorter window lies in its middle."""
    if window is None and length == n_fft:
        return None
    before = (n_fft - length) // 2
    behind = n_fft - length - before
    if window is None:
        raise Unsupported(f"stft with win_length={length} and no window")
    return shape.pad(window, [before, behind]) if before + behind else window


def _require_axes(axes: Sequence[int]) -> None:
    if not axes:
        raise BadType("a Fourier transform between real and complex numbers without axes")


def real_to_complex(
    x: Value, axes: list[int], lengths: list[build.Size | None], by: float, *, inverse: bool
) -> Value:
    """Half the spectrum along the last of the axes, then all of it along the others."""
    if x.precision in COMPLEX:
        raise BadType(f"a transform of real numbers, not of {x.type}")
    _require_axes(axes)
    pairs = half_spectrum(as_pairs(x), axes[-1], lengths[-1], by)
    pairs = conjugate_pairs(pairs) if inverse else pairs
    return from_pairs(fourier_transform(pairs, axes[:-1], lengths[:-1], by, inverse=inverse))


def complex_to_real(
    x: Value, axes: list[int], lengths: list[build.Size | None], by: float, *, inverse: bool
) -> Value:
    """The other way round; a forward transform is the inverse one of the conjugates."""
    _require_axes(axes)
    pairs = fourier_transform(as_pairs(x), axes[:-1], lengths[:-1], by, inverse=inverse)
    if pairs.shape[-1] == 1:
        pairs = shape.pad(pairs, [*[0, 0] * (pairs.rank - 1), 0, 1])
    return from_half(pairs if inverse else conjugate_pairs(pairs), axes[-1], lengths[-1], by)


def spectrogram(
    input: Value, *, window_size: int, stride: int, magnitude_squared: bool = False
) -> Value:
    """Frames of a signal [samples, channels] under a Hann window, as sizes of their spectrum."""
    if input.rank != 2 or window_size < 2 or stride < 1:
        raise BadType(f"a spectrogram of {input.type} with windows of {window_size}")
    end = build.minus(build.size_of(input, 0), window_size - 1)
    places = window_positions(end, stride, np.arange(window_size))
    frames = index.gather(shape.transpose(input, perm=(1, 0)), places, axis=1)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window_size) / window_size)
    shaped = frames * input.model.constant(window.astype(input.dtype))
    length = 1 << (window_size - 1).bit_length()
    found = signal.dft(shape.unsqueeze(shaped, [3]), [length], [2], onesided=True)
    squared = reduce.reduce_sum(unary.square(found), [3], keepdim=False)
    return squared if magnitude_squared else unary.sqrt(squared)


def mel_cepstrum(
    spectrogram: Value,
    sample_rate: int,
    *,
    upper_frequency_limit: float = 4000.0,
    lower_frequency_limit: float = 20.0,
    filterbank_channel_count: int = 40,
    dct_coefficient_count: int = 13,
) -> Value:
    """The cosine transform of the logarithm of mel bands of a squared spectrogram."""
    count = spectrogram.shape[-1]
    if isinstance(count, Expr):
        raise NotConstant(f"the cepstrum of {spectrogram.type}")
    limits = (lower_frequency_limit, upper_frequency_limit)
    bands = mel_bands(count, sample_rate, filterbank_channel_count, *limits)
    steps = np.arange(filterbank_channel_count) + 0.5
    turns = np.outer(steps, np.arange(dct_coefficient_count)) * np.pi / filterbank_channel_count
    cosines = np.sqrt(2 / filterbank_channel_count) * np.cos(turns)
    model, kind = spectrogram.model, spectrogram.dtype
    heard = linear.mat_mul(unary.sqrt(spectrogram), model.constant(bands.astype(kind)))
    loud = unary.log(binary.max_(heard, model.constant(1e-12, kind)))
    return linear.mat_mul(loud, model.constant(cosines.astype(kind)))


def mel_scale(frequency: np.ndarray) -> np.ndarray:
    """The mel scale: 1127 ln(1 + f / 700)."""
    return 1127 * np.log1p(frequency / 700)


def mel_bands(count: int, rate: int, channels: int, lower: float, upper: float) -> np.ndarray:
    """How much of each frequency each band hears: triangles between the centres of the bands."""
    if count < 2 or channels < 1 or not 0 <= lower < upper:
        raise BadType(f"{channels} mel bands between {lower} and {upper} of {count} frequencies")
    low, high = mel_scale(np.array([lower, upper]))
    centres = low + (high - low) / (channels + 1) * np.arange(channels + 2)
    width = 0.5 * rate / (count - 1)
    first, last = int(1.5 + lower / width), int(upper / width)
    if rate < 1 or last >= count:  # TensorFlow and LiteRT compute nothing, and say so in a log
        raise BadType(f"mel bands up to {upper} Hz of {count} frequencies at {rate} Hz")
    places = mel_scale(np.arange(count) * width)
    # the band below each place: of equal ones the one before, as TensorFlow searches
    below = np.searchsorted(centres[1:], places, side="left")
    bands = np.zeros((count, channels + 2))
    for k in range(first, last + 1):
        band = min(int(below[k]), channels)
        share = (centres[band + 1] - places[k]) / (centres[band + 1] - centres[band])
        bands[k, band], bands[k, band + 1] = share, 1 - share
    return bands[:, 1:-1]


def complex_pairs(x: Value, axes: int = 0) -> Value:
    """Real or complex numbers, with so many axes at least, with their parts along a last axis."""
    if x.rank < axes:
        raise BadType(f"a transform of {axes} axes of {x.type}")
    if x.precision.is_complex:
        return complex.complex_to_pairs(x)
    return shape.unsqueeze(x, [x.rank])


def join_pairs(pairs: Value, kind: Precision) -> Value:
    """Pairs as complex numbers."""
    made: Value = complex.pairs_to_complex(pairs)
    if made.precision != kind:
        raise BadType(f"a transform to {kind.name} that gives {made.type}")
    return made


def transform_axes(
    pairs: Value, axes: Sequence[tuple[int, Value | None]], *, inverse: bool
) -> Value:
    """Complex transforms along some axes, each of its own length or of a given one."""
    for axis, length in axes:
        pairs = signal.dft(pairs, length, [axis], inverse=inverse)
    return pairs


def transform_lengths(x: Value, fft_length: Value, count: int) -> list[Value]:
    """The length of the transform along each axis."""
    lengths = build.elements(fft_length)
    if len(lengths) != count:
        raise BadType(f"{len(lengths)} lengths for a transform of {count} axes")
    return [build.vector(x.model, [n]) for n in lengths]


def transform_real(x: Value, fft_length: Value, count: int, precision: Precision) -> Value:
    """The first half of the spectrum of real numbers over the last `count` axes."""
    lengths = transform_lengths(x, fft_length, count)
    pairs, first = complex_pairs(x, count), x.rank - count
    half = signal.dft(pairs, lengths[-1], [x.rank - 1], onesided=True)
    others = [(first + k, n) for k, n in enumerate(lengths[:-1])]
    return join_pairs(transform_axes(half, others, inverse=False), precision)
