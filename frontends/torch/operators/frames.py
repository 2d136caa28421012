"""ATen's short-time Fourier transforms, of overlapping frames of a signal."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import index, shape
from nnir.recipes import signal as signal_recipes
from nnir.recipes.padding import pad_by_mode
from nnir.recipes.promotion import promote
from nnir.recipes.signal import (
    as_pairs,
    from_half,
    overlap_add,
    padded_window,
)
from nnir.types import PadMode

from ...table import Table

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
        x = pad_by_mode(self, amounts, modes[pad_mode])
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
    return signal_recipes.stft(
        self,
        n_fft,
        hop_length,
        win_length,
        window,
        normalized,
        onesided,
        return_complex,
        align_to_window,
    )


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
    pairs = as_pairs(self)
    if not is_half:  # PyTorch does not look at the other half
        pairs = index.slice_(pairs, [axis], [0], [n_fft // 2 + 1])
    frames = from_half(pairs, axis, n_fft, by)
    given = padded_window(window, n_fft if win_length is None else win_length, n_fft)
    weights = self.model.constant(np.ones(n_fft, frames.dtype)) if given is None else given
    column = shape.unsqueeze(weights, [1])
    frames, column = promote(frames, column)
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
    heard, squares = (overlap_add(v, whole_length, hop, start, end) for v in both)
    axes = [1, 2] if self.rank == 3 else [0, 1, 2]
    return shape.squeeze(heard / squares, axes)
