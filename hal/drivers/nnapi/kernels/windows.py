"""Windows that slide over images with channels last."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nnir.errors import BadInput, OutOfMemory
from nnir.formats.nnapi.shapes import Pair, resolve_padding, steps_of
from nnir.records import dataclass

from .call import Call

MOST_ELEMENTS = 1 << 31
"""What a padded image, or one number for each window, may have."""


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
        batch, height, width, depth = x.shape
        padded = (height + sum(self.pads[0])) * (width + sum(self.pads[1]))
        if batch * depth * padded > MOST_ELEMENTS:
            raise OutOfMemory(f"an image of {list(x.shape)} padded by {self.pads}")
        return np.pad(x, [(0, 0), *self.pads, (0, 0)], constant_values=value)

    def slices(self, x: np.ndarray) -> Iterator[tuple[int, int, np.ndarray]]:
        """Each place in the windows, and what all of them have there in a padded image."""
        (rows, columns), (down, across) = self.counts, self.steps
        for i in range(self.extent[0]):
            for j in range(self.extent[1]):
                last = i + (rows - 1) * down + 1, j + (columns - 1) * across + 1
                yield i, j, x[:, i : last[0] : down, j : last[1] : across]

    def reduce(self, function: np.ufunc, x: np.ndarray, start: float) -> np.ndarray:
        """Each window to one number, along the height and then along the width; `start` changes
        nothing."""
        for axis in (0, 1):
            x = self._reduce_axis(function, x, axis, start)
        return x

    def _reduce_axis(
        self, function: np.ufunc, x: np.ndarray, axis: int, start: float
    ) -> np.ndarray:
        """By the places of a window or, where these are more, by the windows."""
        extent, step, (before, _) = self.extent[axis], self.steps[axis], self.pads[axis]
        size, count = x.shape[1 + axis], self.counts[axis]
        sizes = list(x.shape)
        sizes[1 + axis] = count
        result = np.full(sizes, start, x.dtype)
        rows, lines = np.moveaxis(result, 1 + axis, 0), np.moveaxis(x, 1 + axis, 0)
        if extent > count:
            for k in range(count):
                low, high = max(k * step - before, 0), min(k * step - before + extent, size)
                rows[k] = function.reduce(lines[low:high], 0, initial=start, dtype=x.dtype)
            return result
        for place in range(extent):
            offset = place - before
            first = max(-(offset // step), 0)
            last = min((size - 1 - offset) // step, count - 1)
            if first <= last:
                part = lines[first * step + offset : last * step + offset + 1 : step]
                function(rows[first : last + 1], part, out=rows[first : last + 1])
        return result

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
    return Windows(extent, steps, pads, (rows, columns))
