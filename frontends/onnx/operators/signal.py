"""ONNX Fourier transforms and windows of signals."""

from __future__ import annotations

import math

from nnir import build
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import compare, generate, index, unary
from nnir.ops import shape as ops
from nnir.ops import signal as transforms
from nnir.types import Precision

from ...table import Floats, Table

table = Table()
SINGLE, WIDE = Precision.FLOAT32, Precision.FLOAT64


@table.convert("DFT", since=20)
@table.convert("DFT", attributes={"axis": 1})
def dft(
    input: Value,
    dft_length: Index | None = None,
    axis: Index | None = None,
    *,
    inverse: bool = False,
    onesided: bool = False,
) -> Value:
    if onesided and not inverse and input.shape[-1] == 2:
        raise BadType(f"DFT with onesided=1 of a complex signal {input.type}")
    return transforms.dft(input, dft_length, axis, inverse=inverse, onesided=onesided)


@table.convert("STFT")
def stft(
    signal: Value,
    frame_step: Index,
    window: Value | None = None,
    frame_length: Index | None = None,
    *,
    onesided: bool = True,
) -> Value:
    """Take overlapping frames, weight them and transform each."""
    signal = ops.unsqueeze(signal, [2]) if signal.rank == 2 else signal
    if signal.rank != 3 or (onesided and signal.shape[-1] == 2):
        raise BadType(f"STFT with onesided={int(onesided)} of {signal.type}")
    given = frame_length if window is None else window.size(0)
    if given is None:
        raise BadType("STFT without window and frame_length")
    length = _vector(given)
    step = _vector(frame_step)
    count = (_vector(signal.size(1)) - length) / step + 1
    where = ops.unsqueeze(_steps(count) * step, [1]) + _steps(length)
    frames = index.gather(signal, where, axis=1)
    if window is not None:
        frames = frames * ops.unsqueeze(window, [1])
    return transforms.dft(frames, None, [2], onesided=onesided)


def _vector(number: Value) -> Value:
    """A number as an int64 vector of one."""
    return ops.reshape(build.int64(number), [1])


def _steps(count: Value) -> Value:
    """The numbers 0, 1, ... below a count."""
    return generate.range_([0], count, [1])


@table.each(
    {
        "BlackmanWindow": (0.42, -0.5, 0.08),
        "HammingWindow": (25 / 46, -21 / 46),
        "HannWindow": (0.5, -0.5),
    }
)
def make_window(
    weights: Floats, size: Index, *, output_datatype: Precision = SINGLE, periodic: bool = True
) -> Value:
    """The sum of weights[k] * cos(2 pi k n / N) over a window of N (or N - 1) steps."""
    count = _vector(size)
    whole = count if periodic else count - 1
    turn = _steps(count).cast(WIDE) * (2 * math.pi) / whole.cast(WIDE)
    total = unary.cos(turn) * weights[1] + weights[0]
    for k, weight in enumerate(weights[2:], 2):
        total = unary.cos(turn * k) * weight + total
    return total.cast(output_datatype)


@table.convert("MelWeightMatrix")
def mel_weight_matrix(
    num_mel_bins: Index,
    dft_length: Index,
    sample_rate: Value,
    lower_edge_hertz: Value,
    upper_edge_hertz: Value,
    *,
    output_datatype: Precision = SINGLE,
) -> Value:
    """Triangles over the frequencies of a transform, evenly spaced on the mel scale."""
    count, length = _vector(num_mel_bins), _vector(dft_length)
    points = count + 2
    low, high = (_mel(v) for v in (lower_edge_hertz, upper_edge_hertz))
    step = (high - low) / points.cast(WIDE)
    mels = _steps(points).cast(WIDE) * step + low
    hertz = (unary.exp(mels * (math.log(10) / 2595)) - 1) * 700
    turns = (length + 1).cast(WIDE) * hertz
    bins = unary.floor(turns / ops.reshape(sample_rate, [1]).cast(WIDE)).cast(Precision.INT64)
    rows = ops.unsqueeze(_steps(length / 2 + 1), [1])
    return _triangles(rows, bins, count).cast(output_datatype)


def _mel(hertz: Value) -> Value:
    ratio = ops.reshape(hertz, [1]).cast(WIDE) / 700 + 1
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
