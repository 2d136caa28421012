"""Pools."""

from __future__ import annotations

from collections.abc import Sequence

from ....errors import NoLowering
from ..elements import TYPES, Type
from ..graph import End, Output
from ..operands import Planes, Vector
from ..schema import Ints, Table
from ..shapes import Dimension, PartialShape
from .conv import slide
from .shape import sizes_in

table = Table()
I64 = TYPES["i64"]


def _pool_shape(
    data: Output,
    kernel: Ints,
    strides: Ints,
    dilations: Ints,
    pads: tuple[Ints, Ints],
    rounding_type: str,
    auto_pad: str,
) -> PartialShape:
    batch, channels, *sizes = data.shape
    if not batch.high or not channels.high:
        raise NoLowering(f"openvino: a pool of [{data.shape}], which has no elements")
    if len(sizes) != len(kernel):
        raise NoLowering(f"openvino: a pool of [{data.shape}] with a kernel {list(kernel)}")
    if auto_pad != "explicit":
        if any(d.high == 0 for d in sizes):
            raise NoLowering(f"openvino: a pool of [{data.shape}], which has no elements")
        made = [d.over(s, ceil=True) for d, s in zip(sizes, strides, strict=True)]
        return PartialShape([batch, channels, *made])
    ceil = rounding_type != "floor"
    rows = zip(sizes, kernel, strides, dilations, zip(*pads, strict=True), strict=True)
    made = []
    for size, taps, step, dilation, borders in rows:
        count = slide(size, Dimension(taps), step, dilation, borders, ceil=ceil)
        if rounding_type == "ceil_torch" and count.is_static and size.is_static:
            beyond = (count.low - 1) * step >= size.low + borders[0]
            count = count - int(beyond)
        made.append(count)
    return PartialShape([batch, channels, *made])


@table.kind("AvgPool", since=14, dashed=["exclude_pad"])
def average(
    data: Planes,
    *,
    kernel: Ints,
    strides: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    exclude_pad: bool,
    auto_pad: str = "explicit",
    rounding_type: str = "floor",
) -> End:
    how = (pads_begin, pads_end), rounding_type, auto_pad
    return data.type, _pool_shape(data, kernel, strides, (1,) * len(kernel), *how)


@table.kind("MaxPool", since=14)
def largest(
    data: Planes,
    *,
    strides: Ints,
    dilations: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    kernel: Ints,
    rounding_type: str = "floor",
    auto_pad: str = "explicit",
    index_element_type: Type = I64,
    axis: int = 0,
) -> list[End]:
    how = (pads_begin, pads_end), rounding_type, auto_pad
    shape = _pool_shape(data, kernel, strides, dilations, *how)
    return [(data.type, shape), (index_element_type, shape)]


def _adapt_shape(data: Output, target: Output) -> PartialShape:
    sizes: Sequence[Dimension] = sizes_in(target, "an adaptive pool")
    if len(sizes) + 2 != len(data.shape):
        raise NoLowering(f"openvino: an adaptive pool of [{data.shape}] to {sizes}")
    return PartialShape([*data.shape[:2], *sizes])


@table.kind("AdaptiveAvgPool", since=8)
def adaptive_average(data: Planes, target: Vector) -> End:
    return data.type, _adapt_shape(data, target)


@table.kind("AdaptiveMaxPool", since=8)
def adaptive_largest(data: Planes, target: Vector, *, index_element_type: Type = I64) -> list[End]:
    shape = _adapt_shape(data, target)
    return [(data.type, shape), (index_element_type, shape)]
