"""Images read at positions that a program computes: crops and projective transforms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.broadcast import ints, shapes_differ
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import binary, compare, index, shape, unary
from nnir.types import Precision

from ...table import Table

table = Table()
F32 = Precision.FLOAT32


def column(table_: Value, k: int) -> Value:
    """Column k of a matrix, as [rows, 1, 1]."""
    return shape.unsqueeze(index.slice_(table_, [1], [k], [k + 1]), [2])


def length(images: Value, axis: int) -> Value:
    """The size of an axis as a float32 vector of one."""
    found = build.size_of(images, axis)
    return build.vector(images.model, [found]).cast(F32)


def pixels(images: Value, which: Value, y: Value, x: Value) -> Value:
    """Elements [n, h, w, C] at whole positions, clamped to the image, of images `which`."""
    places = []
    for axis, at in ((1, y), (2, x)):
        last = length(images, axis) - 1
        inside = binary.max_(binary.min_(at, last), 0)
        places.append(inside.cast(Precision.INT64))
    image = shape.unsqueeze(which.cast(Precision.INT64), [1, 2])
    every = image + (places[0] + places[1])
    zero = every * 0
    whole = [p + zero for p in (image, *places)]
    return index.gather_nd(images, shape.stack(*whole, axis=3))


def inside(images: Value, y: Value, x: Value) -> Value:
    """Whether a position lies between the centres of the first and the last pixel."""
    good = []
    for axis, at in ((1, y), (2, x)):
        last = length(images, axis) - 1
        good += [at >= 0, at <= last]
    return good[0] & good[1] & (good[2] & good[3])


def blend(images: Value, which: Value, y: Value, x: Value, fill: Value | None = None) -> Value:
    """Linear interpolation; with `fill`, neighbours outside of the image have that value."""
    low = [unary.floor(v) for v in (y, x)]
    part = [shape.unsqueeze(v - b, [3]) for v, b in zip((y, x), low, strict=True)]
    rows = []
    for row in (low[0], low[0] + 1):
        ends = []
        for across in (low[1], low[1] + 1):
            found = pixels(images, which, row, across).cast(F32)
            if fill is not None:
                good = shape.unsqueeze(inside(images, row, across), [3])
                found = compare.where(good, found, fill)
            ends.append(found)
        rows.append(_between(ends, part[1]))
    return _between(rows, part[0])


def _between(ends: Sequence[Value], part: Value) -> Value:
    rest = 1 - part
    return ends[0] * rest + ends[1] * part


@table.convert("CropAndResize")
def crop_and_resize(
    image: Value,
    boxes: Value,
    box_ind: Value,
    crop_size: tuple[int, ...],
    *,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Value:
    """Boxes (y1, x1, y2, x2) in parts of the image from pixel centre to pixel centre."""
    is_table = boxes.rank == 2 and not shapes_differ(boxes.shape[1:], (4,))
    if image.rank != 4 or not is_table or len(crop_size) != 2 or min(crop_size) < 1:
        raise BadType(f"CropAndResize of {image.type} with {boxes.type} to {crop_size}")
    y, x = (_cut(image, boxes, axis, count) for axis, count in enumerate(crop_size))
    match method:
        case "bilinear":
            value = blend(image, box_ind, y, x)
        case "nearest":
            value = pixels(image, box_ind, round_away(y), round_away(x)).cast(F32)
        case _:
            raise Unsupported(f"CropAndResize with method={method!r}")
    outside = image.model.constant(np.float32(extrapolation_value))
    return compare.where(shape.unsqueeze(inside(image, y, x), [3]), value, outside)


def _cut(image: Value, boxes: Value, axis: int, count: int) -> Value:
    """Positions of `count` samples from the start to the end of each box, or in its middle."""
    last = length(image, axis + 1) - 1
    start, end = column(boxes, axis), column(boxes, axis + 2)
    if count == 1:
        return (start + end) * 0.5 * last
    step = (end - start) * last
    step = step / (count - 1)
    counted = np.arange(count, dtype=np.float32).reshape((1, -1, 1) if axis == 0 else (1, 1, -1))
    return start * last + step * image.model.constant(counted)


def round_away(x: Value) -> Value:
    """Halves away from zero."""
    up = unary.floor(abs(x) + 0.5)
    return unary.sign(x) * up


@table.convert("ImageProjectiveTransformV3")
def projective_transform(
    images: Value,
    transforms: Value,
    output_shape: Index,
    fill_value: Value,
    *,
    interpolation: str,
    fill_mode: str = "CONSTANT",
) -> Value:
    """Pixel (x, y) is read at (a0 x + a1 y + a2, b0 x + b1 y + b2) / (c0 x + c1 y + 1)."""
    if images.rank != 4 or transforms.rank != 2:
        raise BadType(f"a projective transform of {images.type} with {transforms.type}")
    target = ints(output_shape)
    if target is None:
        raise NotConstant(f"a projective transform to sizes {output_shape.type}")
    height, width = target
    down = images.model.constant(np.arange(height, dtype=np.float32)[None, :, None])
    across = images.model.constant(np.arange(width, dtype=np.float32)[None, None, :])
    a, b, c = ([column(transforms, 3 * k + n) for n in range(3 if k < 2 else 2)] for k in range(3))
    scale = _plane(across, down, *c, across.scalar(1))
    nowhere = shape.unsqueeze(compare.equal(scale, 0), [3])
    x, y = (_plane(across, down, *row) / scale for row in (a, b))
    x, y = (_map_position(at, length(images, axis), fill_mode) for at, axis in ((x, 2), (y, 1)))
    which = _images(images)
    fill = shape.reshape(fill_value.cast(F32), [])
    match interpolation:
        case "BILINEAR":
            value = blend(images, which, y, x, fill)
        case "NEAREST":
            x, y = round_away(x), round_away(y)
            found = pixels(images, which, y, x).cast(F32)
            good = shape.unsqueeze(inside(images, y, x), [3])
            value = compare.where(good, found, fill)
        case _:
            raise Unsupported(f"a projective transform with interpolation={interpolation!r}")
    return compare.where(nowhere, fill, value).cast(images.precision)


@table.convert("ImageProjectiveTransformV2")
def projective_transform_v2(
    images: Value,
    transforms: Value,
    output_shape: Index,
    *,
    interpolation: str,
    fill_mode: str = "CONSTANT",
) -> Value:
    nothing = images.model.constant(np.float32(0))
    return projective_transform(
        images,
        transforms,
        output_shape,
        nothing,
        interpolation=interpolation,
        fill_mode=fill_mode,
    )


def _plane(x: Value, y: Value, *factors: Value) -> Value:
    total = factors[0] * x + factors[1] * y
    return total + factors[2]


def _images(images: Value) -> Value:
    """0, 1, ... for each image."""
    count = images.shape[0]
    if isinstance(count, Expr):
        raise NotConstant(f"a projective transform of {images.type}")
    return images.model.constant(np.arange(count))


def _map_position(at: Value, size: Value, fill_mode: str) -> Value:
    """Where a position outside of an axis is read."""
    match fill_mode:
        case "CONSTANT":
            return at
        case "NEAREST":
            last = size - 1
            return binary.max_(binary.min_(at, last), 0)
    raise Unsupported(f"a projective transform with fill_mode={fill_mode!r}")
