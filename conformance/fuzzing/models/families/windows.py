"""Convolutions, pools and resizes of images, with what stands before and behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import activation, binary, conv, norm, pool, reduce, resize, shape
from nnir.types import AutoPad, Fuse, PadMode

from ..growth import Growth

MOST_CHANNELS = 12
FUSED = (Fuse.NONE, Fuse.NONE, Fuse.RELU, Fuse.RELU6)


def pick_image(g: Growth) -> tuple[Value, int]:
    """An image [N, C, H, W] and its channels, whose number is known."""
    x = g.pick_float(4)
    channels = x.shape[1]
    if not isinstance(channels, int) or min(g.array(x).shape) < 1:
        raise BadType("an image of open channels")
    return x, channels


def filter_of(g: Growth, array: np.ndarray, *, unfolded: bool) -> Value:
    """A constant filter; `unfolded` as the transposition of a constant."""
    if not unfolded:
        return g.constant(array)
    return g.apply(shape.transpose, g.constant(array.transpose(3, 2, 1, 0)), perm=(3, 2, 1, 0))


def window(g: Growth) -> dict[str, Any]:
    """Strides, dilations and borders of a convolution."""
    found: dict[str, Any] = {
        "strides": (g.choose((1, 1, 2)), g.choose((1, 1, 2))),
        "dilations": (g.choose((1, 1, 2)), g.choose((1, 1, 2))),
    }
    match g.between(0, 4):
        case 0:
            found |= {"auto_pad": AutoPad.SAME, "dilations": (1, 1)}
        case 1:
            found |= {"auto_pad": AutoPad.VALID}
        case 2:
            found |= {"pads": tuple(g.between(0, 2) for _ in range(4))}
        case _:
            found |= {"pads": (g.between(0, 1),) * 4}
    return found


def convolution(g: Growth) -> Iterator[Value]:
    """A convolution, in groups or not, behind a border and before a scaling or not."""
    x, channels = pick_image(g)
    if g.chance(0.25):
        x = add_border(g, x, g.choose((0.0, 0.0, 0.5)))
    group = g.choose([n for n in range(1, channels + 1) if channels % n == 0])
    each = g.between(1, max(1, MOST_CHANNELS // group))
    kernel = (g.between(1, 3), g.between(1, 3)) if g.chance(0.7) else (1, 1)
    inner = channels // group * kernel[0] * kernel[1]
    scale = 1.5 / np.sqrt(inner)
    weights = g.generator.uniform(-scale, scale, (group * each, channels // group, *kernel))
    y = g.apply(
        conv.conv_2d,
        x,
        filter_of(g, weights.astype(np.float32), unfolded=g.chance(0.15)),
        g.constant(np.zeros(group * each)) if g.chance(0.3) else g.weights(group * each),
        group=group,
        fuse_code=g.choose(FUSED),
        **window(g),
    )
    yield y
    if g.chance(0.4):
        yield follow(g, y, group * each)


def follow(g: Growth, y: Value, channels: int) -> Value:
    """What engines put into the convolution before it."""
    match g.between(0, 4):
        case 0:
            return g.apply(norm.batch_normalization, y, *statistics(g, channels))
        case 1:
            return g.apply(binary.mul, y, g.weights(channels, 1, 1))
        case 2:
            return g.apply(binary.add, y, g.weights(channels, 1, 1))
        case 3:
            others = [v for v in g.readable if v.shape == y.shape and v.is_float]
            total = g.apply(binary.add, y, g.choose(others) if others else y)
            return g.apply(activation.relu, total)
    return g.apply(g.choose((activation.relu, activation.sigmoid, activation.tanh)), y)


def statistics(g: Growth, channels: int) -> list[Value]:
    """Scale, bias, mean and variance of each channel."""
    rows = g.generator.uniform(0.3, 1.5, (4, channels))
    return [g.constant(row) for row in rows]


def transposed_convolution(g: Growth) -> Iterator[Value]:
    """A transposed convolution, in groups or not."""
    x, channels = pick_image(g)
    group = g.choose([n for n in range(1, channels + 1) if channels % n == 0])
    each = g.between(1, max(1, MOST_CHANNELS // group))
    kernel = g.between(1, 3), g.between(1, 3)
    strides = g.between(1, 2), g.between(1, 2)
    yield g.apply(
        conv.conv_2d_transpose,
        x,
        g.weights(channels, each, *kernel, inner=channels // group * kernel[0] * kernel[1]),
        g.weights(group * each),
        group=group,
        strides=strides,
        dilations=(1, 1) if g.chance(0.7) else (2, 1),
        pads=tuple(g.between(0, 1) for _ in range(4)),
        output_padding=tuple(g.between(0, s - 1) for s in strides),
        fuse_code=g.choose(FUSED),
    )


def add_border(g: Growth, x: Value, value: float) -> Value:
    """An image with a border of a number."""
    pads = [0, 0, 0, 0, *(g.between(0, 2) for _ in range(4))]
    return g.apply(shape.pad, x, pads, value if value or g.chance(0.5) else None)


def pooling(g: Growth) -> Iterator[Value]:
    """A pool of images, behind a border or not."""
    x, _ = pick_image(g)
    if g.chance(0.35):
        x = add_border(g, x, g.choose((0.0, 0.0, 0.5, -3.0)))
    kernel = g.between(1, 3), g.between(1, 3)
    given: dict[str, Any] = {"kernel_shape": kernel, "strides": (g.between(1, 2), g.between(1, 3))}
    if g.chance(0.3):
        given["auto_pad"] = g.choose((AutoPad.SAME, AutoPad.VALID))
    else:
        given["pads"] = tuple(g.between(0, k // 2) for k in kernel for _ in range(2))
        given["ceil_mode"] = g.chance(0.3)
    given["fuse_code"] = g.choose(FUSED)
    if g.chance(0.5):
        with_places = g.chance(0.1)
        yield g.apply_all(pool.max_pool_2d, x, return_indices=with_places, **given)[0]
    else:
        yield g.apply(pool.average_pool_2d, x, count_include_pad=g.chance(0.5), **given)


def pooling_of_everything(g: Growth) -> Iterator[Value]:
    """A pool over the whole image, or into parts of it."""
    x, _ = pick_image(g)
    match g.between(0, 3):
        case 0:
            yield g.apply(reduce.reduce_mean, x, [2, 3], keepdim=g.chance(0.7))
        case 1:
            yield g.apply(reduce.reduce_max, x, [2, 3], keepdim=g.chance(0.7))
        case 2:
            sizes = g.between(1, 3), g.between(1, 3)
            yield g.apply(pool.adaptive_average_pool_2d, x, output_shape=sizes)
        case _:
            sizes = g.between(1, 3), g.between(1, 3)
            yield g.apply(pool.adaptive_max_pool_2d, x, output_shape=sizes)


def border(g: Growth) -> Iterator[Value]:
    """Borders of any value, of a number or of what is beside them; negative ones crop."""
    x = g.pick_float(2, 3, 4)
    mode = g.choose((PadMode.CONSTANT, PadMode.CONSTANT, PadMode.REFLECT, PadMode.EDGE))
    low = -1 if mode == PadMode.CONSTANT and g.chance(0.2) else 0
    sizes = g.array(x).shape
    pads = []
    for size, dim in zip(sizes, x.shape, strict=True):
        most = min(2, size - 1) if isinstance(dim, int) and g.chance(0.5) else 0
        pads += [g.between(min(low, most), most) for _ in range(2)]
    value = g.number(-2, 2) if mode == PadMode.CONSTANT and g.chance(0.5) else None
    yield g.apply(shape.pad, x, pads, value, mode=mode)


def resizing(g: Growth) -> Iterator[Value]:
    """An image of another size, by scales that are exact."""
    x, _ = pick_image(g)
    scales = g.constant([g.choose((1.0, 2.0, 3.0, 0.5)) for _ in range(2)])
    match g.between(0, 2):
        case 0:
            yield g.apply(resize.resize_nearest, x, None, scales)
        case 1:
            align = g.chance(0.3)
            mode = None if align else g.choose((0, 1))
            yield g.apply(
                resize.resize_linear, x, None, scales, align_corners=align, align_mode=mode
            )
        case _:
            whole = g.constant([1.0, 1.0, g.choose((1.0, 2.0)), g.choose((1.0, 2.0, 3.0))])
            mode, where = g.choose(
                (
                    ("nearest", "asymmetric"),
                    ("linear", "half_pixel"),
                    ("linear", "asymmetric"),
                    ("cubic", "half_pixel"),
                )
            )
            yield g.apply(
                resize.resize,
                x,
                None,
                whole,
                mode=mode,
                coordinate_transformation_mode=where,
                nearest_mode="floor",
            )
