"""Convolutions."""

from __future__ import annotations

from nnir.model import Value
from nnir.ops import conv

from ...attributes import Transposed, Window
from .emitter import Emitter, Ref
from .forms import Single, Sizes, Table, single
from .strides import convolve
from .windows import (
    add_border,
    explicit,
    keep_apart,
    padding,
    spatial_sizes,
    split_border,
)

table = Table()


def _add_bias(result: Ref, bias: Value) -> Ref:
    if bias.constant is not None and not bias.constant.any():
        return result
    return result + result.emitter.column(bias, result.rank)


@table.lower(conv.conv_2d, conv.conv_3d, how=Window)
def convolution(
    g: Emitter, input: Value, filter: Value, bias: Value, *, group: int, how: Window
) -> Ref:
    """The native operator without negative padding, which is cut off before."""
    border = padding(input, how.over(spatial_sizes(filter)))
    cut, grown = split_border(zip(border["pads_begin"], border["pads_end"], strict=True))
    border = explicit(grown) | {"auto_pad": border["auto_pad"]}
    x = keep_apart(g, input, add_border(g, single(g, input), cut), border)
    return _add_bias(convolve(g, "Convolution", x, filter, group, how, **border), bias)


@table.lower(conv.conv_2d_transpose, conv.conv_3d_transpose, how=Transposed)
def transposed_convolution(
    g: Emitter, input: Value, filter: Value, bias: Value, *, group: int, how: Transposed
) -> Ref:
    """The native operator; what it cannot be told of the border is padded or cut off after it."""
    x, how = single(g, input), how.over(spatial_sizes(filter))
    sizes = spatial_sizes(input) if how.is_forced else ()
    cut, grown = split_border(how.growth(sizes))
    inner = explicit([(-a, -b) for a, b in cut]) | {"output_padding": [0] * how.rank}
    made = convolve(g, "ConvolutionBackpropData", x, filter, group, how, **inner)
    return _add_bias(add_border(g, made, grown), bias)


@table.lower(conv.col_2_im, how=Window)
def col_2_im(
    g: Emitter, input: Single, image_shape: Value, block_shape: Sizes, *, how: Window
) -> Ref:
    g.need(image_shape.shape == (2,), f"has COL_2_IM of images only, not {image_shape.type}")
    how = how.over((1, 1))
    border = explicit(how.pairs)
    return g.node(
        "Col2Im",
        *(input, g.int64(image_shape), block_shape),
        strides=how.strides,
        dilations=how.dilations,
        pads_begin=border["pads_begin"],
        pads_end=border["pads_end"],
    )


@table.lower(conv.deformable_conv_2d, how=Window)
def deformable_conv_2d(
    g: Emitter,
    input: Single,
    offset: Single,
    mask: Single,
    filter: Single,
    bias: Value,
    *,
    group: int,
    deformable_group: int,
    how: Window,
) -> Ref:
    result = g.node(
        "DeformableConvolution",
        *(input, offset, filter, mask),
        strides=how.strides,
        dilations=how.dilations,
        group=group,
        deformable_group=deformable_group,
        bilinear_interpolation_pad=True,
        **explicit(how.pairs),
    )
    return _add_bias(result, bias)
