"""TensorFlow's features of sound: spectrograms, and the cepstrum of their mel bands."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Value
from nnir.ops import binary, index, linear, reduce, shape, signal, unary

from ..table import Table
from .patches import places_of

table = Table()


@table.convert("AudioSpectrogram")
def audio_spectrogram(
    input: Value, *, window_size: int, stride: int, magnitude_squared: bool = False
) -> Value:
    """Frames of a signal [samples, channels] under a Hann window, as sizes of their spectrum."""
    if input.rank != 2 or window_size < 2 or stride < 1:
        raise BadType(f"a spectrogram of {input.type} with windows of {window_size}")
    end = build.minus(build.size_of(input, 0), window_size - 1)
    places = places_of(end, stride, np.arange(window_size))
    frames = index.gather(shape.transpose(input, perm=(1, 0)), places, axis=1)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window_size) / window_size)
    shaped = frames * input.model.constant(window.astype(input.dtype))
    length = 1 << (window_size - 1).bit_length()
    found = signal.dft(shape.unsqueeze(shaped, [3]), [length], [2], onesided=True)
    squared = reduce.reduce_sum(unary.square(found), [3], keepdim=False)
    return squared if magnitude_squared else unary.sqrt(squared)


@table.convert("Mfcc")
def mfcc(
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


def mel(frequency: np.ndarray) -> np.ndarray:
    """The mel scale: 1127 ln(1 + f / 700)."""
    return 1127 * np.log1p(frequency / 700)


def mel_bands(count: int, rate: int, channels: int, lower: float, upper: float) -> np.ndarray:
    """How much of each frequency each band hears: triangles between the centres of the bands."""
    if count < 2 or channels < 1 or not 0 <= lower < upper:
        raise BadType(f"{channels} mel bands between {lower} and {upper} of {count} frequencies")
    low, high = mel(np.array([lower, upper]))
    centres = low + (high - low) / (channels + 1) * np.arange(channels + 2)
    width = 0.5 * rate / (count - 1)
    first, last = int(1.5 + lower / width), int(upper / width)
    places = mel(np.arange(count) * width)
    # the band below each place: of equal ones the one before, as TensorFlow searches
    below = np.searchsorted(centres[1:], places, side="left")
    bands = np.zeros((count, channels + 2))
    for k in range(first, min(last, count - 1) + 1):
        band = min(int(below[k]), channels)
        share = (centres[band + 1] - places[k]) / (centres[band + 1] - centres[band])
        bands[k, band], bands[k, band + 1] = share, 1 - share
    return bands[:, 1:-1]
