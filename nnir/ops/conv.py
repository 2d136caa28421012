"""Convolutions. The arithmetic over any number of spatial axes is in `windows`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..broadcast import contents, length_of, shapes_differ, text
from ..dim import Dim, Expr, ceil_div, differ, maximum, product
from ..model import Index, Value
from ..numeric import apply_fuse_code, wide
from ..operator import of_windows, operator, require
from ..types import AutoPad, Fuse, Precision, TensorType
from . import windows
from .rules import require_integers


def _dilations(auto_pad: AutoPad, dilations: Sequence[int]) -> tuple[int, ...]:
    """SAME has no dilation in the standard."""
    return (1,) * len(dilations) if auto_pad == AutoPad.SAME else tuple(dilations)


def _add_bias(result: np.ndarray, bias: np.ndarray | None, fuse_code: Fuse) -> np.ndarray:
    if bias is not None:
        result = result + bias.reshape(-1, *(1,) * (result.ndim - 2)).astype(result.dtype)
    return apply_fuse_code(result, fuse_code)


@wide
def _conv(
    input: np.ndarray,
    filter: np.ndarray,
    bias: np.ndarray,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
    fuse_code: Fuse,
) -> np.ndarray:
    dilations = _dilations(auto_pad, dilations)
    covered = windows.extents(filter.shape[2:], dilations)
    pairs = windows.resolve_padding(auto_pad, pads, input.shape[2:], covered, strides)
    result = windows.convolve(input, filter, pairs, strides, group, dilations)
    return _add_bias(result, bias, fuse_code)


def _check(name: str, rank: int, input: Value, filter: Value, bias: Value | None) -> None:
    operands = [input, filter] if bias is None else [input, filter, bias]
    numbers = all(v.is_float or v.is_integer for v in operands)
    types = input.type, filter.type
    require(numbers, "{} needs numbers, not {} and {}", name, *types)
    same = len({v.precision for v in operands}) == 1
    require(same, "{} of {} and {}: one precision is needed", name, *types)
    found = input.rank, filter.rank
    require(
        found == (rank + 2, rank + 2),
        "{} needs two operands of rank {}, not {} and {}",
        *(name, rank + 2, *types),
    )
    require(bias is None or bias.rank == 1, f"{name} needs a bias of rank 1")


def _check_group(name: str, channels: Dim, filters: Dim, count: Dim, group: int) -> None:
    """`count` channels in a filter, `filters` of them, for an input of `channels`."""
    fits = isinstance(channels, Expr) or isinstance(count, Expr) or channels == count * group
    require(group > 0 and fits, f"{name} of {channels} channels with {count} in {group} groups")
    even = isinstance(filters, Expr) or filters % group == 0
    require(even, f"{name} of {filters} filters in {group} groups")


def _sizes(
    input: Value,
    kernel: Sequence[Dim],
    auto_pad: AutoPad,
    pads: Sequence[int] | None,
    strides: Sequence[int],
    dilations: Sequence[int],
) -> list[Dim]:
    """The spatial sizes of the result of a convolution."""
    rank = len(kernel)
    if auto_pad == AutoPad.SAME:
        return [ceil_div(d, s) for d, s in zip(input.shape[2:], strides, strict=True)]
    pairs = windows.pair_pads(None if auto_pad == AutoPad.VALID else pads, rank)
    axes = zip(input.shape[2:], kernel, strides, dilations, pairs, strict=True)
    return [windows.slid(n, (k - 1) * d + 1, s, p) for n, k, s, d, p in axes]


def _conv_type(
    name: str,
    input: Value,
    filter: Value,
    bias: Value | None,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
) -> TensorType:
    rank = len(strides)
    windows.check_window(name, rank, strides=strides, dilations=dilations)
    _check(name, rank, input, filter, bias)
    _check_group(name, input.shape[1], filter.shape[0], filter.shape[1], group)
    sizes = _sizes(input, filter.shape[2:], auto_pad, pads, strides, dilations)
    return input.type.with_shape((input.shape[0], filter.shape[0], *sizes))


@operator(steps=of_windows, code=14, reference=_conv)
def conv_2d(
    input: Value,
    filter: Value,
    bias: Value,
    *,
    auto_pad: AutoPad = AutoPad.NONE,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...],
    group: int = 1,
    dilations: tuple[int, ...],
    fuse_code: Fuse = Fuse.NONE,
) -> TensorType:
    """2-D convolution (cross-correlation), grouped or depthwise.

    Types: any float or integer, one for all three; integers wrap.
    Shapes: [N, C, H, W] with a filter [O, C / group, kh, kw] and a bias [O] to [N, O, H', W'],
        H' = floor((H + top + bottom - (dh (kh - 1) + 1)) / sh) + 1; pads are top, bottom, left,
        right.
    Edges: auto_pad SAME gives ceil(H / sh), the odd pad after, and has no dilation.
    """
    require(len(strides) == 2, f"conv_2d with strides={strides}: 2 numbers are needed")
    return _conv_type(
        "conv_2d",
        input,
        filter,
        bias,
        auto_pad=auto_pad,
        pads=pads,
        strides=strides,
        group=group,
        dilations=dilations,
    )


@operator(steps=of_windows, code=1400, reference=_conv)
def conv_3d(
    input: Value,
    filter: Value,
    bias: Value,
    *,
    auto_pad: AutoPad = AutoPad.NONE,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...],
    group: int = 1,
    dilations: tuple[int, ...],
    fuse_code: Fuse = Fuse.NONE,
) -> TensorType:
    """3-D convolution: CONV_2D with one spatial axis more.

    Types: any float or integer, one for all three; integers wrap.
    Shapes: [N, C, D, H, W] with a filter [O, C / group, kd, kh, kw] to [N, O, D', H', W'];
        pads are (before, after) of D, H, W.
    Edges: as CONV_2D.
    """
    require(len(strides) == 3, f"conv_3d with strides={strides}: 3 numbers are needed")
    return _conv_type(
        "conv_3d",
        input,
        filter,
        bias,
        auto_pad=auto_pad,
        pads=pads,
        strides=strides,
        group=group,
        dilations=dilations,
    )


def _transposed_pads(
    auto_pad: AutoPad, pads: Sequence[int] | None, sizes: Sequence[int], *rest: Sequence[int]
) -> windows.Pairs:
    kernel, strides, dilations = rest
    return windows.resolve_padding(
        auto_pad, pads, sizes, windows.extents(kernel, dilations), strides
    )


@wide
def _conv_transpose(
    input: np.ndarray,
    filter: np.ndarray,
    bias: np.ndarray,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
    output_padding: tuple[int, ...] | None,
    output_shape: tuple[int, ...] | None,
    fuse_code: Fuse,
) -> np.ndarray:
    dilations = _dilations(auto_pad, dilations)
    kernel, spatial = filter.shape[2:], input.shape[2:]
    pairs = _transposed_pads(auto_pad, pads, spatial, kernel, strides, dilations)
    extra = output_padding or (0,) * len(strides)
    covered = windows.extents(kernel, dilations)
    axes = zip(spatial, strides, covered, pairs, extra, strict=True)
    out = output_shape or tuple(int(windows.transposed_size(*axis)) for axis in axes)  # type: ignore[arg-type]
    result = windows.convolve_transposed(input, filter, pairs, strides, group, dilations, out)
    return _add_bias(result, bias, fuse_code)


def _conv_transpose_type(
    name: str,
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
) -> TensorType:
    rank = len(strides)
    windows.check_window(name, rank, strides=strides, dilations=dilations)
    _check(name, rank, input, filter, bias)
    require(input.is_float, f"{name} needs floats, not {input.type}")
    _check_group(name, input.shape[1], filter.shape[0], filter.shape[0] // group, group)
    channels = filter.shape[1] * group
    if output_shape is not None:
        windows.check_window(name, rank, output_shape=output_shape)
        return input.type.with_shape((input.shape[0], channels, *output_shape))
    spatial = input.shape[2:]
    static = auto_pad != AutoPad.SAME or not any(isinstance(d, Expr) for d in spatial)
    require(static, f"{name} with auto_pad SAME needs known sizes, not {input.type}")
    dilations = _dilations(auto_pad, dilations)
    kernel = filter.shape[2:]
    pairs = _transposed_pads(auto_pad, pads, spatial, kernel, strides, dilations)  # type: ignore[arg-type]
    extra = output_padding or (0,) * rank
    windows.check_window(name, rank, output_padding=tuple(e + 1 for e in extra))
    covered = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    axes = zip(spatial, strides, covered, pairs, extra, strict=True)
    sizes = [windows.transposed_size(*axis) for axis in axes]  # type: ignore[arg-type]
    return input.type.with_shape((input.shape[0], channels, *sizes))


@operator(steps=of_windows, code=15, reference=_conv_transpose)
def conv_2d_transpose(
    input: Value,
    filter: Value,
    bias: Value,
    *,
    auto_pad: AutoPad = AutoPad.NONE,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...],
    group: int = 1,
    dilations: tuple[int, ...],
    output_padding: tuple[int, ...] | None = (0, 0),
    output_shape: tuple[int, ...] | None = None,
    fuse_code: Fuse = Fuse.NONE,
) -> TensorType:
    """2-D transposed convolution.

    Types: any float, one for all three.
    Shapes: [N, C, H, W] with a filter [C, O / group, kh, kw] and a bias [O] to [N, O, H', W'],
        H' = (H - 1) sh - top - bottom + dh (kh - 1) + 1 + output_padding; output_shape overrides
        H' and W' and leaves the padding before as it is.
    Edges: what no tap reaches is the bias.
    """
    require(len(strides) == 2, f"conv_2d_transpose with strides={strides}: 2 are needed")
    return _conv_transpose_type(
        "conv_2d_transpose",
        input,
        filter,
        bias,
        auto_pad=auto_pad,
        pads=pads,
        strides=strides,
        group=group,
        dilations=dilations,
        output_padding=output_padding,
        output_shape=output_shape,
    )


@operator(steps=of_windows, code=1401, reference=_conv_transpose)
def conv_3d_transpose(
    input: Value,
    filter: Value,
    bias: Value,
    *,
    auto_pad: AutoPad = AutoPad.NONE,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...],
    group: int = 1,
    dilations: tuple[int, ...],
    output_padding: tuple[int, ...] | None = None,
    output_shape: tuple[int, ...] | None = None,
    fuse_code: Fuse = Fuse.NONE,
) -> TensorType:
    """3-D transposed convolution: CONV_2D_TRANSPOSE with one spatial axis more.

    Types: any float, one for all three.
    Shapes: [N, C, D, H, W] with a filter [C, O / group, kd, kh, kw] to [N, O, D', H', W'].
    Edges: as CONV_2D_TRANSPOSE.
    """
    require(len(strides) == 3, f"conv_3d_transpose with strides={strides}: 3 are needed")
    return _conv_transpose_type(
        "conv_3d_transpose",
        input,
        filter,
        bias,
        auto_pad=auto_pad,
        pads=pads,
        strides=strides,
        group=group,
        dilations=dilations,
        output_padding=output_padding,
        output_shape=output_shape,
    )


def _subtract_zero_point(value: np.ndarray, zero: np.ndarray | None, rank: int) -> np.ndarray:
    """Integers less their zero point, one per layer or one per entry of axis 0."""
    result = value.astype(np.int32)
    if zero is None:
        return result
    per_channel = zero.reshape(-1, *(1,) * (rank - 1)) if zero.size > 1 else zero.reshape(())
    return result - per_channel.astype(np.int32)


def _conv_integer(
    input: np.ndarray,
    filter: np.ndarray,
    input_zero_point: np.ndarray | None = None,
    filter_zero_point: np.ndarray | None = None,
    *,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    dilations: tuple[int, ...],
) -> np.ndarray:
    x = _subtract_zero_point(input, input_zero_point, input.ndim)
    w = _subtract_zero_point(filter, filter_zero_point, filter.ndim)
    pairs = windows.pair_pads(pads, len(strides))
    return windows.convolve(x, w, pairs, strides, group, dilations)


@operator(steps=of_windows, code=1402, reference=_conv_integer)
def conv_integer(
    input: Value,
    filter: Value,
    input_zero_point: Value | None = None,
    filter_zero_point: Value | None = None,
    *,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...],
    group: int = 1,
    dilations: tuple[int, ...],
) -> TensorType:
    """Convolution of 8-bit integers less their zero points, summed up in int32.

    Types: int8 or uint8 for each of `input` and `filter`, with zero points of the same type;
        the result is int32.
    Shapes: as CONV_2D, with any number of spatial axes; `input_zero_point` is one number,
        `filter_zero_point` one or [O].
    Edges: the padding is the zero point, so it adds nothing.
    """
    narrow = (Precision.INT8, Precision.UINT8)
    good = input.precision in narrow and filter.precision in narrow
    require(good, f"conv_integer needs 8-bit integers, not {input.type} and {filter.type}")
    for zero, of, counts in (
        (input_zero_point, input, (1,)),
        (filter_zero_point, filter, (1, *filter.shape[:1])),
    ):
        if zero is not None:
            fits = zero.precision == of.precision and product(zero.shape) in counts
            require(fits, f"conv_integer with zero point {zero.type} of {of.type}")
    rank = len(strides)
    windows.check_window("conv_integer", rank, strides=strides, dilations=dilations)
    fits = input.rank == filter.rank == rank + 2
    require(fits, f"conv_integer with {rank} strides of {input.type} and {filter.type}")
    _check_group("conv_integer", input.shape[1], filter.shape[0], filter.shape[1], group)
    sizes = _sizes(input, filter.shape[2:], AutoPad.NONE, pads, strides, dilations)
    return TensorType(Precision.INT32, (input.shape[0], filter.shape[0], *sizes))


def _col_2_im(
    input: np.ndarray,
    image_shape: np.ndarray,
    block_shape: np.ndarray,
    *,
    dilations: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
) -> np.ndarray:
    sizes, kernel = image_shape.tolist(), block_shape.tolist()
    rank = len(sizes)
    pairs = windows.pair_pads(pads, rank)
    steps, dilated = strides or (1,) * rank, dilations or (1,) * rank
    covered = windows.extents(kernel, dilated)
    axes = zip(sizes, covered, steps, pairs, strict=True)
    blocks = [int(windows.slid(*axis)) for axis in axes]  # type: ignore[arg-type]
    channels = input.shape[1] // int(np.prod(kernel))
    columns = input.reshape(input.shape[0], channels, *kernel, *blocks)
    full = windows.fold(columns, rank, steps, dilated)
    ends = zip(pairs, sizes, full.shape[2:], strict=True)
    return windows.pad(full, tuple((-before, before + n - m) for (before, _), n, m in ends))


@operator(steps=of_windows, code=1403, reference=wide(_col_2_im))
def col_2_im(
    input: Value,
    image_shape: Index,
    block_shape: Index,
    *,
    dilations: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> TensorType:
    """Put columns of blocks back into an image, adding up where blocks overlap.

    Types: any number; integers wrap.
    Shapes: [N, C prod(block), blocks] to [N, C, *image]; pads are (before, after) of each axis.
    Edges: elements that no block covers are 0.
    """
    require(input.rank == 3, f"col_2_im needs rank 3, not {input.type}")
    rank = length_of(image_shape)
    for given in (image_shape, block_shape):
        require_integers(given, "the shapes of col_2_im")
        require(given.rank == 1, f"col_2_im with {given.type}")
    image, block = contents(image_shape), contents(block_shape)
    sizes = image or tuple(input.model.fresh() for _ in range(rank))
    if block is None:
        return input.type.with_shape((input.shape[0], input.model.fresh(), *sizes))
    whole = maximum(product(block), 1)
    is_odd = differ(input.shape[1] // whole * whole, input.shape[1])
    require(not is_odd, f"col_2_im of {input.type}, which holds no blocks of {text(block)}")
    return input.type.with_shape((input.shape[0], input.shape[1] // whole, *sizes))


@wide
def _deformable_conv_2d(
    input: np.ndarray,
    offset: np.ndarray,
    mask: np.ndarray,
    filter: np.ndarray,
    bias: np.ndarray,
    *,
    pads: tuple[int, ...] | None,
    strides: tuple[int, ...],
    group: int,
    deformable_group: int,
    dilations: tuple[int, ...],
    fuse_code: Fuse,
) -> np.ndarray:
    batch, channels = input.shape[:2]
    (kh, kw), (oh, ow) = filter.shape[2:], offset.shape[2:]
    pairs = windows.pair_pads(pads, 2)
    shifts = offset.reshape(batch, deformable_group, kh, kw, 2, oh, ow)
    y, x = (
        np.arange(n).reshape(shape) * s - before + np.arange(k).reshape(tap) * d
        for n, k, s, d, (before, _), shape, tap in zip(
            (oh, ow),
            (kh, kw),
            strides,
            dilations,
            pairs,
            ((oh, 1), (1, ow)),
            ((kh, 1, 1, 1), (kw, 1, 1)),
            strict=True,
        )
    )
    split = input.reshape(batch, deformable_group, channels // deformable_group, *input.shape[2:])
    sampled = _bilinear(split, shifts[:, :, :, :, 0] + y, shifts[:, :, :, :, 1] + x)
    sampled = sampled * mask.reshape(batch, deformable_group, 1, kh, kw, oh, ow)
    columns = sampled.reshape(batch, group, channels // group * kh * kw, oh * ow)
    weights = filter.reshape(group, filter.shape[0] // group, -1).astype(columns.dtype)
    result = np.matmul(weights, columns).reshape(batch, filter.shape[0], oh, ow)
    return _add_bias(result.astype(input.dtype), bias, fuse_code)


def _bilinear(input: np.ndarray, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Sample [N, G, C, H, W] at positions [N, G, ...]; zero outside."""
    height, width = input.shape[3:]
    top, left = np.floor(y), np.floor(x)
    total: np.ndarray | float = 0.0
    lead = np.arange(input.shape[0])[:, None], np.arange(input.shape[1])[None, :]
    planes = np.moveaxis(input, 2, -1)
    batch, part = (a.reshape(*a.shape, *(1,) * (y.ndim - 2)) for a in lead)
    for row, down in ((top, 1 - (y - top)), (top + 1, y - top)):
        for column, right in ((left, 1 - (x - left)), (left + 1, x - left)):
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            at_y = np.where(inside, row, 0).astype(np.int64)
            at_x = np.where(inside, column, 0).astype(np.int64)
            weight = np.where(inside, down * right, 0).astype(input.dtype)
            total = total + planes[batch, part, at_y, at_x] * weight[..., None]
    return np.moveaxis(np.asarray(total), -1, 2)


@operator(steps=of_windows, code=18, reference=_deformable_conv_2d)
def deformable_conv_2d(
    input: Value,
    offset: Value,
    mask: Value,
    filter: Value,
    bias: Value,
    *,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...],
    group: int = 1,
    deformable_group: int = 1,
    dilations: tuple[int, ...],
    fuse_code: Fuse = Fuse.NONE,
) -> TensorType:
    """2-D convolution whose taps are shifted by offsets and weighted by a mask (version 2).

    Types: any float, one for all five.
    Shapes: as CONV_2D; `offset` is [N, 2 deformable_group kh kw, H', W'] with (y, x) for each tap,
        `mask` [N, deformable_group kh kw, H', W'].
    Edges: a tap between pixels is bilinear; outside the image everything is 0.
    """
    require(input.is_float, f"deformable_conv_2d needs floats, not {input.type}")
    require(offset.rank == 4 and mask.rank == 4, "deformable_conv_2d needs offsets of rank 4")
    require(deformable_group > 0, f"deformable_conv_2d with deformable_group={deformable_group}")
    made = _conv_type(
        "deformable_conv_2d",
        input,
        filter,
        bias,
        auto_pad=AutoPad.NONE,
        pads=pads,
        strides=strides,
        group=group,
        dilations=dilations,
    )
    for value in (offset, mask):
        own, wanted = ((d for k, d in enumerate(v.shape) if k != 1) for v in (value, made))
        fits = not shapes_differ((*own,), (*wanted,))
        require(fits, f"deformable_conv_2d of {made} with offsets or mask {value.type}")
    return made
