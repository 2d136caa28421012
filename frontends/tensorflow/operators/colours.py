"""Colours: hue, saturation, value; contrast."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import activation, compare, reduce, shape, unary
from nnir.types import Precision

from ...table import Table

table = Table()


def _planes(images: Value) -> Sequence[Value]:
    """The three channels, each with a last axis of 1."""
    if images.rank < 1 or images.shape[-1] != 3 or not images.is_float:
        raise BadType(f"colours of {images.type}: three channels of floats are needed")
    parts: Sequence[Value] = shape.split(images, [1, 1, 1], axis=-1)
    return parts


def _hsv(images: Value) -> tuple[Value, Value, Value]:
    red, green, blue = _planes(images)
    best = reduce.reduce_max(images, [-1], keepdim=True)
    span = best - reduce.reduce_min(images, [-1], keepdim=True)
    zero, one = images.scalar(0), images.scalar(1)
    lit = best > zero
    saturation = compare.where(lit, span / compare.where(lit, best, one), zero)
    grey = span <= zero
    norm = one / (compare.where(grey, one, span) * images.scalar(6))
    hues = []
    for a, b, shift in ((green, blue, 0.0), (blue, red, 2 / 6), (red, green, 4 / 6)):
        hues.append(norm * (a - b) + images.scalar(shift))
    hue = compare.where(compare.equal(green, best), hues[1], hues[2])
    hue = compare.where(compare.equal(red, best), hues[0], hue)
    hue = compare.where(grey, zero, hue)
    hue = compare.where(hue < zero, hue + one, hue)
    return hue, saturation, best


def _rgb(hue: Value, saturation: Value, value: Value) -> Value:
    zero, one, two = (hue.scalar(n) for n in (0, 1, 2))
    six = hue * hue.scalar(6)
    far = [abs(six - hue.scalar(n)) for n in (3, 2, 4)]
    raw = (far[0] - one, two - far[1], two - far[2])
    rest = one - saturation
    colours = [(rest + saturation * activation.clip(c, zero, one)) * value for c in raw]
    return shape.concat(*colours, axis=-1)


@table.convert("RGBToHSV")
def rgb_to_hsv(images: Value) -> Value:
    return shape.concat(*_hsv(images), axis=-1)


@table.convert("HSVToRGB")
def hsv_to_rgb(images: Value) -> Value:
    return _rgb(*_planes(images))


@table.convert("AdjustHue")
def adjust_hue(images: Value, delta: Value) -> Value:
    """The hue goes round: 1 is 0 again."""
    wide = images.cast(Precision.FLOAT32)
    hue, saturation, value = _hsv(wide)
    moved = hue + delta
    return _rgb(moved - unary.floor(moved), saturation, value).cast(images.precision)


@table.convert("AdjustSaturation")
def adjust_saturation(images: Value, scale: Value) -> Value:
    wide = images.cast(Precision.FLOAT32)
    hue, saturation, value = _hsv(wide)
    scaled = saturation * scale
    bounded = activation.clip(scaled, wide.scalar(0), wide.scalar(1))
    return _rgb(hue, bounded, value).cast(images.precision)


@table.convert("AdjustContrastv2")
def adjust_contrast(images: Value, contrast_factor: Value) -> Value:
    """Away from the mean of each channel of each image."""
    if images.rank < 3:
        raise BadType(f"the contrast of {images.type}")
    wide = images.cast(Precision.FLOAT32)
    mean = reduce.reduce_mean(wide, [-3, -2], keepdim=True)
    apart = (wide - mean) * contrast_factor
    return (apart + mean).cast(images.precision)
