"""Spectrograms, mel bands and transforms of real numbers, as TensorFlow and TFLite have them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import build
from ..dim import Expr
from ..errors import BadType, NotConstant
from ..model import Value
from ..ops import binary, complex, index, linear, reduce, shape, signal, unary
from ..types import Precision
from .windows import window_positions


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
    places = mel_scale(np.arange(count) * width)
    # the band below each place: of equal ones the one before, as TensorFlow searches
    below = np.searchsorted(centres[1:], places, side="left")
    bands = np.zeros((count, channels + 2))
    for k in range(first, min(last, count - 1) + 1):
        band = min(int(below[k]), channels)
        share = (centres[band + 1] - places[k]) / (centres[band + 1] - centres[band])
        bands[k, band], bands[k, band + 1] = share, 1 - share
    return bands[:, 1:-1]


def complex_pairs(x: Value, axes: int) -> Value:
    """Real or complex numbers with their parts along a last axis."""
    if x.rank < axes:
        raise BadType(f"a transform of {axes} axes of {x.type}")
    if complex.is_complex(x):
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
