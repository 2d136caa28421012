"""TensorFlow's patches of images and volumes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import index, shape, sizes

from ..table import Table
from .layout import spatial
from .sizes import known_sizes, steps_to

table = Table()


@table.convert("ExtractImagePatches")
def extract_image_patches(
    images: Value,
    *,
    ksizes: tuple[int, ...],
    strides: tuple[int, ...],
    rates: tuple[int, ...],
    padding: str,
) -> Value:
    given = (spatial(v, "NHWC", "a window") for v in (ksizes, strides, rates))
    return patches_of(images, *given, padding=padding)


@table.convert("ExtractVolumePatches")
def extract_volume_patches(
    input: Value, *, ksizes: tuple[int, ...], strides: tuple[int, ...], padding: str
) -> Value:
    windows, steps = (spatial(v, "NDHWC", "a window") for v in (ksizes, strides))
    return patches_of(input, windows, steps, (1, 1, 1), padding=padding)


def patches_of(
    x: Value, windows: Sequence[int], strides: Sequence[int], rates: Sequence[int], *, padding: str
) -> Value:
    """Take the places of all windows axis by axis, then join each window with the channels."""
    count = len(windows)
    batch, channels = sizes.size_of(x, 0), sizes.size_of(x, x.rank - 1)
    lengths = known_sizes(x, range(1, count + 1))
    grids, pads = [], [0, 0]
    for size, window, stride, rate in zip(lengths, windows, strides, rates, strict=True):
        reach = (window - 1) * rate + 1
        front, behind = _pads(size, reach, stride, padding)
        places = (size + front + behind - reach) // stride + 1
        steps_to(places * window)  # too many are refused
        grids.append(np.arange(places)[:, None] * stride + np.arange(window) * rate)
        pads += [front, behind]
    if any(pads):
        x = shape.pad(x, [*pads, 0, 0])
    for k, grid in enumerate(grids):
        x = index.gather(x, grid, axis=1 + 2 * k)
    outer, inner = range(1, 2 * count, 2), range(2, 2 * count + 1, 2)
    moved = shape.transpose(x, perm=(0, *outer, *inner, 2 * count + 1))
    depth = sizes.times(channels, int(np.prod(windows)))
    return sizes.reshape(moved, [batch, *(len(g) for g in grids), depth])


def _pads(size: int, reach: int, stride: int, padding: str) -> tuple[int, int]:
    match padding:
        case "VALID":
            return 0, 0
        case "SAME":
            missing = max((-(-size // stride) - 1) * stride + reach - size, 0)
            return missing // 2, missing - missing // 2
    raise Unsupported(f"patches with padding={padding!r}")
