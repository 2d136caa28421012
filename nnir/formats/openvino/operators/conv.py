"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence

from ....errors import NoLowering
from ..graph import End, Output
from ..operands import Image, PlaceVector
from ..schema import Ints, Table
from ..shapes import Dimension, PartialShape, merge
from .elementwise import same_type
from .shape import length, sizes_in

table = Table()


def slide(
    size: Dimension,
    kernel: Dimension,
    step: int,
    dilation: int,
    pads: tuple[int, int],
    *,
    ceil: bool = False,
) -> Dimension:
    """How many windows there are along an axis."""
    extent = (kernel - 1) * dilation + 1
    padded = size + sum(pads)
    if padded.high < extent.low:
        raise NoLowering(f"openvino: a window of {extent} in an axis of {padded}")
    return (padded - extent).over(step, ceil=ceil) + 1


def windows(
    sizes: Sequence[Dimension],
    kernel: Sequence[Dimension],
    strides: Ints,
    dilations: Ints,
    pads: tuple[Ints, Ints],
    auto_pad: str,
) -> list[Dimension]:
    """How many windows there are along each axis."""
    rank = len(sizes)
    if any(len(v) != rank for v in (kernel, strides, dilations, *pads)):
        raise NoLowering(f"openvino: windows over {rank} axes with strides {list(strides)}")
    if auto_pad != "explicit":
        return [size.over(step, ceil=True) for size, step in zip(sizes, strides, strict=True)]
    rows = zip(sizes, kernel, strides, dilations, zip(*pads, strict=True), strict=True)
    return [slide(*row) for row in rows]


@table.kind("Convolution")
def convolution(
    data: Output,
    filters: Output,
    *,
    strides: Ints,
    dilations: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    auto_pad: str = "explicit",
) -> End:
    _require_rank("Convolution", data, filters, 2)
    merge(data.shape[1], filters.shape[1], "channels of Convolution")
    pads = pads_begin, pads_end
    sizes = windows(data.shape[2:], filters.shape[2:], strides, dilations, pads, auto_pad)
    kind = same_type("Convolution", data, filters)
    return kind, PartialShape([data.shape[0], filters.shape[0], *sizes])


def _require_rank(name: str, data: Output, filters: Output, least: int) -> None:
    if len(data.shape) < 3 or len(filters.shape) != len(data.shape) + least - 2:
        raise NoLowering(f"openvino: {name} of [{data.shape}] by [{filters.shape}]")


def _groups(data: Output, filters: Output, axis: int) -> tuple[Dimension, ...]:
    """The first sizes of filters; the channels say how many groups there are where they do not.
    `axis` is that of the channels of a group."""
    first, taken = filters.shape[:3], filters.shape[axis]
    channels = data.shape[1]
    if first[0].is_static or channels.is_dynamic or taken.is_dynamic or not taken.low:
        return first
    return Dimension(channels.low // taken.low), *first[1:]


@table.kind("GroupConvolution")
def group_convolution(
    data: Output,
    filters: Output,
    *,
    strides: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    dilations: Ints,
    auto_pad: str = "explicit",
) -> End:
    _require_rank("GroupConvolution", data, filters, 3)
    groups, each, taken = _groups(data, filters, 2)
    merge(data.shape[1], groups * taken, "channels of GroupConvolution")
    pads = pads_begin, pads_end
    sizes = windows(data.shape[2:], filters.shape[3:], strides, dilations, pads, auto_pad)
    kind = same_type("GroupConvolution", data, filters)
    return kind, PartialShape([data.shape[0], groups * each, *sizes])


def _spread(
    sizes: Sequence[Dimension],
    kernel: Sequence[Dimension],
    strides: Ints,
    dilations: Ints,
    pads: tuple[Ints, Ints],
    extra: Ints,
) -> list[Dimension]:
    """The sizes that a transposed convolution gives."""
    rows = zip(sizes, kernel, strides, dilations, *pads, extra, strict=True)
    return [
        (size - 1) * step + ((taps - 1) * dilation + 1 + more) - (before + after)
        for size, taps, step, dilation, before, after, more in rows
    ]


@table.kind("ConvolutionBackpropData")
def transpose(
    data: Output,
    filters: Output,
    *,
    strides: Ints,
    dilations: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    auto_pad: str = "explicit",
    output_padding: Ints = (),
) -> End:
    _require_rank("ConvolutionBackpropData", data, filters, 2)
    merge(data.shape[1], filters.shape[0], "channels of ConvolutionBackpropData")
    how = strides, dilations, (pads_begin, pads_end), output_padding
    sizes = _spread(data.shape[2:], filters.shape[2:], *how)
    kind = same_type("ConvolutionBackpropData", data, filters)
    return kind, PartialShape([data.shape[0], filters.shape[1], *sizes])


@table.kind("GroupConvolutionBackpropData")
def transpose_groups(
    data: Output,
    filters: Output,
    *,
    strides: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    dilations: Ints,
    auto_pad: str = "explicit",
    output_padding: Ints = (),
) -> End:
    _require_rank("GroupConvolutionBackpropData", data, filters, 3)
    groups, taken, each = _groups(data, filters, 1)
    merge(data.shape[1], groups * taken, "channels of GroupConvolutionBackpropData")
    how = strides, dilations, (pads_begin, pads_end), output_padding
    sizes = _spread(data.shape[2:], filters.shape[3:], *how)
    kind = same_type("GroupConvolutionBackpropData", data, filters)
    return kind, PartialShape([data.shape[0], groups * each, *sizes])


@table.kind("DeformableConvolution", since=8)
def deformable(
    data: Image,
    offsets: Image,
    filters: Image,
    mask: Image | None = None,
    *,
    bilinear_interpolation_pad: bool = False,
    strides: Ints,
    dilations: Ints,
    pads_begin: Ints,
    pads_end: Ints,
    auto_pad: str = "explicit",
    group: int = 1,
    deformable_group: int = 1,
) -> End:
    _require_rank("DeformableConvolution", data, filters, 2)
    pads = pads_begin, pads_end
    sizes = windows(data.shape[2:], filters.shape[2:], strides, dilations, pads, auto_pad)
    taps = filters.shape[2] * filters.shape[3] * deformable_group
    merge(data.shape[1], filters.shape[1] * group, "channels of DeformableConvolution")
    merge(offsets.shape[1], taps * 2, "channels of offsets of DeformableConvolution")
    if filters.shape[0].is_static and filters.shape[0].low % group:
        raise NoLowering(f"openvino: DeformableConvolution of {filters.shape[0]} in {group} groups")
    if mask is not None:
        merge(mask.shape[1], taps, "channels of the mask of DeformableConvolution")
    batch, what = data.shape[0], "data and offsets of DeformableConvolution"
    for given in (offsets, *([mask] if mask else [])):
        batch = merge(batch, given.shape[0], what)
        for a, b in zip(sizes, given.shape[2:], strict=True):
            merge(a, b, what)
    kind = same_type("DeformableConvolution", data, filters, offsets)
    return kind, PartialShape([batch, filters.shape[0], *sizes])


def _require_windows(
    data: Output, axes: Sequence[tuple[Dimension, Dimension, int, int]], pads: Sequence[int]
) -> None:
    """The last axis has a column for each window of the image, where both are known."""
    last = data.shape[-1]
    if not all(s.is_static and k.is_static for s, k, _, _ in axes):
        return
    count = 1
    for (size, kernel, stride, dilation), pad in zip(axes, pads, strict=True):
        if kernel.low < 1:
            raise NoLowering(f"openvino: Col2Im with a kernel of {kernel}")
        count *= (size.low + pad - dilation * (kernel.low - 1) - 1) // stride + 1
    if last.is_static and last.low != count:
        raise NoLowering(f"openvino: Col2Im of {last} columns for {count} windows")


@table.kind("Col2Im", since=15)
def columns_to_image(
    data: Output,
    size: PlaceVector,
    kernel: PlaceVector,
    *,
    strides: Ints = (1, 1),
    dilations: Ints = (1, 1),
    pads_begin: Ints = (0, 0),
    pads_end: Ints = (0, 0),
) -> End:
    if len(data.shape) not in (2, 3) or {length(v, "Col2Im") for v in (size, kernel)} != {2}:
        raise NoLowering(f"openvino: Col2Im of [{data.shape}] by [{kernel.shape}]")
    same_type("sizes of Col2Im", size, kernel)
    taps = PartialShape(sizes_in(kernel, "Col2Im")).count()
    axes = zip(
        sizes_in(size, "Col2Im"), sizes_in(kernel, "Col2Im"), strides, dilations, strict=True
    )
    pads = [b + e for b, e in zip(pads_begin, pads_end, strict=True)]
    _require_windows(data, [*axes], pads)
    *batch, channels, _ = data.shape
    is_known = channels.is_static and taps.is_static and taps.low > 0
    if is_known and channels.low % taps.low:
        raise NoLowering(f"openvino: Col2Im of {channels} channels with a kernel of {taps}")
    first = Dimension(channels.low // taps.low) if is_known else Dimension()
    return data.type, PartialShape([*batch, first, *sizes_in(size, "Col2Im")])
