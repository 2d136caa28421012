"""Paddle's resampling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from nnir.broadcast import ints
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import index, resize, shape
from nnir.recipes.layout import is_channels_last, to_channels_first, to_channels_last
from nnir.recipes.resize import (
    Scales,
    fits_sizes,
    known_scales,
    resize_cubic,
    resize_linear,
    resize_nearest,
    resize_smooth,
    sample_grid,
    sizes_after,
    unknown_sizes_after,
)
from nnir.types import Precision

from ...table import Floats, Items, Table

table = Table()


def target(
    x: Value,
    rank: int,
    out_size: Value | None,
    size_tensor: Items | None,
    factors: Sequence[float],
    fixed: Sequence[int],
) -> tuple[Value, Scales]:
    """The sizes, and the scales where these were given: steps are 1 / scale then.

    A list of sizes goes first, then a tensor of them, then scales, then the fixed ones.
    """
    none: Scales = (None,) * rank
    if size_tensor:
        parts = [shape.reshape(v, [1]).cast(Precision.INT64) for v in size_tensor]
        return parts[0] if rank == 1 else shape.concat(*parts, axis=0), none
    scales: Scales = none
    if factors:
        scales = tuple(factors) if len(factors) == rank else tuple(factors) * rank
    if out_size is not None:
        return out_size.cast(Precision.INT64), scales
    if factors:
        steps = [s or 1.0 for s in scales]
        is_static = not any(isinstance(d, Expr) for d in x.shape[-rank:])
        return (sizes_after if is_static else unknown_sizes_after)(x, steps), scales
    if min(fixed, default=0) < 1:
        raise BadType(f"an interpolation of {x.type} to no size")
    return x.model.constant(list(fixed), "int64"), none


def require_float(x: Value) -> None:
    """Unsupported for whole numbers, which Paddle cuts off where rounding has left less."""
    if not x.is_float:
        raise Unsupported(f"an interpolation of {x.type}, which Paddle rounds down")


def first_of_many(x: Value, output: Value, scales: Scales) -> tuple[Value, Scales]:
    """The first row or column where there is to be one of several: Paddle's step is 0 there."""
    kept = list(scales)
    for k, size in enumerate(ints(output) or ()):
        if size == 1 and x.shape[k + 2] != 1:
            x, kept[k] = index.slice_(x, [k + 2], [0], [1]), None
    return x, tuple(kept)


def linear(x: Value, output: Value, scales: Scales, align_corners: bool, align_mode: int) -> Value:
    """Steps from the first element on (mode 1), or between the middles of elements (mode 0)."""
    require_float(x)
    if align_mode == 0 and not align_corners and len(scales) == 2:
        x, scales = first_of_many(x, output, scales)
    if align_corners or align_mode == 0:
        return resize_linear(x, output, scales, align_corners)
    if align_mode != 1:
        raise Unsupported(f"an interpolation with {align_mode=}")
    if len(scales) == 2 and x.is_float and fits_sizes(x, output, scales):
        return resize.resize_linear(x, output, align_mode=1)
    return by_rule(x, output, scales, mode="linear", coordinate_transformation_mode="asymmetric")


def by_rule(x: Value, output: Value, scales: Scales, **rule: str) -> Value:
    """RESIZE by scales where they say more than the sizes."""
    axes = tuple(range(2, x.rank))
    if all(scales) and not fits_sizes(x, output, scales):
        factors = x.model.constant(np.array(scales, np.float64))
        return resize.resize(x, None, factors, None, axes=axes, **rule)
    return resize.resize(x, None, None, output, axes=axes, **rule)


def nearest(x: Value, output: Value, scales: Scales, align_corners: bool, align_mode: int) -> Value:
    if not align_corners:
        return resize_nearest(x, output, scales, False)
    if len(scales) == 2:
        return resize.resize_nearest(x, output, align_corners=True)
    rule = {"coordinate_transformation_mode": "align_corners", "nearest_mode": "round_prefer_ceil"}
    return by_rule(x, output, (None,) * len(scales), mode="nearest", **rule)


def cubic(x: Value, output: Value, scales: Scales, align_corners: bool, align_mode: int) -> Value:
    require_float(x)
    if not align_corners and first_of_many(x, output, scales)[0] is not x:
        raise Unsupported(f"a cubic interpolation of {x.type} to one row or column")
    return resize_cubic(x, output, scales, align_corners)


Way = Callable[[Value, Value, Scales, bool, int], Value]


def way_of(rank: int, interp_method: str, align_corners: bool, align_mode: int) -> Way:
    """What is between elements: the attribute says it, whatever the operator is called."""
    match rank, interp_method:
        case (1, "linear") | (2, "bilinear") | (3, "trilinear"):
            return linear
        case (2 | 3, "nearest"):
            return nearest
        case (2, "bicubic"):
            return cubic
    raise Unsupported(f"an interpolation over {rank} axes with {interp_method=}")


def smooth_way_of(rank: int, interp_method: str, align_corners: bool, align_mode: int) -> Way:
    """Filters that widen where the image shrinks."""
    if interp_method not in ("bilinear", "bicubic"):
        raise Unsupported(f"interp_antialias with {interp_method=}")
    if align_mode != 0 and not align_corners and interp_method == "bilinear":
        raise Unsupported(f"interp_antialias with {align_mode=}")
    smooth = resize_smooth({"bilinear": "linear", "bicubic": "cubic"}[interp_method], -0.5)
    return lambda *given: smooth(*given[:4])


def register_interpolations(
    *ranks: int, ways: Callable[[int, str, bool, int], Way] = way_of
) -> Callable[..., Value]:
    """The six operators differ in their axes, and one in its filters."""

    def convert(
        x: Value,
        out_size: Index | None,
        size_tensor: Items | None,
        scale_tensor: Floats | None,
        data_format: str,
        out_d: int,
        out_h: int,
        out_w: int,
        scale: Floats,
        interp_method: str,
        align_corners: bool,
        align_mode: int,
    ) -> Value:
        rank = x.rank - 2
        if rank not in ranks:
            raise BadType(f"an interpolation over {ranks[0]} axes of {x.type}")
        way = ways(rank, interp_method, align_corners, align_mode)
        last = is_channels_last(data_format)
        first = to_channels_first(x) if last else x
        fixed = (out_d, out_h, out_w)[3 - rank :]
        factors = scale_tensor if scale_tensor else scale
        output, scales = target(first, rank, out_size, size_tensor, factors, fixed)
        pairs = known_scales(first, output, rank)
        if pairs is not None and all(n == m for n, m in pairs):
            return x
        made = way(first, output, scales, align_corners, align_mode)
        return to_channels_last(made) if last else made

    return convert


table.convert("linear_interp")(register_interpolations(1))
table.convert("bilinear_interp", "bicubic_interp")(register_interpolations(2))
table.convert("nearest_interp")(register_interpolations(2, 3))
table.convert("trilinear_interp")(register_interpolations(3))


table.convert("interp_antialias")(register_interpolations(2, ways=smooth_way_of))


@table.convert("grid_sample")
def grid_sample(
    x: Value,
    grid: Value,
    mode: Literal["bilinear", "nearest"],
    padding_mode: str,
    align_corners: bool,
) -> Value:
    return sample_grid(x, grid, mode=mode, padding_mode=padding_mode, align_corners=align_corners)


@table.convert("affine_grid")
def affine_grid(input: Value, output_shape: Index | None, align_corners: bool) -> Value:
    if output_shape is None:
        raise BadType(f"affine_grid of {input.type} for no size")
    return resize.affine_grid(input, output_shape, align_corners=align_corners)
