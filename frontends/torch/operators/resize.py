"""ATen resampling."""

from __future__ import annotations

from collections.abc import Callable

from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import compare, resize
from nnir.recipes.resize import (
    known_scales,
    resize_cubic,
    resize_linear,
    resize_nearest,
    resize_smooth,
    sizes_after,
)
from nnir.types import InterpolateMode, PadMode

from ...table import Table

table = Table()
SMALL = 128
"""The height and width together of images that PyTorch has another kernel for."""


def positive(*scales: float | None) -> tuple[float | None, ...]:
    """Scales above 0: PyTorch does not look at others."""
    return tuple(s if s is not None and s > 0 else None for s in scales)


def _of_vector(rank: int, function: Callable[..., Value], *rest: bool) -> Callable[..., Value]:
    """The overload with one list of scale factors."""

    def convert(
        input: Value, output_size: Index | None, scale_factors: tuple[float, ...] | None
    ) -> Value:
        return _resize_by_rank(rank, function, input, output_size, scale_factors, *rest)

    return convert


def _of_vector_aligned(rank: int, function: Callable[..., Value]) -> Callable[..., Value]:
    def convert(
        input: Value,
        output_size: Index | None,
        align_corners: bool,
        scale_factors: tuple[float, ...] | None,
    ) -> Value:
        _require_float(input)
        return _resize_by_rank(rank, function, input, output_size, scale_factors, align_corners)

    return convert


def _resize_by_rank(
    rank: int,
    function: Callable[..., Value],
    input: Value,
    output_size: Value | None,
    factors: tuple[float, ...] | None,
    *rest: bool,
) -> Value:
    if (output_size is None) == (factors is None):
        raise BadType("a resize needs either output_size or scale_factors")
    if factors is None:
        return function(input, output_size, (None,) * rank, *rest)
    if len(factors) != rank:
        raise BadType(f"a resize over {rank} axes by {factors}")
    static = not any(isinstance(d, Expr) for d in input.shape[-rank:])
    target = sizes_after(input, factors) if static else None
    return function(input, target, factors, *rest)


def _one(function: Callable[..., Value], *rest: bool) -> Callable[..., Value]:
    def convert(self: Value, output_size: Index, scales: float | None = None) -> Value:
        return function(self, output_size, positive(scales), *rest)

    return convert


def _two(function: Callable[..., Value], *rest: bool) -> Callable[..., Value]:
    def convert(
        self: Value,
        output_size: Index,
        scales_h: float | None = None,
        scales_w: float | None = None,
    ) -> Value:
        return function(self, output_size, positive(scales_h, scales_w), *rest)

    return convert


def _three(function: Callable[..., Value], *rest: bool) -> Callable[..., Value]:
    def convert(
        self: Value,
        output_size: Index,
        scales_d: float | None = None,
        scales_h: float | None = None,
        scales_w: float | None = None,
    ) -> Value:
        return function(self, output_size, positive(scales_d, scales_h, scales_w), *rest)

    return convert


def nearest(x: Value, output: Value | None, scales: tuple[float | None, ...], exact: bool) -> Value:
    """The nearest elements.

    Of images up to `SMALL`, PyTorch does not look at a scale to the size itself or twice that.
    """
    pairs = None if output is None else known_scales(x, output, len(scales))
    if pairs is not None and len(pairs) == 2 and sum(m for _, m in pairs) <= SMALL and not exact:
        told = zip(pairs, scales, strict=True)
        scales = tuple(None if m in (n, 2 * n) else s for (n, m), s in told)
    return resize_nearest(x, output, scales, exact)


for _name, _exact in (("upsample_nearest", False), ("_upsample_nearest_exact", True)):
    for _rank, _factory in ((1, _one), (2, _two), (3, _three)):
        table.convert(f"aten.{_name}{_rank}d.vec")(_of_vector(_rank, nearest, _exact))
        table.convert(f"aten.{_name}{_rank}d.default")(_factory(nearest, _exact))


@table.convert("aten.upsample_linear1d.default")
def upsample_linear1d(
    self: Value, output_size: Index, align_corners: bool, scales: float | None = None
) -> Value:
    return resize_linear(self, output_size, positive(scales), align_corners)


@table.convert("aten.upsample_trilinear3d.default")
def upsample_trilinear3d(
    self: Value,
    output_size: Index,
    align_corners: bool,
    scales_d: float | None = None,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Value:
    return resize_linear(self, output_size, positive(scales_d, scales_h, scales_w), align_corners)


def _require_float(x: Value) -> None:
    """Unsupported for bytes, which PyTorch weighs in whole numbers, rounding after each axis."""
    if not x.is_float:
        raise Unsupported(f"interpolation of {x.type}, which PyTorch computes in whole numbers")


def _plane(function: Callable[..., Value]) -> Callable[..., Value]:
    def convert(
        self: Value,
        output_size: Index,
        align_corners: bool,
        scales_h: float | None = None,
        scales_w: float | None = None,
    ) -> Value:
        _require_float(self)
        return function(self, output_size, positive(scales_h, scales_w), align_corners)

    return convert


PLANES: dict[str, Callable[..., Value]] = {
    "upsample_bilinear2d": resize_linear,
    "upsample_bicubic2d": resize_cubic,
    "_upsample_bilinear2d_aa": resize_smooth("linear", -0.5),
    "_upsample_bicubic2d_aa": resize_smooth("cubic", -0.5),
}
for _name, _function in PLANES.items():
    table.convert(f"aten.{_name}.vec")(_of_vector_aligned(2, _function))
    table.convert(f"aten.{_name}.default")(_plane(_function))
table.convert("aten.upsample_linear1d.vec")(_of_vector_aligned(1, resize_linear))
table.convert("aten.upsample_trilinear3d.vec")(_of_vector_aligned(3, resize_linear))

MODES = {
    0: InterpolateMode.BILINEAR,
    1: InterpolateMode.NEAREST,
    2: InterpolateMode.BICUBIC,
}
BORDERS = {0: PadMode.CONSTANT, 1: PadMode.EDGE, 2: PadMode.REFLECT}


@table.convert(
    "aten.grid_sampler.default", "aten.grid_sampler_2d.default", "aten.grid_sampler_3d.default"
)
def grid_sampler(
    input: Value, grid: Value, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Value:
    mode, border = MODES.get(interpolation_mode), BORDERS.get(padding_mode)
    if mode is None or border is None:
        raise Unsupported(f"grid_sampler with {interpolation_mode=} and {padding_mode=}")
    if input.rank == 4 and border != PadMode.CONSTANT and mode != InterpolateMode.BICUBIC:
        grid = compare.where(compare.equal(grid, grid), grid, -1)  # NaN stands for -1 here only
    operator = resize.grid_sample if input.rank == 4 else resize.grid_sample_3d
    return operator(input, grid, align_corners=align_corners, mode=mode, pad_mode=border)


@table.convert("aten.affine_grid_generator.default")
def affine_grid_generator(theta: Value, size: Index, align_corners: bool) -> Value:
    return resize.affine_grid(theta, size, align_corners=align_corners)
