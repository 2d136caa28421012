"""Resizing of images."""

from __future__ import annotations

import math

import numpy as np

from nnir.errors import NoLowering
from nnir.formats.nnapi.structures import OperationType
from nnir.model import Value
from nnir.ops import resize

from ...lowering import Lowerings
from ...orders import channels_last
from ...resizing import Resizing
from .conv import stored_last
from .emitter import Emitter, Operand, Ref, result_shape
from .shape import constants, moves
from .sizes import numbers

table = Lowerings[Ref]()
CROPS = "tf_crop_and_resize"
"""Elements from beyond the image are a number of their own."""
CORNERS = 1
"""`align_mode`: a pixel of the result lies at its number times the scale."""


@table.lower(resize.resize_linear)
def resize_linear(
    g: Emitter,
    input: Value,
    shape: Value | None,
    scales: Value | None,
    *,
    align_corners: bool,
    align_mode: int | None,
) -> Ref:
    _require_sizes(input, result_shape(g), scales if shape is None else None)
    if align_corners or align_mode != CORNERS:
        raise NoLowering(
            f"nnapi resizes from the corner 0, not with {align_corners=}, {align_mode=}"
        )
    return bilinear(g, input)


def _require_sizes(input: Value, result: tuple[int, ...], scales: Value | None) -> None:
    """The scale of each axis is old size / new size, whatever asked for that."""
    if scales is None:
        return
    if scales.constant is None:
        raise NoLowering("nnapi resizes by constant sizes alone")
    factors = scales.constant.reshape(-1)[-2:].astype(np.float64)
    grown = factors * numbers(input.shape)[-2:]
    if not np.allclose(grown, result[-2:], rtol=1e-7, atol=0):
        raise NoLowering("nnapi resizes by whole sizes alone")


def bilinear(g: Emitter, operand: Operand) -> Ref:
    result = result_shape(g)
    x, _ = stored_last(g, g.real(operand), ((0, 0), (0, 0)))
    shape = tuple(result[a] for a in channels_last(4))
    made = g.step(OperationType.RESIZE_BILINEAR, [g.whole(x), shape[1], shape[2]], shape)
    return Ref(made, shape, channels_last(4), x.precision)


@table.lower(resize.resize, how=Resizing)
def resize_any(
    g: Emitter,
    input: Value,
    roi: Value | None,
    scales: Value | None,
    sizes: Value | None,
    *,
    how: Resizing,
) -> Ref:
    """The nearest elements are moved; else of images, from the corner 0."""
    if how.is_nearest and how.coordinate_transformation_mode != CROPS:
        return moves(g, input, *constants(g))[0]
    plan = how.plan(input, roi, scales, sizes)
    corner = how.coordinate_transformation_mode == "asymmetric" and how.mode == "linear"
    if plan is None or input.rank != 4 or not corner or how.antialias:
        raise NoLowering("nnapi resizes images linearly from the corner 0")
    for axis, old, new, step, region in plan:
        whole = math.isclose(step * old, new, rel_tol=1e-9)
        if region is not None or (axis < 2 and new != old) or not whole:
            raise NoLowering("nnapi resizes the whole height and width by whole sizes")
    return bilinear(g, input)
