"""Windows that slide over images with channels last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nnir.errors import BadInput, OutOfMemory
from nnir.formats.nnapi.shapes import Pair, resolve_padding, steps_of

from .call import Call

MOST_PLACES = 1 << 20
MOST_ELEMENTS = 1 << 31
"""What a window may cover, and what a padded image or all of its windows may have."""


@dataclass(frozen=True)
class Windows:
    """Sizes, steps and borders of windows, height first, and how many there are."""

    extent: Pair
    steps: Pair
    pads: list[Pair]
    counts: Pair

    @property
    def is_point(self) -> bool:
        """Whether every window is one pixel, and every pixel one."""
        return self.extent == self.steps == (1, 1) and not any(map(any, self.pads))

    def pad(self, x: np.ndarray, value: float) -> np.ndarray:
        """An image with its border."""
        if not any(map(any, self.pads)):
            return x
        return np.pad(x, [(0, 0), *self.pads, (0, 0)], constant_values=value)

    def slices(self, x: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
        """Each place in the windows, and what all of them have there in a padded image."""
        (rows, columns), (down, across) = self.counts, self.steps
        for i in range(self.extent[0]):
            for j in range(self.extent[1]):
                last = i + (rows - 1) * down + 1, j + (columns - 1) * across + 1
                yield i, j, x[:, i : last[0] : down, j : last[1] : across]

    def spread(self, x: np.ndarray) -> np.ndarray:
        """A padded image as [batch, rows, columns, elements of the window]."""
        if self.is_point:
            return x
        batch, depth = x.shape[0], x.shape[3]
        view = np.lib.stride_tricks.sliding_window_view(x, self.extent, (1, 2))
        view = view[:, :: self.steps[0], :: self.steps[1]].transpose(0, 1, 2, 4, 5, 3)
        return view.reshape(batch, *self.counts, self.extent[0] * self.extent[1] * depth)


def windows_of(call: Call, extent: Pair) -> Windows:
    """The windows of an operation over an image."""
    height, width = call.array().shape[1:3]
    steps = steps_of(call.bound)
    pads = None if steps is None else resolve_padding(call.bound, (height, width), extent, steps)
    if steps is None or pads is None:
        raise BadInput(f"{call.bound.type.name} without strides or padding")
    axes = zip((height, width), extent, steps, pads, strict=True)
    rows, columns = ((n + sum(p) - e) // s + 1 for n, e, s, p in axes)
    _require_small(call.array().shape, extent, pads, (rows, columns))
    return Windows(extent, steps, pads, (rows, columns))


def _require_small(shape: tuple[int, ...], extent: Pair, pads: list[Pair], counts: Pair) -> None:
    """OutOfMemory for windows and borders that no image needs."""
    batch, height, width, depth = shape
    places = extent[0] * extent[1]
    padded = (height + sum(pads[0])) * (width + sum(pads[1]))
    elements = batch * depth * max(padded, counts[0] * counts[1])
    if places > MOST_PLACES or elements > MOST_ELEMENTS:
        raise OutOfMemory(f"windows of {extent} over {list(shape)}, padded by {pads}")
