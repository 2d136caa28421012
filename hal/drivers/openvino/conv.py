"""Convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import conv
from nnir.types import Fuse, Precision

from ...attributes import Ints, Transposed, Window
from ...lowering import Lowerings
from ...quirks import report_met
from . import windows
from .binary import apply_fuse_code
from .emitter import Emitter, Ref
from .quirks import DILATED_TAP
from .strides import convolve

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32


def _require_float(name: str, input: Value) -> None:
    if not input.is_float:
        raise NoLowering(f"openvino has no {name} of {input.precision.name}")


def _group_filters(g: Emitter, filter: Value, group: int) -> Ref:
    """Filters of each group behind a new first axis; a view of a constant."""
    first, *rest = filter.shape
    if filter.constant is not None:
        array = filter.constant.reshape(group, int(first) // group, *filter.constant.shape[1:])  # type: ignore[arg-type]
        return g.constant(array).cast(FLOAT32)
    if isinstance(first, Expr):
        raise NoLowering(f"openvino: groups of a filter {filter.type}")
    shape = [group, first // group, *(-1 if isinstance(d, Expr) else d for d in rest)]
    return g.reshape(g.cast(filter, FLOAT32), shape)


def _add_bias(g: Emitter, result: Ref, bias: Value, rank: int) -> Ref:
    if bias.constant is not None:
        if not bias.constant.any():
            return result
        column = g.constant(bias.constant.reshape(1, -1, *(1,) * rank)).cast(FLOAT32)
    else:
        column = g.reshape(g.cast(bias, FLOAT32), [1, -1, *(1,) * rank])
    return result + column


@table.lower(conv.conv_2d, conv.conv_3d, how=Window)
def convolution(
    g: Emitter,
    input: Value,
    filter: Value,
    bias: Value,
    *,
    group: int,
    fuse_code: Fuse,
    how: Window,
) -> Ref:
    """The native operator without negative padding, which is cut off before."""
    _require_float("convolution", input)
    over = how.over(windows.spatial_sizes("a filter", filter))
    given: dict[str, Any] = {**windows.padding(input, over)}
    x = g.cast(input, FLOAT32)
    pairs = list(zip(given["pads_begin"], given["pads_end"], strict=True))
    if any(a < 0 or b < 0 for a, b in pairs):
        x = windows.add_border(g, x, [(min(a, 0), min(b, 0)) for a, b in pairs])
        given |= {k: [max(p, 0) for p in given[k]] for k in ("pads_begin", "pads_end")}
    result = _convolve(g, "Convolution", x, filter, group, how, given)
    return apply_fuse_code(g, _add_bias(g, result, bias, how.rank), fuse_code)


def _convolve(
    g: Emitter,
    name: str,
    x: Ref,
    filter: Value,
    group: int,
    how: Window,
    given: dict[str, Any],
) -> Ref:
    given = {"strides": how.strides, "dilations": _spacings(filter, how.dilations), **given}
    if group > 1:
        return g.node(f"Group{name}", x, _group_filters(g, filter, group), **given)
    taps = g.cast(filter, FLOAT32)
    if name == "Convolution":
        return convolve(g, x, taps, given)
    return g.node(name, x, taps, **given)


def _spacings(filter: Value, dilations: Ints) -> Ints:
    """The dilations; of one tap it is 1, as OpenVINO may crash otherwise."""
    pairs = list(zip(filter.shape[2:], dilations, strict=True))
    if any(size == 1 and d != 1 for size, d in pairs):
        report_met(DILATED_TAP)
    return tuple(1 if size == 1 else d for size, d in pairs)


@table.lower(conv.conv_2d_transpose, conv.conv_3d_transpose, how=Transposed)
def transposed_convolution(
    g: Emitter,
    input: Value,
    filter: Value,
    bias: Value,
    *,
    group: int,
    fuse_code: Fuse,
    how: Transposed,
) -> Ref:
    """The native operator; what it cannot be told of the border is padded or cut off after it."""
    _require_float("transposed convolution", input)
    how = how.over(windows.spatial_sizes("a filter", filter))
    borders = how.growth(windows.spatial_sizes("CONV_2D_TRANSPOSE", input) if how.is_forced else ())
    inner = [(max(-a, 0), max(-b, 0)) for a, b in borders]
    outer = [(max(a, 0), max(b, 0)) for a, b in borders]
    given = {**windows.explicit(inner), "output_padding": [0] * how.rank}
    x = g.cast(input, FLOAT32)
    result = _convolve(g, "ConvolutionBackpropData", x, filter, group, how, given)
    result = _add_bias(g, windows.add_border(g, result, outer), bias, how.rank)
    return apply_fuse_code(g, result, fuse_code)


PARTS = 16
"""Integers of 8 bits less a zero point are cut in two by this."""
EXACT = (1 << 24) // (PARTS * 255)


@table.lower(conv.conv_integer, how=Window)
def conv_integer(
    g: Emitter,
    input: Value,
    filter: Value,
    input_zero_point: Value | None,
    filter_zero_point: Value | None,
    *,
    group: int,
    how: Window,
) -> Ref:
    """Two convolutions of floats, in which every sum is exact."""
    taps = [d for d in filter.shape[1:] if not isinstance(d, Expr)]
    if len(taps) < filter.rank - 1 or int(np.prod(taps)) > EXACT:
        raise NoLowering(f"openvino: sums of integers of a filter {filter.type} in float32")
    x = _subtract_zero_point(g, input, input_zero_point, 0)
    w = _subtract_zero_point(g, filter, filter_zero_point, filter.rank - 1)
    by = g.number(PARTS, x)
    high = g.node("Floor", x / by)
    low = x - high * by
    given: dict[str, Any] = {**windows.padding(input, how)}
    given |= {"strides": how.strides, "dilations": how.dilations}
    if group == 1:
        sums = [convolve(g, part, w, given) for part in (high, low)]
    else:
        first = filter.shape[0]
        if isinstance(first, Expr):
            raise NoLowering(f"openvino: groups of a filter {filter.type}")
        split = g.reshape(w, [group, first // group, *taps])
        sums = [g.node("GroupConvolution", part, split, **given) for part in (high, low)]
    tall, short = (s.cast(Precision.INT32) for s in sums)
    return tall * PARTS + short


def _subtract_zero_point(g: Emitter, value: Value, zero: Value | None, tail: int) -> Ref:
    """Integers less their zero point, as floats."""
    real = g.cast(value, FLOAT32)
    if zero is None:
        return real
    offset = g.cast(zero, FLOAT32)
    many = zero.rank == 1 and zero.shape[0] != 1 and tail
    offset = g.reshape(offset, [-1, *(1,) * tail] if many else [])
    return real - offset


@table.lower(conv.col_2_im)
def col_2_im(
    g: Emitter,
    input: Value,
    image_shape: Value,
    block_shape: Value,
    *,
    dilations: Ints | None,
    pads: Ints | None,
    strides: Ints | None,
) -> Ref:
    _require_float("col_2_im", input)
    if image_shape.shape != (2,):
        raise NoLowering(f"openvino has col_2_im of images only, not {image_shape.type}")
    how = Window(strides or (1, 1), dilations=dilations or (), pads=pads or ())
    border = windows.explicit(how.pairs)
    return g.node(
        "Col2Im",
        *(input, g.int64(image_shape), g.int64(block_shape)),
        strides=how.strides,
        dilations=how.dilations,
        pads_begin=border["pads_begin"],
        pads_end=border["pads_end"],
    )


@table.lower(conv.deformable_conv_2d, how=Window)
def deformable_conv_2d(
    g: Emitter,
    input: Value,
    offset: Value,
    mask: Value,
    filter: Value,
    bias: Value,
    *,
    group: int,
    deformable_group: int,
    fuse_code: Fuse,
    how: Window,
) -> Ref:
    result = g.node(
        "DeformableConvolution",
        *(g.cast(v, FLOAT32) for v in (input, offset, filter, mask)),
        strides=how.strides,
        dilations=how.dilations,
        group=group,
        deformable_group=deformable_group,
        bilinear_interpolation_pad=True,
        **windows.explicit(how.pairs),
    )
    return apply_fuse_code(g, _add_bias(g, result, bias, 2), fuse_code)
