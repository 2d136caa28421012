"""ONNX resizing and sampling."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nnir.broadcast import ints
from nnir.model import Value
from nnir.ops import resize
from nnir.recipes.resize import sample_grid

from ...table import Floats, Ints, Table
from ...translate import Translator

table = Table()
table.same({"AffineGrid": resize.affine_grid}, since=20)
Positions = Literal[
    "align_corners",
    "asymmetric",
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "tf_crop_and_resize",
]


@table.convert("Resize", since=11)
def resize_(
    x: Value,
    roi: Value | None = None,
    scales: Value | None = None,
    sizes: Value | None = None,
    *,
    antialias: bool = False,
    axes: Ints | None = None,
    coordinate_transformation_mode: Positions = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: bool = False,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
    translator: Translator,
) -> Value:
    scales, sizes = _present(scales, translator), _present(sizes, translator)
    if sizes is not None:
        scales = None  # old writers give both, the scales empty or for information
    plain = keep_aspect_ratio_policy == "stretch" and not antialias and axes is None
    if plain and not exclude_outside:
        found = _standard(x, scales, sizes, coordinate_transformation_mode, mode, nearest_mode)
        if found is not None:
            return found
    return resize.resize(
        x,
        roi if coordinate_transformation_mode == "tf_crop_and_resize" else None,
        scales,
        sizes,
        mode=mode,
        coordinate_transformation_mode=coordinate_transformation_mode,
        nearest_mode=nearest_mode,
        antialias=antialias,
        axes=axes,
        cubic_coeff_a=cubic_coeff_a,
        exclude_outside=exclude_outside,
        extrapolation_value=extrapolation_value,
        keep_aspect_ratio_policy=keep_aspect_ratio_policy,
    )


def _present(value: Value | None, translator: Translator) -> Value | None:
    """An operand that is computed now if it can be; an empty one is absent."""
    if value is None or (value.is_static and 0 in value.shape):
        return None
    known = translator.constant_of(value)
    return value if known is None or value.constant is not None else value.model.constant(known)


def _standard(
    x: Value, scales: Value | None, sizes: Value | None, coordinates: str, mode: str, nearest: str
) -> Value | None:
    """RESIZE_NEAREST or RESIZE_LINEAR where they give the same: H and W by whole factors."""
    factors = _factors(x, scales, sizes)
    if factors[:2] != [1, 1] or any(f < 1 or f != int(f) for f in factors):
        return None
    target = None if sizes is None else x.model.constant((ints(sizes) or ())[2:], "int64")
    given = x.model.constant(np.array(factors[2:], np.float32)) if sizes is None else None
    match mode, coordinates, nearest:
        case "nearest", "asymmetric", "floor":
            return resize.resize_nearest(x, target, given, align_corners=False)
        case "linear", "half_pixel" | "asymmetric", _ if x.is_float:
            align_mode = 0 if coordinates == "half_pixel" else 1
            return resize.resize_linear(x, target, given, align_mode=align_mode)
    return None


def _factors(x: Value, scales: Value | None, sizes: Value | None) -> list[float]:
    """By how much each axis of an image grows; nothing where that is not known."""
    found: list[float] = []
    if scales is not None:
        if scales.constant is not None and scales.is_float:
            found = scales.constant.reshape(-1).tolist()
    elif (wanted := ints(sizes)) is not None and len(wanted) == x.rank and x.is_static:
        found = [w / max(d, 1) for w, d in zip(wanted, x.sizes, strict=True)]
    return found if x.rank == len(found) == 4 and 0 not in x.shape else []


@table.convert("Resize", since=10)
@table.convert("Upsample", since=9)
def upsample(
    x: Value,
    scales: Value,
    *,
    mode: Literal["nearest", "linear", "bilinear"] = "nearest",
    translator: Translator,
) -> Value:
    """Before opset 11 positions are i / scale, rounded down for the nearest."""
    return resize_(
        x,
        None,
        scales,
        coordinate_transformation_mode="asymmetric",
        mode=mode.removeprefix("bi"),
        nearest_mode="floor",
        translator=translator,
    )


@table.convert("Upsample")
def upsample_1(
    x: Value,
    *,
    height_scale: float = 1.0,
    mode: Literal["nearest", "linear", "bilinear"] = "nearest",
    scales: Floats = (),
    width_scale: float = 1.0,
    translator: Translator,
) -> Value:
    """Opset 1 has the scales of an image by their names, opset 7 all of them in a row."""
    factors = np.array(scales or (1, 1, height_scale, width_scale), np.float32)
    return upsample(x, x.model.constant(factors), mode=mode, translator=translator)


@table.convert("GridSample", since=16)
def grid_sample(
    x: Value,
    grid: Value,
    *,
    align_corners: bool = False,
    mode: Literal["linear", "bilinear", "nearest", "cubic", "bicubic"] = "linear",
    padding_mode: Literal["zeros", "border", "reflection"] = "zeros",
) -> Value:
    return sample_grid(
        x, grid, f"bi{mode}" if mode in ("linear", "cubic") else mode, padding_mode, align_corners
    )
