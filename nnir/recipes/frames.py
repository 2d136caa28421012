"""Frames of signals, windows of cosines and mel bands, whose sizes may be open."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .. import build
from ..errors import BadType
from ..model import Index, Value
from ..ops import compare, generate, index, shape, unary
from ..ops import signal as transforms
from ..types import Precision
from .index import as_vector

SINGLE, WIDE = Precision.FLOAT32, Precision.FLOAT64


def transform_frames(
    signal: Value,
    frame_step: Index,
    window: Value | None = None,
    frame_length: Index | None = None,
    *,
    onesided: bool = True,
) -> Value:
    """Overlapping frames of a signal [batch, length, parts], weighted and transformed, [batch,
    frames, bins, 2]; without a window they are `frame_length` long."""
    signal = shape.unsqueeze(signal, [2]) if signal.rank == 2 else signal
    if signal.rank != 3 or (onesided and signal.shape[-1] == 2):
        raise BadType(f"frames with onesided={int(onesided)} of {signal.type}")
    given = frame_length if window is None else window.size(0)
    if given is None:
        raise BadType("frames without window and frame_length")
    length = as_vector(build.int64(given))
    step = as_vector(build.int64(frame_step))
    count = (as_vector(signal.size(1)) - length) / step + 1
    where = shape.unsqueeze(_steps(count) * step, [1]) + _steps(length)
    frames = index.gather(signal, where, axis=1)
    if window is not None:
        frames = frames * shape.unsqueeze(window, [1])
    return transforms.dft(frames, None, [2], onesided=onesided)


def _steps(count: Value) -> Value:
    """The numbers 0, 1, ... below a count."""
    return generate.range_([0], count, [1])


def make_cosine_window(
    weights: Sequence[float],
    size: Index,
    *,
    output_datatype: Precision = SINGLE,
    periodic: bool = True,
) -> Value:
    """The sum of weights[k] * cos(2 pi k n / N) over a window of N (or N - 1) steps."""
    count = as_vector(build.int64(size))
    whole = count if periodic else count - 1
    turn = _steps(count).cast(WIDE) * (2 * math.pi) / whole.cast(WIDE)
    total = unary.cos(turn) * weights[1] + weights[0]
    for k, weight in enumerate(weights[2:], 2):
        total = unary.cos(turn * k) * weight + total
    return total.cast(output_datatype)


def mel_weight_matrix(
    num_mel_bins: Index,
    dft_length: Index,
    sample_rate: Value,
    lower_edge_hertz: Value,
    upper_edge_hertz: Value,
    *,
    output_datatype: Precision = SINGLE,
) -> Value:
    """Triangles over the frequencies of a transform [dft_length / 2 + 1, num_mel_bins], evenly
    spaced on the mel scale."""
    count, length = (as_vector(build.int64(v)) for v in (num_mel_bins, dft_length))
    points = count + 2
    low, high = (_mel(v) for v in (lower_edge_hertz, upper_edge_hertz))
    step = (high - low) / points.cast(WIDE)
    mels = _steps(points).cast(WIDE) * step + low
    hertz = (unary.exp(mels * (math.log(10) / 2595)) - 1) * 700
    turns = (length + 1).cast(WIDE) * hertz
    bins = unary.floor(turns / as_vector(sample_rate).cast(WIDE)).cast(Precision.INT64)
    rows = shape.unsqueeze(_steps(length / 2 + 1), [1])
    return _triangles(rows, bins, count).cast(output_datatype)


def _mel(hertz: Value) -> Value:
    ratio = as_vector(hertz).cast(WIDE) / 700 + 1
    return unary.log(ratio) * (2595 / math.log(10))


def _triangles(rows: Value, bins: Value, count: Value) -> Value:
    """From bins[i] up to 1 at bins[i + 1] and down to bins[i + 2], for each column i."""
    left, centre, right = (index.slice_(bins, [0], [k], count + k) for k in range(3))
    rising = (rows - left).cast(WIDE) / (centre - left).cast(WIDE)
    falling = (right - rows).cast(WIDE) / (right - centre).cast(WIDE)
    before = (left <= rows) & (rows < centre)
    behind = (centre < rows) & (rows < right)
    sides = compare.where(before, rising, compare.where(behind, falling, 0))
    return compare.where(compare.equal(rows, centre), 1, sides)
