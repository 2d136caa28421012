"""Convolutions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nnir.model import Value
from nnir.ops import conv
from nnir.types import Fuse, Precision

from ...attributes import Transposed, Window
from ...lowering import Lowerings
from . import windows
from .emitter import Emitter, Image, Ref, Taken
from .ends import restore_infinities
from .static import numbers

table = Lowerings[Ref]()


@table.lower(conv.conv_2d, how=Window)
def convolution(
    g: Emitter,
    input: Image,
    filter: Value,
    bias: Taken,
    *,
    group: int,
    fuse_code: Fuse,
    how: Window,
) -> Ref:
    how = how.over(windows.spatial_sizes("a convolution", filter))
    x, padding = windows.pad_for_kernel(g, "a convolution", input, how)
    name, perm, filters = "CONV_2D", (0, 2, 3, 1), filter.shape[0]
    fields: dict[str, Any] = windows.fields(name, how, padding)
    if group > 1 and group == x.tensor.shape[-1] and isinstance(filters, int):
        name, perm = "DEPTHWISE_CONV_2D", (1, 2, 3, 0)
        fields["depth_multiplier"] = filters // group
    weights = g.ordered(filter, perm)
    made = g.lowerings.fused(g, g.compute(name, [x, weights, bias], **fields), fuse_code)
    return restore_infinities(g, made, weights, bias)


@table.lower(conv.conv_2d_transpose, how=Transposed)
def conv_2d_transpose(
    g: Emitter, input: Image, filter: Value, bias: Value, *, how: Transposed
) -> Ref:
    """The native operator without padding; the border is cut off or added after it."""
    g.need(not how.is_dilated, "has no transposed convolution with dilations")
    how = how.over(windows.spatial_sizes("a convolution", filter))
    spatial = windows.spatial_sizes("a transposed convolution", input)
    made, name = g.operation.outputs[0], "TRANSPOSE_CONV"
    out = numbers(made.shape[2:])
    growth = replace(how, output_shape=out).growth(spatial)
    is_same = windows.is_same(made, [(-a, -b) for a, b in growth], how)
    full = out if is_same else [n - a - b for n, (a, b) in zip(out, growth, strict=True)]
    shape = (input.tensor.shape[0], *full, filter.shape[1])
    taps = g.ordered(filter, (1, 2, 3, 0))
    fields: dict[str, Any] = windows.fields(name, how, windows.SAME if is_same else None)
    operands = [g.sizes(shape), taps, input]
    result = g.one(name, operands, Precision.FLOAT32, shape, input.order, **fields)
    result = restore_infinities(g, result, taps)
    if not is_same:
        result = windows.add_border(g, result, growth)
    if bias.constant is not None and not bias.constant.any():
        return result
    return result + g.reshape(bias, (*bias.shape, 1, 1))
