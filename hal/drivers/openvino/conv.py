"""Convolutions."""

from __future__ import annotations

from typing import Any

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


def _add_bias(g: Emitter, result: Ref, bias: Value, rank: int) -> Ref:
    if bias.constant is not None and not bias.constant.any():
        return result
    return result + g.reshape(bias, [1, -1, *(1,) * rank]).cast(FLOAT32)


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
        apart = g.reshape(filter, [group, -1, *filter.shape[1:]])
        return g.node(f"Group{name}", x, apart.cast(FLOAT32), **given)
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
    given: dict[str, Any] = {"strides": how.strides, "dilations": how.dilations}
    given |= windows.explicit(how.pairs)
    del given["auto_pad"]
    return g.node("Col2Im", input, g.int64(image_shape), g.int64(block_shape), **given)


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
