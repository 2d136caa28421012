"""ONNX convolutions."""

from __future__ import annotations

from dataclasses import replace

from nnir.broadcast import length_of
from nnir.errors import NotConstant
from nnir.model import Value
from nnir.ops import conv, shape
from nnir.recipes import integer_products
from nnir.recipes.conv import convolve, convolve_deformed, fit_transposed
from nnir.types import AutoPad

from ...table import Ints, Maybe, Table
from . import windows
from .quant import Scale, Steps
from .windows import Moving, Sliding

table = Table()


@table.convert("Conv")
def conv_(x: Value, w: Value, b: Maybe = None, *, group: int = 1, how: Sliding) -> Value:
    return convolve(x, w, b, how.for_filter("Conv", x, w).slide(group))


@table.convert("ConvTranspose")
def conv_transpose(
    x: Value,
    w: Value,
    b: Maybe = None,
    *,
    group: int = 1,
    output_padding: Ints = (),
    output_shape: Ints = (),
    how: Sliding,
) -> Value:
    plain = replace(how, auto_pad="VALID") if how.is_same else how
    at = plain.for_filter("ConvTranspose", x, w)
    slide = replace(at.slide(group), extra=output_padding or (0,) * at.rank)
    if output_shape or how.is_same:
        sizes = output_shape[-at.rank :]  # some writers list every axis
        slide = fit_transposed(x, slide, at.extents, sizes, is_upper=how.auto_pad == "SAME_UPPER")
    return convolve(x, w, b, slide)


@table.convert("ConvInteger", since=10)
def conv_integer(
    x: Value,
    w: Value,
    x_zero_point: Maybe = None,
    w_zero_point: Maybe = None,
    *,
    group: int = 1,
    how: Sliding,
) -> Value:
    at = how.for_filter("ConvInteger", x, w)
    if at.auto_pad != AutoPad.NONE:
        raise NotConstant(f"ConvInteger with {how.auto_pad=} needs known sizes, not {x.type}")
    given = {"pads": at.pads, "strides": at.strides, "dilations": at.dilations}
    return conv.conv_integer(x, w, x_zero_point, w_zero_point, group=group, **given)


@table.convert("QLinearConv", since=10)
def q_linear_conv(
    x: Steps, w: Steps, y: Scale, b: Maybe = None, *, group: int = 1, how: Sliding
) -> Value:
    total = conv_integer(x.own, w.own, x.zero_point, w.zero_point, group=group, how=how)
    each = [-1, *(1,) * (total.rank - 2)]
    if b is not None:
        total = total + shape.reshape(b, each)
    return integer_products.requantize(
        total, shape.reshape(w.scale, each) * x.scale / y.scale, y.zero_point
    )


@table.convert("DeformConv", since=19)
def deform_conv(
    x: Value,
    w: Value,
    offset: Value,
    b: Maybe = None,
    mask: Maybe = None,
    *,
    group: int = 1,
    offset_group: int = 1,
    how: Moving,
) -> Value:
    windows.spatial("DeformConv", x, 2)
    slide = how.for_filter("DeformConv", x, w).slide(group)
    return convolve_deformed(x, offset, mask, w, b, slide, offset_group)


@table.convert("Col2Im", since=18)
def col_2_im(
    input: Value,
    image_shape: Value,
    block_shape: Value,
    *,
    dilations: Ints | None = None,
    pads: Ints = (),
    strides: Ints | None = None,
) -> Value:
    flat = windows.pair_pads("Col2Im", pads, length_of(block_shape))
    return conv.col_2_im(
        input, image_shape, block_shape, dilations=dilations, pads=flat, strides=strides
    )
