"""Paddle's Fourier transforms and overlapping frames of a signal."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axes_of
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import shape
from nnir.recipes import signal as signal_recipes
from nnir.recipes.shape import unfold
from nnir.recipes.signal import (
    as_pairs,
    complex_to_real,
    fourier_transform,
    from_pairs,
    norm_power,
    real_to_complex,
)

from ...table import Ints, Table

table = Table()


def exponent(normalization: str, *, forward: bool) -> float:
    """By which power of the length to divide."""
    match normalization:
        case "backward" | "ortho" | "forward":
            return norm_power(normalization, inverse=not forward)
    raise Unsupported(f"a Fourier transform with normalization={normalization!r}")


@table.convert("fft_c2c")
def fft_c2c(x: Value, axes: Ints, normalization: str, forward: bool) -> Value:
    places = axes_of(axes, x.rank)
    none: list[build.Size | None] = [None] * len(places)
    by = exponent(normalization, forward=forward)
    return from_pairs(fourier_transform(as_pairs(x), places, none, by, inverse=not forward))


@table.convert("fft_r2c")
def fft_r2c(x: Value, axes: Ints, normalization: str, forward: bool, onesided: bool) -> Value:
    places = list(axes_of(axes, x.rank))
    none: list[build.Size | None] = [None] * len(places)
    by = exponent(normalization, forward=forward)
    if onesided:
        return real_to_complex(x, places, none, by, inverse=not forward)
    return from_pairs(fourier_transform(as_pairs(x), places, none, by, inverse=not forward))


@table.convert("fft_c2r")
def fft_c2r(x: Value, axes: Ints, normalization: str, forward: bool, last_dim_size: int) -> Value:
    """A last size of 0 is twice the size less one."""
    places = list(axes_of(axes, x.rank))
    size = x.shape[places[-1]]
    if last_dim_size and isinstance(size, int) and last_dim_size // 2 + 1 > size:
        raise BadType(f"fft_c2r of {x.type} to {last_dim_size} samples, for which it is too short")
    lengths: list[build.Size | None] = [*[None] * (len(places) - 1), last_dim_size or None]
    by = exponent(normalization, forward=forward)
    return complex_to_real(x, places, lengths, by, inverse=not forward)


def is_last(axis: int, rank: int, name: str) -> bool:
    """Whether the signal is the last axis, or the first."""
    match axis:
        case -1:
            return True
        case 0:
            return False
    if axis == rank - 1:
        return True
    raise Unsupported(f"{name} with axis={axis}, not 0 or -1")


@table.convert("frame")
def frame(x: Value, frame_length: int, hop_length: int, axis: int) -> Value:
    """Frames are the columns of new last axes, or the rows of new first ones."""
    if is_last(axis, x.rank, "frame"):
        rows = unfold(x, x.rank - 1, frame_length, hop_length)
        perm = (*range(rows.rank - 2), rows.rank - 1, rows.rank - 2)
    else:
        rows = unfold(x, 0, frame_length, hop_length)
        perm = (0, rows.rank - 1, *range(1, rows.rank - 1))
    return rows if perm == tuple(range(rows.rank)) else shape.transpose(rows, perm=perm)


@table.convert("overlap_add")
def overlap_add(x: Value, hop_length: int, axis: int) -> Value:
    """The sum of frames that lie `hop_length` apart."""
    is_behind = is_last(axis, -1, "overlap_add")
    columns = x if is_behind else shape.transpose(x, perm=(*range(2, x.rank), 1, 0))
    own = build.sizes_of(columns)
    lead = own[:-2]
    length, count = columns.shape[-2], own[-1]
    if isinstance(length, Expr):
        raise NotConstant(f"overlap_add of {x.type}, whose frames must have a known length")
    flat = build.reshape(columns, [build.product(lead), length, count])
    total = build.plus(build.times(build.minus(count, 1), hop_length), length)
    signal = signal_recipes.overlap_add(flat, total, hop_length, 0, total)
    result = build.reshape(signal, [*lead, total])
    if is_behind or not lead:
        return result
    return shape.transpose(result, perm=(result.rank - 1, *range(result.rank - 1)))


@table.convert("add_position_encoding")
def add_position_encoding(x: Value, alpha: float, beta: float) -> Value:
    """alpha * x + beta * e for waves e, whose sines are the first half of the last axis."""
    width, steps = x.shape[-1], x.shape[1]
    if x.rank != 3 or isinstance(width, Expr) or isinstance(steps, Expr) or width % 2:
        raise Unsupported(f"add_position_encoding of {x.type}")
    half = width // 2
    powers = np.arange(half) / (half - 1) if half > 1 else np.ones(1)
    angles = np.arange(steps)[:, None] / 10000.0**powers
    waves = beta * np.concatenate([np.sin(angles), np.cos(angles)], 1)
    return x * alpha + x.model.constant(waves.astype(x.dtype))


@table.convert("stft")
def stft(
    x: Value, window: Value, n_fft: int, hop_length: int, normalized: bool, onesided: bool
) -> Value:
    return signal_recipes.stft(x, n_fft, hop_length, None, window, normalized, onesided, True)
