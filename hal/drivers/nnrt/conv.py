"""Convolutions: images with channels last, weights with output channels first."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import conv
from nnir.types import Fuse

from ...attributes import Transposed, Window
from ...lowering import Lowerings
from ...orders import channels_last
from .binary import FUSES, after
from .emitter import Emitter, Ref, result_shape

table = Lowerings[Ref]()
WEIGHTS = (0, 2, 3, 1)
"""The order in which [out, in, height, width] is stored."""


def padding_of(how: Window) -> dict[str, object]:
    """SAME as a mode, all else as a list."""
    if how.is_same:
        return {"padMode": 0}
    if min(how.pads) < 0:
        raise NoLowering(f"nnrt pads by 0 or more, not {how.pads}")
    return {"padList": how.pads}


@table.lower(conv.conv_2d, how=Window)
def conv_2d(
    g: Emitter,
    input: Value,
    filter: Value,
    bias: Value,
    *,
    group: int,
    fuse_code: Fuse,
    how: Window,
) -> Ref:
    x = g.ordered(input, channels_last(4))
    fields: dict[str, Any] = {"stride": how.strides, "dilation": how.dilations}
    fields |= {**padding_of(how), "activationType": FUSES.get(fuse_code, 0)}
    name = "DEPTHWISE_CONV2D_NATIVE"
    if group == 1 or group != input.shape[1]:
        name, fields["group"] = "CONV2D", group
    operands = [x, g.ordered(filter, WEIGHTS), g.plain(bias)]
    n, c, *space = result_shape(g)
    made = g.one(name, operands, (n, *space, c), channels_last(4), **fields)
    return after(g, made, fuse_code)


@table.lower(conv.conv_2d_transpose, how=Transposed)
def conv_2d_transpose(
    g: Emitter,
    input: Value,
    filter: Value,
    bias: Value,
    *,
    group: int,
    fuse_code: Fuse,
    how: Transposed,
) -> Ref:
    how = how.over(filter.sizes[2:])
    grown = how.growth(input.sizes[2:])
    if any(before > 0 for before, _ in grown):
        raise NoLowering(f"nnrt grows no result in front, as {grown}")
    fields: dict[str, Any] = {"stride": how.strides, "dilation": how.dilations, "group": group}
    fields["padList"] = tuple(p for a, b in grown for p in (-a, max(-b, 0)))
    fields["outputPads"] = tuple(max(b, 0) for _, b in grown)
    fields["activationType"] = FUSES.get(fuse_code, 0)
    operands = [g.ordered(input, channels_last(4)), _weights(g, filter, group), g.plain(bias)]
    n, c, *space = result_shape(g)
    made = g.one("CONV2D_TRANSPOSE", operands, (n, *space, c), channels_last(4), **fields)
    return after(g, made, fuse_code)


def _weights(g: Emitter, filter: Value, group: int) -> Ref:
    """[in, out / group, height, width] stored as [out, height, width, in / group]."""
    if group == 1:
        return g.ordered(filter, (1, 2, 3, 0))
    if filter.constant is None:
        raise NoLowering("nnrt has groups of transposed convolutions of constant filters only")
    inputs, each, *kernel = filter.sizes
    parts = filter.constant.reshape(group, inputs // group, each, *kernel)
    turned = np.ascontiguousarray(parts.transpose(0, 2, 3, 4, 1))
    return g.constant(turned.reshape(group * each, *kernel, inputs // group))
