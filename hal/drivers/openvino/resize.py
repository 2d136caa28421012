"""Resizing: OpenVINO's Interpolate as far as it does the same."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from nnir.broadcast import ints
from nnir.dim import Expr
from nnir.model import Value
from nnir.ops import resize
from nnir.recipes import open_resampling, resampling
from nnir.types import InterpolateMode, PadMode, Precision

from ...resizing import Corners, Resizing
from .emitter import Emitter, Ref
from .forms import Single, Table
from .integers import bounds_of

table = Table()
FLOAT32 = Precision.FLOAT32
table.decompose(resize.resize_nearest, open_resampling.resize_nearest_while_running)
table.decompose(
    resize.resize_linear,
    resampling.resize_linear_by_neighbours,
    resampling.resize_linear_to_sizes,
)
table.decompose(
    resize.resize,
    resampling.resize_as_linear,
    resampling.resize_by_neighbours,
    partial(open_resampling.resize_while_running, precision=FLOAT32),
)


def _interpolate(
    g: Emitter,
    input: Value,
    sizes: Ref,
    axes: Sequence[int],
    coordinates: str,
    mode: str = "linear_onnx",
    cube_coeff: float = -0.75,
) -> Ref:
    """OpenVINO's operator by sizes; integers are rounded and clamped to what the type holds."""
    g.need(
        not input.is_integer or input.dtype.itemsize < 4,
        f"interpolates {input.precision.name} in FLOAT32",
    )
    result = g.node(
        "Interpolate",
        *(g.cast(input, FLOAT32), sizes, g.ints(*axes)),
        mode=mode,
        shape_calculation_mode="sizes",
        coordinate_transformation_mode=coordinates,
        pads_begin=[0],
        pads_end=[0],
        cube_coeff=cube_coeff,
    )
    if not input.is_integer:
        return result
    low, high = map(float, bounds_of(input.precision))
    return g.node("Clamp", g.node("Round", result), min=low, max=high)


@table.lower(resize.resize_linear, how=Corners)
def resize_linear(
    g: Emitter, input: Value, shape: Value | None, scales: Value | None, *, how: Corners
) -> Ref:
    known = resize.static_sizes(input, shape, scales)
    if known is None:
        g.need(shape is not None, f"resizes {input.type} to sizes, not by scales")
        sizes = g.int64(shape)
    else:
        ratios = [out // size if size and out % size == 0 else 0 for size, out in known]
        g.need(  # positions are exact in float32
            how.rule != "align_corners" and all(r and not r & (r - 1) for r in ratios),
            f"resizes {input.type} to {known} by {how.rule} inexactly",
        )
        sizes = g.ints(*(out for _, out in known))
    return _interpolate(g, input, sizes, (2, 3), how.rule)


FOLLOWED = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
"""Coordinate rules of OpenVINO's own operator."""


@table.lower(resize.resize, how=Resizing)
def resize_(g: Emitter, input: Value, sizes: Value | None, *, how: Resizing) -> Ref:
    rule, axes = how.coordinate_transformation_mode, how.axes_of(input.rank)
    is_plain = not (how.is_nearest or how.antialias or how.exclude_outside)
    is_image = input.rank == 4 and set(axes) <= {2, 3} and rule in FOLLOWED
    stretches = sizes is not None and how.keep_aspect_ratio_policy == "stretch"
    is_known = ints(sizes) is not None and not any(isinstance(d, Expr) for d in input.shape[2:])
    g.need(
        is_plain and is_image and stretches and not is_known,
        f"has no RESIZE of {input.type}, {how.filter}",
    )
    mode = "cubic" if how.mode == "cubic" else "linear_onnx"
    return _interpolate(g, input, g.int64(sizes), axes, rule, mode, how.cubic_coeff_a)


@table.lower(resize.grid_sample)
def grid_sample(
    g: Emitter,
    input: Single,
    grid: Single,
    *,
    align_corners: bool,
    mode: InterpolateMode,
    pad_mode: PadMode,
) -> Ref:
    return g.node(
        "GridSample",
        *(input, grid),
        mode=mode.name.lower(),
        padding_mode=resize.BORDERS[pad_mode],
        align_corners=align_corners,
    )
