"""Bilinear resizing of images with channels last."""

from __future__ import annotations

import numpy as np

from .call import Call, Kernel, Results


def resize_bilinear(call: Call) -> Results:
    """A pixel of the result lies at its number times old size / new size."""
    x = call.array()
    for axis, name in ((1, "new_height"), (2, "new_width")):
        x = _along(x, axis, call.integer(name))
    return [x]


def _along(x: np.ndarray, axis: int, size: int) -> np.ndarray:
    old = x.shape[axis]
    places = np.arange(size, dtype=np.float32) * (np.float32(old) / np.float32(size))
    before = np.minimum(np.floor(places).astype(np.int64), old - 1)
    behind = np.minimum(before + 1, old - 1)
    spread = [1] * x.ndim
    spread[axis] = size
    part = (places - before.astype(np.float32)).reshape(spread)
    return x.take(before, axis) * (1 - part) + x.take(behind, axis) * part


KERNELS: dict[str, Kernel] = {"RESIZE_BILINEAR": resize_bilinear}
