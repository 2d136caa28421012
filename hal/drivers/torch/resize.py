"""Resizing and sampling."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from nnir.dim import product
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import resize
from nnir.types import InterpolateMode, PadMode, Precision

from ...lowering import Lowerings
from ...resizing import Resizing
from . import resampling
from .dtypes import PLAIN
from .emitter import Emitter, Result

table = Lowerings[Result]()


def _target(g: Emitter, input: Value, shape: Value | None, scales: Value | None) -> list[Any]:
    """The sizes of the last two axes."""
    if shape is not None:
        return g.sizes(shape)
    if scales is None:
        raise NoLowering("a resize without shape and scales")
    own = g.shape(input)[2:]
    if scales.known is not None and all(isinstance(n, int) for n in own):
        return resampling.whole_sizes(own, scales.known.reshape(-1).tolist())
    made = g.call(resampling.whole_sizes, own, _list(g, scales))
    return [made[0], made[1]]


def _list(g: Emitter, value: Value) -> list[float]:
    known = value.known
    if known is not None:
        return known.reshape(-1).astype(np.float64).tolist()
    return g.raw(value).to(torch.float64).reshape(-1).tolist()


@table.lower(resize.resize_nearest)
def resize_nearest(
    g: Emitter, input: Value, shape: Value | None, scales: Value | None, *, align_corners: bool
) -> Result:
    sizes = _target(g, input, shape, scales)
    made = g.call(resampling.resized_nearest, g.bits(input), sizes, align_corners)
    return g.unbits(made, input.precision)


@table.lower(resize.resize_linear)
def resize_linear(
    g: Emitter,
    input: Value,
    shape: Value | None,
    scales: Value | None,
    *,
    align_corners: bool,
    align_mode: int | None,
) -> Result:
    sizes = _target(g, input, shape, scales)
    is_native = align_corners or align_mode == 0
    is_empty = 0 in input.shape or any(isinstance(s, int) and s == 0 for s in sizes)
    may_shrink = shape is None and _may_shrink(input, scales, to_one=align_corners)
    if input.is_float and is_native and not is_empty and not may_shrink:
        made = functional.interpolate(
            _blendable(g, input), size=sizes, mode="bilinear", align_corners=align_corners
        )
    else:
        made = g.call(
            resampling.resized_linear, _blendable(g, input), sizes, align_corners, align_mode
        )
    return _round_integers(g, made, input)


def _may_shrink(input: Value, scales: Value | None, *, to_one: bool) -> bool:
    """Whether an open axis may shrink to nothing, or `to_one` element: a file would refuse it."""
    if scales is None or input.is_static:
        return False
    if scales.known is None:
        return True
    return any(s < 1 or (to_one and s % 1) for s in scales.known.reshape(-1).tolist())


def _blendable(g: Emitter, input: Value) -> Result:
    """Elements that can be averaged: integers in float64."""
    if input.precision in (Precision.UINT64, Precision.BOOL8) or input.dtype.kind == "c":
        raise NoLowering(f"torch does not blend {input.type}")
    return g.of(input) if input.is_float else g.of(input).to(torch.float64)


def _round_integers(g: Emitter, made: Any, input: Value) -> Result:
    """Integers are rounded and clamped to what the type holds."""
    if input.is_float:
        return g.back(made, input.precision)
    bounds = np.iinfo(input.dtype)
    if input.dtype.itemsize == 8:
        raise NoLowering(f"torch does not blend {input.type}")
    whole = torch.clamp(torch.round(made), int(bounds.min), int(bounds.max))
    return whole.to(torch.int64).to(PLAIN[input.precision])


NATIVE = {"linear": {3: "linear", 4: "bilinear", 5: "trilinear"}, "cubic": {4: "bicubic"}}


@table.lower(resize.resize, how=Resizing)
def resize_(
    g: Emitter,
    input: Value,
    roi: Value | None,
    scales: Value | None,
    sizes: Value | None,
    *,
    how: Resizing,
) -> Result:
    x = g.bits(input) if how.is_nearest else _blendable(g, input)
    crops = how.coordinate_transformation_mode == "tf_crop_and_resize"
    if crops and how.is_nearest and not input.is_float and input.dtype.itemsize == 8:
        raise NoLowering(f"torch does not crop and resize {input.type}")
    if crops and how.is_nearest:
        x = g.of(input)
    has_roi = crops and roi is not None and 0 not in roi.shape
    made = g.call(
        resampling.resize_axes,
        x,
        list(how.axes_of(input.rank)),
        None if sizes is None else g.sizes(sizes),
        None if scales is None else _list(g, scales),
        _list(g, roi) if has_roi and roi is not None else None,
        how.keep_aspect_ratio_policy,
        *astuple(how.filter),
        how.extrapolation_value,
    )
    if how.is_nearest:
        return g.back(made, input.precision) if crops else g.unbits(made, input.precision)
    return _round_integers(g, made, input)


@table.lower(resize.grid_sample, resize.grid_sample_3d)
def grid_sample(
    g: Emitter,
    input: Value,
    grid: Value,
    *,
    align_corners: bool,
    mode: InterpolateMode,
    pad_mode: PadMode,
) -> Result:
    if mode == InterpolateMode.BICUBIC and input.rank == 5:
        raise NoLowering("torch samples volumes without cubics")
    given: dict[str, Any] = {
        "mode": mode.name.lower(),
        "padding_mode": resize.BORDERS[pad_mode],
        "align_corners": align_corners,
    }
    if mode == InterpolateMode.NEAREST:
        return _nearest(g, input, grid, given)
    x, at = _blendable(g, input), g.of(grid)
    x = x if input.is_float else x.to(torch.float32)
    both = (input.precision, grid.precision)
    wide = torch.float64 if Precision.FLOAT64 in both else torch.float32
    at = at.to(wide)
    if not input.is_float:
        at = _finite(g, at, input, align_corners)
        return functional.grid_sample(x.to(wide), at, **given).to(PLAIN[input.precision])
    clamps = given["padding_mode"] == "border" and mode == InterpolateMode.BILINEAR
    is_place = ~torch.isnan(at) if clamps else torch.isfinite(at)
    made = functional.grid_sample(x.to(wide), at, **given)
    made = torch.where(is_place.all(-1).unsqueeze(1), made, torch.nan)
    return made.to(PLAIN[input.precision])


def _finite(g: Emitter, grid: Any, input: Value, align_corners: bool) -> Result:
    """Positions that are not finite lie two elements outside."""
    sizes = g.shape(input)[:1:-1]
    if any(not isinstance(n, int) for n in sizes) and align_corners:
        raise NoLowering(f"torch samples {input.type} with align_corners in known sizes only")
    outside = [-4 / (n - 1) - 1 if align_corners and n != 1 else -3 / n - 1 for n in sizes]
    if all(isinstance(n, (int, float)) for n in outside):
        away = g.constant(np.array(outside, np.float64)).to(grid.dtype)
    else:
        away = g.call(torch.tensor, outside).to(grid.dtype)
    return torch.where(torch.isfinite(grid), grid, away)


def _nearest(g: Emitter, input: Value, grid: Value, given: dict[str, Any]) -> Result:
    """Where the nearest elements are is sampled from a plane of numbers; they are moved then."""
    sizes, kind = g.axes(input), torch.float64
    count = g.size(product(sizes[2:]))
    plane = g.call(torch.arange, count, dtype=kind) + 1
    plane = plane.reshape([1, 1, *(g.size(d) for d in sizes[2:])])
    plane = plane.expand([g.size(sizes[0]), 1, *(g.size(d) for d in sizes[2:])])
    at = _finite(g, g.of(grid).to(kind), input, given["align_corners"])
    found = functional.grid_sample(plane, at, **given).to(torch.int64)
    flat = g.bits(input).flatten(2)
    place = found.flatten(1).unsqueeze(1)
    wide = [g.size(sizes[0]), g.size(sizes[1]), g.size(product(g.axes(grid)[1:-1]))]
    values = torch.gather(flat, 2, torch.clamp(place - 1, min=0).expand(wide))
    values = torch.where(place > 0, values, 0).to(flat.dtype)
    out = [g.size(d) for d in (*sizes[:2], *g.axes(grid)[1:-1])]
    return g.unbits(values.reshape(out), input.precision)


@table.lower(resize.affine_grid)
def affine_grid(g: Emitter, theta: Value, size: Value, *, align_corners: bool) -> Result:
    sizes = g.sizes(size)
    own = [g.shape(theta)[0], *sizes[1:]]
    made = functional.affine_grid(g.of(theta), own, align_corners=align_corners)
    return g.back(made, theta.precision)
