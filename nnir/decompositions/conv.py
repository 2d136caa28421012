"""Convolutions over volumes, whose depth becomes channels and batch of a plane, and of integers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from .. import build
from ..broadcast import ints
from ..decomposition import Level
from ..dim import Dim, Expr, product
from ..errors import NotConstant, Unsupported
from ..model import Value
from ..ops import activation, binary, conv, index, shape, unary, windows
from ..types import AutoPad, Fuse, Precision

ACTIVATIONS: dict[Fuse, Callable[[Value], Value]] = {
    Fuse.RELU: activation.relu,
    Fuse.RELU1: lambda x: activation.clip(x, x.scalar(0), x.scalar(1)),
    Fuse.RELU6: activation.relu6,
}


@conv.conv_3d.decomposes(level=Level.ROUNDING)
def _conv_3d(
    input: Value,
    filter: Value,
    bias: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
    fuse_code: Fuse,
) -> Value:
    """The depths that one window reads beside each other as channels, every depth a plane."""
    if auto_pad == AutoPad.SAME:
        dilations = (1, 1, 1)
    kernel = build.known_sizes(filter, (2, 3, 4))
    covered = windows.extents(kernel, dilations)
    spatial = input.shape[2:]
    around: dict[str, Any] = {"auto_pad": AutoPad.SAME}
    if auto_pad == AutoPad.SAME and any(isinstance(d, Expr) for d in spatial):
        x = _pad_to_same(input, 2, covered[0], strides[0])
    else:
        known = plain_sizes(spatial) if auto_pad == AutoPad.SAME else kernel  # as many
        pairs = windows.resolve_padding(auto_pad, pads, known, covered, strides)
        x, around = pad_axes(input, {2: pairs[0]}, 0), {"pads": _flat(pairs[1:])}
    pieces = [
        shape.unsqueeze(every(x, 2, k * dilations[0], covered[0], strides[0]), [2])
        for k in range(kernel[0])
    ]
    deep = shape.concat(*pieces, axis=2) if len(pieces) > 1 else pieces[0]
    n, c, taps, depth, *plane = build.sizes_of(deep)
    moved = shape.transpose(deep, perm=(0, 3, 1, 2, 4, 5))
    planes = build.reshape(moved, [build.times(n, depth), build.times(c, taps), *plane])
    out, each = build.known_sizes(filter, (0, 1))
    flat = build.reshape(filter, [out, each * kernel[0], *kernel[1:]])
    result = conv.conv_2d(
        planes,
        flat,
        bias,
        strides=strides[1:],
        group=group,
        dilations=dilations[1:],
        fuse_code=fuse_code,
        **around,
    )
    split = build.reshape(result, [n, depth, *build.sizes_of(result)[1:]])
    return shape.transpose(split, perm=(0, 2, 1, 3, 4))


def convolve_spread(
    input: Value, filter: Value, bias: Value, *, dilations: tuple[int, ...], **how: Any
) -> Value:
    """CONV_2D without dilations, which SAME ignores, by a filter with zeros between its taps."""
    if max(dilations) == 1 or how["auto_pad"] == AutoPad.SAME:
        raise Unsupported("a convolution without dilations, as it is")
    taps = _spread(_spread(filter, dilations[0], 2), dilations[1], 3)
    return conv.conv_2d(input, taps, bias, dilations=(1, 1), **how)


def convolve_groups(input: Value, filter: Value, bias: Value, *, group: int, **how: Any) -> Value:
    """CONV_2D of each group of channels by itself."""
    if group == 1:
        raise Unsupported("a convolution of one group, as it is")
    parts = []
    for value, axis in ((input, 1), (filter, 0), (bias, 0)):
        (size,) = build.known_sizes(value, [axis])
        parts.append(shape.split(value, [size // group] * group, axis=axis))
    made = [conv.conv_2d(*part, **how) for part in zip(*parts, strict=True)]
    return shape.concat(*made, axis=1)


@conv.conv_2d_transpose.decomposes(level=Level.ROUNDING)
def _conv_2d_transpose_dilated(
    input: Value,
    filter: Value,
    bias: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
    output_padding: tuple[int, ...] | None,
    output_shape: tuple[int, ...] | None,
    fuse_code: Fuse,
) -> Value:
    """The same without dilations, by a filter with zeros between its taps."""
    if max(dilations) == 1 or auto_pad == AutoPad.SAME or group > 1:
        raise Unsupported("a transposed convolution without dilations, or in groups, as it is")
    taps = filter
    for axis, step in enumerate(dilations, 2):
        taps = _spread(taps, step, axis)
    result: Value = conv.conv_2d_transpose(
        input,
        taps,
        bias,
        auto_pad=auto_pad,
        pads=pads,
        strides=strides,
        dilations=(1, 1),
        output_padding=output_padding,
        output_shape=output_shape,
        fuse_code=fuse_code,
    )
    return result


@conv.conv_2d_transpose.decomposes(level=Level.ROUNDING)
def _conv_2d_transpose(
    input: Value,
    filter: Value,
    bias: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
    output_padding: tuple[int, ...] | None,
    output_shape: tuple[int, ...] | None,
    fuse_code: Fuse,
) -> Value:
    """A convolution of an image with zeros between its pixels, by the taps turned round."""
    if auto_pad == AutoPad.SAME:
        dilations = (1, 1)
    channels, each, *kernel = build.known_sizes(filter, range(4))
    spatial, covered = plain_sizes(input.shape[2:]), windows.extents(kernel, dilations)
    pairs = windows.resolve_padding(auto_pad, pads, spatial, covered, strides)
    borders, extra = {}, output_padding or (0, 0)
    for k, (size, step, extent) in enumerate(zip(spatial, strides, covered, strict=True)):
        full = (size - 1) * step + extent
        out = output_shape[k] if output_shape else full + extra[k] - sum(pairs[k])
        borders[k + 2] = extent - 1 - pairs[k][0], out - size * step + pairs[k][0]
    x = pad_axes(_pixels_apart(input, strides), borders, 0)
    size = channels // group
    split = build.reshape(filter, [group, size, each, *kernel])
    joined = shape.transpose(split, perm=(0, 2, 1, 3, 4))
    taps = build.reshape(joined, [group * each, size, *kernel])
    turned = index.slice_(taps, [2, 3], [-1, -1], [build.FRONT, build.FRONT], [-1, -1])
    result: Value = conv.conv_2d(
        x, turned, bias, strides=(1, 1), group=group, dilations=dilations, fuse_code=fuse_code
    )
    return result


@conv.conv_3d_transpose.decomposes(level=Level.ROUNDING)
def _conv_3d_transpose(
    input: Value,
    filter: Value,
    bias: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
    output_padding: tuple[int, ...] | None,
    output_shape: tuple[int, ...] | None,
    fuse_code: Fuse,
) -> Value:
    """Every depth a plane and every tap of depth channels of its own, added up where they fall."""
    if auto_pad == AutoPad.SAME:
        dilations = (1, 1, 1)
    channels, each, *kernel = build.known_sizes(filter, range(5))
    spatial = plain_sizes(input.shape[2:])
    covered = windows.extents(kernel, dilations)
    pairs = windows.resolve_padding(auto_pad, pads, spatial, covered, strides)
    extra = output_padding or (0, 0, 0)
    axes = zip(spatial, strides, covered, pairs, extra, strict=True)
    out = output_shape or [int(windows.transposed_size(*axis)) for axis in axes]  # type: ignore[arg-type]
    n, _, depth, *plane = build.sizes_of(input)
    moved = shape.transpose(input, perm=(0, 2, 1, 3, 4))
    planes = build.reshape(moved, [build.times(n, depth), channels, *plane])
    flat = build.reshape(filter, [channels, each * kernel[0], *kernel[1:]])
    result = conv.conv_2d_transpose(
        planes,
        flat,
        input.model.constant(np.zeros(each * kernel[0] * group, input.dtype)),
        pads=_flat(pairs[1:]),
        strides=strides[1:],
        group=group,
        dilations=dilations[1:],
        output_padding=tuple(extra[1:]),
        output_shape=tuple(out[1:]),
    )
    taps = build.reshape(result, [n, depth, each * group, kernel[0], *out[1:]])
    total: Value | None = None
    for k in range(kernel[0]):
        tap = shape.squeeze(index.slice_(taps, [3], [k], [k + 1]), [3])
        spread = _spread(shape.transpose(tap, perm=(0, 2, 1, 3, 4)), strides[0])
        after = covered[0] - 1 - k * dilations[0]
        placed = pad_axes(spread, {2: (k * dilations[0], after)}, 0)
        total = placed if total is None else total + placed
    if total is None:
        raise Unsupported(f"a filter {filter.type} without taps")
    full = int(total.shape[2])  # type: ignore[arg-type]  # all sizes are known
    before = pairs[0][0]
    fitted = pad_axes(total, {2: (-before, before + out[0] - full)}, 0)
    result = fitted + shape.reshape(bias, [-1, 1, 1, 1])
    return ACTIVATIONS[fuse_code](result) if fuse_code in ACTIVATIONS else result


@conv.col_2_im.decomposes(level=Level.ROUNDING)
def _col_2_im(
    input: Value,
    image_shape: Value,
    block_shape: Value,
    *,
    dilations: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> Value:
    """A transposed convolution by filters that each copy one element of a block."""
    image, block = ints(image_shape), ints(block_shape)
    if image is None or block is None or any(isinstance(d, Expr) for d in image):
        raise NotConstant("the sizes of an image and its blocks")
    if len(image) != 2 or not input.is_float:
        raise Unsupported(f"blocks {input.type} in an image of {len(image)} axes")
    taps = int(np.prod(block))
    steps, dilated = strides or (1, 1), dilations or (1, 1)
    pairs = windows.pair_pads(pads, 2)
    covered = windows.extents(block, dilated)
    axes = zip(image, covered, steps, pairs, strict=True)
    blocks = [int(windows.slid(*axis)) for axis in axes]  # type: ignore[arg-type]
    n, wide, _ = build.sizes_of(input)
    copies = np.eye(taps, dtype=input.dtype).reshape(taps, 1, *block)
    planes = build.reshape(input, [build.times(n, build.over(wide, taps)), taps, *blocks])
    result = conv.conv_2d_transpose(
        planes,
        input.model.constant(copies),
        input.model.constant(np.zeros(1, input.dtype)),
        pads=_flat(pairs),
        strides=tuple(steps),
        dilations=tuple(dilated),
        output_shape=tuple(image),
    )
    return build.reshape(result, [n, build.over(wide, taps), *image])


def pad_axes(x: Value, pairs: dict[int, tuple[int, int]], value: float) -> Value:
    """`value` before and after along some axes; what is below 0 is cut off."""
    result = x
    for axis, (before, after) in pairs.items():
        if before < 0 or after < 0:
            end = after if after < 0 else build.END
            result = index.slice_(result, [axis], [max(-before, 0)], [end])
    widths = [max(w, 0) for a in range(x.rank) for w in pairs.get(a, (0, 0))]
    if not any(widths):
        return result
    return shape.pad(result, np.array(widths, np.int32), x.scalar(value))


def _pad_to_same(x: Value, axis: int, extent: int, stride: int) -> Value:
    """What SAME adds along an axis, whose size may be open: as many windows as strides."""
    size = build.size_of(x, axis)
    if isinstance(size, int) or stride == 1:
        known = size if isinstance(size, int) else extent
        return pad_axes(x, {axis: windows.same_pads(known, extent, stride)}, 0)
    covered = build.times(build.over(build.plus(size, stride - 1), stride), stride)
    missing = build.minus(build.plus(covered, extent - stride), size)
    whole = binary.max_(build.vector(x.model, [missing], negative=True), [0])
    before = build.over(whole, 2)
    widths: list[build.Size] = [0] * (2 * x.rank)
    widths[2 * axis : 2 * axis + 2] = before, build.minus(whole, before)
    return shape.pad(x, build.vector(x.model, widths), x.scalar(0))


def plain_sizes(sizes: Sequence[Dim]) -> list[int]:
    """Sizes that are known while converting; NotConstant where one is not."""
    if any(isinstance(d, Expr) for d in sizes):
        raise NotConstant(f"the sizes {list(map(str, sizes))}")
    return [int(d) for d in sizes]  # type: ignore[arg-type]


def _flat(pairs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(n for pair in pairs for n in pair)


def every(x: Value, axis: int, start: int, extent: int, stride: int) -> Value:
    """What one tap reads in all windows: as many elements as there are windows."""
    end = start + 1 - extent
    return index.slice_(x, [axis], [start], [end if end < 0 else build.END], [stride])


def _pixels_apart(x: Value, strides: Sequence[int]) -> Value:
    """An image with `stride` - 1 zeros behind each pixel along each axis, moved channels last."""
    if max(strides) == 1:
        return x
    n, channels, height, width = build.sizes_of(x)
    (down, across), last = strides, shape.transpose(x, perm=(0, 2, 3, 1))
    pixels = build.reshape(last, [n, height, 1, width, 1, channels])
    apart = pad_axes(pixels, {2: (0, down - 1), 4: (0, across - 1)}, 0)
    sizes = [n, build.times(height, down), build.times(width, across), channels]
    return shape.transpose(build.reshape(apart, sizes), perm=(0, 3, 1, 2))


def _spread(x: Value, stride: int, axis: int = 2) -> Value:
    """`stride` - 1 zeros between the elements along an axis."""
    if stride == 1:
        return x
    sizes = build.sizes_of(x)
    apart = pad_axes(shape.unsqueeze(x, [axis + 1]), {axis + 1: (0, stride - 1)}, 0)
    sizes[axis] = build.times(sizes[axis], stride)
    joined = build.reshape(apart, sizes)
    return index.slice_(joined, [axis], [0], [1 - stride])


def _convolution_in(kind: Precision, parts: int = 1) -> Callable[..., Value]:
    """The decomposition of CONV_INTEGER into a convolution in a precision, of each of two `parts`
    of the integers."""

    def decompose(
        input: Value,
        filter: Value,
        input_zero_point: Value | None = None,
        filter_zero_point: Value | None = None,
        *,
        pads: tuple[int, ...] | None = None,
        strides: tuple[int, ...],
        group: int = 1,
        dilations: tuple[int, ...],
    ) -> Value:
        rank = len(strides)
        if rank not in (2, 3):
            raise Unsupported(f"conv_integer with {rank} spatial axes")
        if kind == Precision.FLOAT32:
            _require_exact(filter, 255 if parts == 1 else HALF)
        x = _less_zero_point(input, input_zero_point, 0, kind)
        w = _less_zero_point(filter, filter_zero_point, rank + 1, kind)
        if isinstance(filter.shape[0], Expr):
            raise NotConstant(f"conv_integer needs a known number of filters, not {filter.type}")
        bias = input.model.constant(np.zeros(filter.shape[0], kind.dtype))
        made = partial(
            conv.conv_2d if rank == 2 else conv.conv_3d,
            pads=pads,
            strides=strides,
            group=group,
            dilations=dilations,
        )
        if parts == 1:
            return made(x, w, bias).cast(Precision.INT32)
        high = unary.floor(x / HALF)
        sums = (made(part, w, bias).cast(Precision.INT32) for part in (high, x - high * HALF))
        return next(sums) * HALF + next(sums)

    return decompose


def _require_exact(filter: Value, most: int) -> None:
    """Unsupported unless FLOAT32 holds all sums of products with integers of up to `most`."""
    terms = product(filter.shape[1:])
    if isinstance(terms, Expr) or terms * most * 255 >= MOST_EXACT:
        raise Unsupported(f"sums of {filter.type} in 24 bits")


def _less_zero_point(value: Value, zero: Value | None, tail: int, kind: Precision) -> Value:
    """Integers less their zero point, which may be one for each entry of the first axis."""
    real = value.cast(kind)
    if zero is None:
        return real
    many = zero.rank and zero.shape[0] != 1 and tail
    return real - (shape.reshape(zero, (-1, *(1,) * tail)) if many else zero).cast(kind)


MOST_EXACT = 1 << 24
"""Integers below it have all their digits in FLOAT32."""
HALF = 16
"""Integers of 8 bits less a zero point are cut in two by this."""
conv.conv_integer.decomposes()(_convolution_in(Precision.INT32))
for _parts in (1, 2):  # where a device has no convolution of integers
    conv.conv_integer.decomposes()(_convolution_in(Precision.FLOAT32, _parts))
