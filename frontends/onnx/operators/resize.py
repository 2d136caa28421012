"""ONNX resizing and sampling."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import ints
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import resize
from nnir.types import InterpolateMode, PadMode

from ...table import Table
from ...translate import Translator

table = Table()


@table.convert("Resize", since=18)
def resize_(
    x: Value,
    roi: Value | None = None,
    scales: Value | None = None,
    sizes: Value | None = None,
    *,
    antialias: int = 0,
    axes: tuple[int, ...] | None = None,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
    translator: Translator,
) -> Value:
    scales, sizes = _present(scales, translator), _present(sizes, translator)
    if sizes is not None:
        scales = None  # old writers give both, the scales empty or for information
    crop = coordinate_transformation_mode == "tf_crop_and_resize"
    plain = keep_aspect_ratio_policy == "stretch" and not antialias and axes is None
    if plain and not exclude_outside:
        found = _standard(x, scales, sizes, coordinate_transformation_mode, mode, nearest_mode)
        if found is not None:
            return found
    return resize.resize(
        x,
        roi if crop else None,
        scales,
        sizes,
        mode=mode,
        coordinate_transformation_mode=coordinate_transformation_mode,
        nearest_mode=nearest_mode,
        antialias=bool(antialias),
        axes=axes,
        cubic_coeff_a=cubic_coeff_a,
        exclude_outside=bool(exclude_outside),
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
    factors = _whole_factors(x, scales, sizes)
    if factors is None:
        return None
    if sizes is not None:
        target, given = x.model.constant(ints(sizes)[2:], "int64"), None  # type: ignore[index]
    else:
        target, given = None, x.model.constant(np.array(factors, np.float32))
    match mode, coordinates, nearest:
        case "nearest", "asymmetric", "floor":
            return resize.resize_nearest(x, target, given, align_corners=False)
        case "linear", "half_pixel" | "asymmetric", _ if x.is_float:
            align_mode = 0 if coordinates == "half_pixel" else 1
            return resize.resize_linear(x, target, given, align_mode=align_mode)
    return None


def _whole_factors(x: Value, scales: Value | None, sizes: Value | None) -> list[int] | None:
    if x.rank != 4:
        return None
    if scales is not None:
        if scales.constant is None or scales.constant.size != 4 or not scales.is_float:
            return None
        factors = scales.constant.reshape(-1).tolist()
    else:
        wanted = ints(sizes)
        if wanted is None or len(wanted) != 4 or any(isinstance(d, Expr) or not d for d in x.shape):
            return None
        factors = [w / d for w, d in zip(wanted, x.shape, strict=True)]  # type: ignore[operator]
    whole = factors[:2] == [1, 1] and all(f >= 1 and f == int(f) for f in factors)
    return [int(f) for f in factors[2:]] if whole else None


@table.convert("Resize", since=11)
def resize_11(
    x: Value,
    roi: Value | None = None,
    scales: Value | None = None,
    sizes: Value | None = None,
    *,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
    translator: Translator,
) -> Value:
    if coordinate_transformation_mode == "tf_half_pixel_for_nn":
        raise Unsupported("Resize with coordinate_transformation_mode='tf_half_pixel_for_nn'")
    return resize_(
        x,
        roi,
        scales,
        sizes,
        coordinate_transformation_mode=coordinate_transformation_mode,
        cubic_coeff_a=cubic_coeff_a,
        exclude_outside=exclude_outside,
        extrapolation_value=extrapolation_value,
        mode=mode,
        nearest_mode=nearest_mode,
        translator=translator,
    )


@table.convert("Resize", since=10)
@table.convert("Upsample", since=9)
def upsample(x: Value, scales: Value, *, mode: str = "nearest", translator: Translator) -> Value:
    """Before opset 11 positions are i / scale, rounded down for the nearest."""
    kinds = {"nearest": "nearest", "linear": "linear", "bilinear": "linear"}
    if mode not in kinds:
        raise Unsupported(f"Upsample with mode={mode!r}")
    return resize_(
        x,
        None,
        scales,
        coordinate_transformation_mode="asymmetric",
        mode=kinds[mode],
        nearest_mode="floor",
        translator=translator,
    )


@table.convert("Upsample", since=7)
def upsample_7(
    x: Value, *, mode: str = "nearest", scales: tuple[float, ...], translator: Translator
) -> Value:
    factors = x.model.constant(np.array(scales, np.float32))
    return upsample(x, factors, mode=mode, translator=translator)


@table.convert("Upsample", since=1)
def upsample_1(
    x: Value,
    *,
    height_scale: float,
    mode: str = "nearest",
    width_scale: float,
    translator: Translator,
) -> Value:
    scales = (1.0, 1.0, height_scale, width_scale)
    return upsample_7(x, mode=mode, scales=scales, translator=translator)


@table.convert("GridSample", since=16)
def grid_sample(
    x: Value,
    grid: Value,
    *,
    align_corners: int = 0,
    mode: str = "linear",
    padding_mode: str = "zeros",
) -> Value:
    match mode:
        case "linear" | "bilinear":
            how = InterpolateMode.BILINEAR
        case "nearest":
            how = InterpolateMode.NEAREST
        case "cubic" | "bicubic":
            how = InterpolateMode.BICUBIC
        case _:
            raise Unsupported(f"GridSample with mode={mode!r}")
    match padding_mode:
        case "zeros":
            border = PadMode.CONSTANT
        case "border":
            border = PadMode.EDGE
        case "reflection":
            border = PadMode.REFLECT
        case _:
            raise Unsupported(f"GridSample with padding_mode={padding_mode!r}")
    operator = {4: resize.grid_sample, 5: resize.grid_sample_3d}.get(x.rank)
    if operator is None:
        raise BadType(f"GridSample of {x.type}: rank 4 or 5 is needed")
    return operator(x, grid, align_corners=bool(align_corners), mode=how, pad_mode=border)


@table.convert("AffineGrid", since=20)
def affine_grid(theta: Value, size: Value, *, align_corners: int = 0) -> Value:
    return resize.affine_grid(theta, size, align_corners=bool(align_corners))
