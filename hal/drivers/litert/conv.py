"""Convolutions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from nnir.model import Value
from nnir.ops import conv
from nnir.types import Fuse, Precision

from ...attributes import Transposed, Window
from ...lowering import Lowerings
from ...orders import Order
from . import windows
from .emitter import Emitter, Image, Ref, Taken
from .kernels import FUSED
from .static import numbers

table = Lowerings[Ref]()


@table.lower(conv.conv_2d, conv.conv_3d, how=Window)
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
    name, filters = f"CONV_{how.rank}D", filter.shape[0]
    fields: dict[str, Any] = windows.fields(name, how, padding)
    perm: Order = (0, 2, 3, 1) if how.rank == 2 else (2, 3, 4, 1, 0)
    g.need(how.rank == 2 or group == 1, "has no groups of volumes")
    if group > 1 and group == x.tensor.shape[-1] and isinstance(filters, int):
        name, perm = "DEPTHWISE_CONV_2D", (1, 2, 3, 0)
        fields["depth_multiplier"] = filters // group
    weights = g.ordered(filter, perm)
    made = g.compute(name, [x, weights, bias], **fields)
    made = g.lowerings.fused(g, made, fuse_code)
    is_constant = weights.tensor.data is not None and bias.tensor.data is not None
    return made if how.rank == 3 or is_constant else restore_infinities(g, made)


def restore_infinities(g: Emitter, result: Ref) -> Ref:
    """LiteRT's own kernels, other than XNNPACK's, keep results within the finite numbers; those of
    an activation are not below 0."""
    most, is_rectified = float(np.finfo(np.float32).max), FUSED in g.makers[result.tensor].fields
    ends = (most, np.inf), (-most, -np.inf)
    for bound, beyond in ends[: 2 - is_rectified]:
        result = g.where(result.equal(bound), beyond, result)
    return result


@table.lower(conv.conv_2d_transpose, conv.conv_3d_transpose, how=Transposed)
def transposed_convolution(
    g: Emitter, input: Image, filter: Value, bias: Value, *, how: Transposed
) -> Ref:
    """The native operator without padding; the border is cut off or added after it."""
    g.need(not how.is_dilated, "has no transposed convolution with dilations")
    rank, how = how.rank, how.over(windows.spatial_sizes("a convolution", filter))
    spatial = windows.spatial_sizes("a transposed convolution", input)
    made = g.operation.outputs[0]
    out = numbers(made.shape[2:])
    growth = np.array(replace(how, output_shape=out).growth(spatial))
    full, is_same = out - growth.sum(1), windows.is_same(made, (-growth).tolist(), how)
    perm: Order = (1, 2, 3, 0)
    name = "TRANSPOSE_CONV"
    if rank == 3:
        whole = np.multiply(spatial, how.strides)
        name, perm = "CONV_3D_TRANSPOSE", (2, 3, 4, 1, 0)
        full, is_same = np.maximum(full, whole), is_same and out == (*whole,)
    fields = windows.fields(name, how, windows.SAME if is_same else None)
    shape = (input.tensor.shape[0], *(out if is_same else full.tolist()), filter.shape[1])
    operands = [g.sizes(shape), g.ordered(filter, perm), input]
    result = g.one(name, operands, Precision.FLOAT32, shape, input.order, **fields)
    if not is_same:
        before = growth[:, 0]
        around = np.stack([before, out - full - before], 1)
        result = windows.add_border(g, result, around.tolist())
    if bias.constant is not None and not bias.constant.any():
        return result
    return result + g.reshape(bias, (*bias.shape, *(1,) * rank))
