"""TensorFlow's patches of images and volumes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import binary, index, shape
from nnir.recipes.layout import spatial_entries
from nnir.recipes.windows import window_positions

from ...table import Table

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
    given = (spatial_entries(v, "NHWC", "a window") for v in (ksizes, strides, rates))
    return patches_of(images, *given, padding=padding)


@table.convert("ExtractVolumePatches")
def extract_volume_patches(
    input: Value, *, ksizes: tuple[int, ...], strides: tuple[int, ...], padding: str
) -> Value:
    windows, steps = (spatial_entries(v, "NDHWC", "a window") for v in (ksizes, strides))
    return patches_of(input, windows, steps, (1, 1, 1), padding=padding)


def patches_of(
    x: Value, windows: Sequence[int], strides: Sequence[int], rates: Sequence[int], *, padding: str
) -> Value:
    """Take the places of all windows axis by axis, then join each window with the channels."""
    count = len(windows)
    batch, channels = build.size_of(x, 0), build.size_of(x, x.rank - 1)
    places: list[Value | np.ndarray] = []
    pads: list[build.Size] = [0, 0]
    for k, (window, stride, rate) in enumerate(zip(windows, strides, rates, strict=True)):
        size, reach = build.size_of(x, k + 1), (window - 1) * rate + 1
        front, behind = _pads(size, reach, stride, padding)
        padded = build.plus(build.plus(size, front), behind)
        end = build.minus(padded, reach - 1)
        places.append(window_positions(end, stride, np.arange(window) * rate))
        pads += [front, behind]
    if any(isinstance(n, Value) or n for n in pads):
        x = shape.pad(x, build.vector(x.model, [*pads, 0, 0]))
    for k, grid in enumerate(places):
        x = index.gather(x, grid, axis=1 + 2 * k)
    outer, inner = range(1, 2 * count, 2), range(2, 2 * count + 1, 2)
    grown = [build.size_of(x, k) for k in outer]
    moved = shape.transpose(x, perm=(0, *outer, *inner, 2 * count + 1))
    depth = build.times(channels, int(np.prod(windows)))
    return build.reshape(moved, [batch, *grown, depth])


def _pads(size: build.Size, reach: int, stride: int, padding: str) -> tuple[build.Size, build.Size]:
    match padding:
        case "VALID":
            return 0, 0
        case "SAME":
            last = build.times(build.over(build.minus(size, 1), stride), stride)
            missing = build.minus(build.plus(last, reach), size)
            missing = max(missing, 0) if isinstance(missing, int) else binary.max_(missing, [0])
            front = build.over(missing, 2)
            return front, build.minus(missing, front)
    raise Unsupported(f"patches with padding={padding!r}")
