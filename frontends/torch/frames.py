"""ATen's short-time Fourier transforms, of overlapping frames of a signal."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import binary, conv, index, shape
from nnir.types import PadMode

from ..table import Table
from .fourier import from_half, half, numbers, pairs_of, transformed, whole
from .padding import padded
from .promotion import COMPLEX, promoted
from .rearranging import unfold

table = Table()


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
    if center and align_to_window is not None:
        raise Unsupported(f"a centred stft with align_to_window={align_to_window}")
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
    """Overlapping frames, each weighted and transformed; they are the last axis.

    Aligned to the window, the first one begins at the first sample: what the window hides lies
    before it.
    """
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    x = numbers(self)
    if align_to_window:
        amounts = self.model.constant(np.array([(n_fft - length) // 2] * 2, np.int64))
        x = padded(x, amounts, PadMode.CONSTANT)
    frames = unfold(x, -1, n_fft, hop)
    weights = _window(window, length, n_fft)
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


@table.convert("aten.istft.default")
def istft(
    self: Value,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Value | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Value:
    """Frames are weighted again, added where they overlap, and divided by the squared weights."""
    if return_complex or self.rank not in (2, 3):
        raise Unsupported(f"istft of {self.type} with return_complex={return_complex}")
    hop = n_fft // 4 if hop_length is None else hop_length
    axis, by = self.rank - 2, 0.5 if normalized else 1.0
    is_half = self.shape[axis] != n_fft if onesided is None else onesided
    if is_half:
        frames = from_half(pairs_of(self), axis, n_fft, by)
    else:
        pairs = transformed(pairs_of(self), [axis], [n_fft], by, inverse=True)
        frames = index.gather(pairs, pairs.model.constant(np.int64(0)), axis=-1)
    given = _window(window, n_fft if win_length is None else win_length, n_fft)
    weights = self.model.constant(np.ones(n_fft, frames.dtype)) if given is None else given
    column = shape.unsqueeze(weights, [1])
    frames, column = promoted(frames, column)
    count = build.size_of(frames, -1)
    columns = build.vector(self.model, [1, n_fft, count])
    whole_length = build.plus(build.times(build.minus(count, 1), hop), n_fft)
    start = n_fft // 2 if center else 0
    end = build.minus(whole_length, start) if length is None else start + length
    frames = frames * column
    both = (
        frames if self.rank == 3 else shape.unsqueeze(frames, [0]),
        shape.expand(column * column, columns),
    )
    heard, squares = (_added(v, whole_length, hop, start, end) for v in both)
    axes = [1, 2] if self.rank == 3 else [0, 1, 2]
    return shape.squeeze(heard / squares, axes)


def _added(columns: Value, length: build.Size, hop: int, start: int, end: build.Size) -> Value:
    """The sum [n, 1, 1, end - start] of frames that lie `hop` apart."""
    if isinstance(length, int) and isinstance(end, int) and end > length:
        raise Unsupported(f"istft of {length} samples up to {end}")
    size = build.vector(columns.model, [1, length])
    frame = columns.shape[1]
    total = conv.col_2_im(
        columns, size, [1, frame], dilations=(1, 1), pads=(0, 0, 0, 0), strides=(1, hop)
    )
    ends = build.vector(columns.model, [end])
    result: Value = index.slice_(total, [3], [start], ends)
    return result


def _window(window: Value | None, length: int, n_fft: int) -> Value | None:
    """The weights of a frame; a shorter window lies in its middle."""
    if window is None and length == n_fft:
        return None
    before = (n_fft - length) // 2
    behind = n_fft - length - before
    if window is None:
        raise Unsupported(f"stft with win_length={length} and no window")
    return shape.pad(window, [before, behind]) if before + behind else window
