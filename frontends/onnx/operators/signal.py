"""ONNX signal processing."""

from __future__ import annotations

import math

import numpy as np

from nnir import build
from nnir.errors import BadType
from nnir.formats.onnx import precision_of_code
from nnir.model import Index, Value
from nnir.ops import binary, compare, generate, index, unary
from nnir.ops import shape as ops
from nnir.ops import signal as transforms
from nnir.types import Precision

from ...table import Table
from .shape import int64

table = Table()


@table.convert("DFT")
def dft_17(
    input: Value,
    dft_length: Value | None = None,
    *,
    axis: int = 1,
    inverse: int = 0,
    onesided: int = 0,
) -> Value:
    return dft(
        input,
        dft_length,
        input.model.constant(axis, np.int64),
        inverse=inverse,
        onesided=onesided,
    )


@table.convert("DFT", since=20)
def dft(
    input: Value,
    dft_length: Index | None = None,
    axis: Index | None = None,
    *,
    inverse: int = 0,
    onesided: int = 0,
) -> Value:
    if onesided and not inverse and input.shape[-1] == 2:
        raise BadType(f"DFT with onesided=1 of a complex signal {input.type}")
    return transforms.dft(input, dft_length, axis, inverse=bool(inverse), onesided=bool(onesided))


@table.convert("STFT")
def stft(
    signal: Value,
    frame_step: Value,
    window: Value | None = None,
    frame_length: Value | None = None,
    *,
    onesided: int = 1,
) -> Value:
    """Take overlapping frames, weight them and transform each."""
    if signal.rank == 2:
        signal = ops.unsqueeze(signal, [2])
    if signal.rank != 3:
        raise BadType(f"STFT of {signal.type}, not [batch, samples, parts]")
    if onesided and signal.shape[-1] == 2:
        raise BadType(f"STFT with onesided=1 of a complex signal {signal.type}")
    length = _frame_length(signal, window, frame_length)
    step = ops.reshape(int64(frame_step), [1])
    samples = build.vector(signal.model, [build.size_of(signal, 1)])
    count = (samples - length) / step + 1
    starts = generate.range_([0], count, [1]) * step
    where = ops.unsqueeze(starts, [1]) + generate.range_([0], length, [1])
    frames = index.gather(signal, where, axis=1)
    if window is not None:
        frames = frames * ops.unsqueeze(window, [1])
    return transforms.dft(frames, None, [2], inverse=False, onesided=bool(onesided))


def _frame_length(signal: Value, window: Value | None, frame_length: Value | None) -> Value:
    if window is not None:
        return build.vector(signal.model, [build.size_of(window, 0)])
    if frame_length is None:
        raise BadType("STFT without window and frame_length")
    return ops.reshape(int64(frame_length), [1])


def _cosines(size: Value, periodic: int, output_datatype: int, *weights: float) -> Value:
    """The sum of weights[k] * cos(2 pi k n / N) over a window of N (or N - 1) steps."""
    model = size.model
    count = ops.reshape(int64(size), [1])
    steps = unary.cast(generate.range_([0], count, [1]), dtype=Precision.FLOAT64)
    whole = unary.cast(count, dtype=Precision.FLOAT64)
    if not periodic:
        whole = whole - model.constant([1.0])
    turn = steps * model.constant([2 * math.pi]) / whole
    total = model.constant([weights[0]])
    for k, weight in enumerate(weights[1:], 1):
        wave = unary.cos(turn * model.constant([float(k)]))
        total = wave * model.constant([weight]) + total
    return unary.cast(total, dtype=precision_of_code(output_datatype))


@table.convert("HannWindow")
def hann_window(size: Value, *, output_datatype: int = 1, periodic: int = 1) -> Value:
    return _cosines(size, periodic, output_datatype, 0.5, -0.5)


@table.convert("HammingWindow")
def hamming_window(size: Value, *, output_datatype: int = 1, periodic: int = 1) -> Value:
    return _cosines(size, periodic, output_datatype, 25 / 46, -21 / 46)


@table.convert("BlackmanWindow")
def blackman_window(size: Value, *, output_datatype: int = 1, periodic: int = 1) -> Value:
    return _cosines(size, periodic, output_datatype, 0.42, -0.5, 0.08)


@table.convert("MelWeightMatrix")
def mel_weight_matrix(
    num_mel_bins: Value,
    dft_length: Value,
    sample_rate: Value,
    lower_edge_hertz: Value,
    upper_edge_hertz: Value,
    *,
    output_datatype: int = 1,
) -> Value:
    """Triangles over the frequencies of a transform, evenly spaced on the mel scale."""
    model = num_mel_bins.model
    count = ops.reshape(int64(num_mel_bins), [1])
    length = ops.reshape(int64(dft_length), [1])
    points = count + 2
    low, high = (_mel(v) for v in (lower_edge_hertz, upper_edge_hertz))
    step = (high - low) / unary.cast(points, dtype=Precision.FLOAT64)
    ranks = unary.cast(generate.range_([0], points, [1]), dtype=Precision.FLOAT64)
    mels = ranks * step + low
    scale = model.constant([math.log(10) / 2595])
    hertz = unary.exp(mels * scale) - model.constant([1.0])
    hertz = hertz * model.constant([700.0])
    rate = unary.cast(ops.reshape(sample_rate, [1]), dtype=Precision.FLOAT64)
    turns = unary.cast(length + 1, dtype=Precision.FLOAT64)
    bins = unary.cast(unary.floor(turns * hertz / rate), dtype=Precision.INT64)
    rows = generate.range_([0], length / 2 + 1, [1])
    triangles = _triangles(ops.unsqueeze(rows, [1]), bins, count)
    return unary.cast(triangles, dtype=precision_of_code(output_datatype))


def _mel(hertz: Value) -> Value:
    model = hertz.model
    wide = unary.cast(ops.reshape(hertz, [1]), dtype=Precision.FLOAT64)
    ratio = wide / model.constant([700.0]) + model.constant([1.0])
    return unary.log(ratio) * model.constant([2595 / math.log(10)])


def _triangles(rows: Value, bins: Value, count: Value) -> Value:
    """From bins[i] up to 1 at bins[i + 1] and down to bins[i + 2], for each column i."""
    left, centre, right = (index.slice_(bins, [0], [k], count + k) for k in range(3))
    one, zero = (rows.model.constant([n], np.float64) for n in (1, 0))
    rising = _ratio(rows - left, centre - left)
    falling = _ratio(right - rows, right - centre)
    before = (left <= rows) & (rows < centre)
    behind = (centre < rows) & (rows < right)
    sides = compare.where(before, rising, compare.where(behind, falling, zero))
    return compare.where(compare.equal(rows, centre), one, sides)


def _ratio(part: Value, whole: Value) -> Value:
    return binary.div(*(unary.cast(v, dtype=Precision.FLOAT64) for v in (part, whole)))
