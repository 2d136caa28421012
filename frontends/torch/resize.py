"""ATen resampling."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from nnir import build
from nnir.broadcast import ints
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import index as ops
from nnir.ops import resize, unary
from nnir.types import InterpolateMode, PadMode, Precision

from ..table import Table

table = Table()
Scales = tuple[float | None, ...]


def sizes_after(x: Value, scales: Sequence[float]) -> Value:
    """floor(size * scale) of each spatial axis, all of which are known."""
    own = [int(d) for d in x.shape[-len(scales) :]]  # type: ignore[arg-type]
    return build.vector(x.model, [int(n * s) for n, s in zip(own, scales, strict=True)])


def unknown_sizes_after(x: Value, scales: Sequence[float]) -> Value:
    """floor(size * scale) of each spatial axis, computed while running."""
    own = build.vector(x.model, [x.size(axis) for axis in range(-len(scales), 0)])
    factors = x.model.constant(np.array(scales, np.float64))
    grown = unary.cast(own, dtype=Precision.FLOAT64) * factors
    return unary.cast(unary.floor(grown), dtype=Precision.INT64)


def known(x: Value, output: Value, rank: int) -> list[tuple[int, int]] | None:
    """(in, out) of each spatial axis where both are known."""
    own, target = x.shape[-rank:], ints(output)
    if target is None or any(isinstance(d, Expr) for d in own):
        return None
    return [(int(n), m) for n, m in zip(own, target, strict=True)]  # type: ignore[arg-type]


def required(x: Value, rank: int) -> list[int]:
    """The spatial axes; BadType unless there are two in front of them."""
    if x.rank != rank + 2:
        raise BadType(f"a resize over {rank} axes of {x.type}")
    return list(range(2, rank + 2))


def nearest(x: Value, output: Value | None, scales: Scales, exact: bool) -> Value:
    """RESIZE_NEAREST where its rule gives the same elements, else one gather for each axis."""
    rank = len(scales)
    axes = required(x, rank)
    pairs = None if output is None else known(x, output, rank)
    if pairs is None or output is None:
        return _nearest_unknown(x, output, scales, exact)
    places = [_source(n, m, s, exact) for (n, m), s in zip(pairs, scales, strict=True)]
    plain = [np.arange(m) * n // max(m, 1) for n, m in pairs]
    if all(n == m for n, m in pairs) and _same(places, [np.arange(n) for n, _ in pairs]):
        return x
    if rank == 2 and _same(places, plain):
        return resize.resize_nearest(x, output)
    for axis, at, (size, _) in zip(axes, places, pairs, strict=True):
        if not np.array_equal(at, np.arange(size)):
            x = ops.gather(x, x.model.constant(at), axis=axis)
    return x


def _same(a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> bool:
    return all(np.array_equal(left, right) for left, right in zip(a, b, strict=True))


def _source(size: int, out: int, scale: float | None, exact: bool) -> np.ndarray:
    """Where PyTorch's float32 arithmetic takes each element from."""
    step = np.float32(1 / scale if scale else size / max(out, 1))
    at = np.arange(out, dtype=np.float32)
    places = np.floor((at + np.float32(0.5 if exact else 0)) * step).astype(np.int64)
    return np.minimum(places, size - 1)


def _nearest_unknown(x: Value, output: Value | None, scales: Scales, exact: bool) -> Value:
    """Sizes that are only known while running."""
    rank = len(scales)
    axes = tuple(range(2, rank + 2))
    whole = [s for s in scales if s is not None and s >= 1 and s == int(s)]
    factors = x.model.constant(np.array(whole, np.float32)) if len(whole) == rank else None
    if rank == 2 and (factors is not None or (not exact and None in scales and output is not None)):
        return resize.resize_nearest(x, None if factors is not None else output, factors)
    rule = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    if exact:
        rule = {"coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_ceil"}
    return _by_rule(x, output, scales, mode="nearest", axes=axes, **rule)


def _by_rule(
    x: Value, output: Value | None, scales: Scales, *, axes: tuple[int, ...], **rule: object
) -> Value:
    """RESIZE by scales where all are given, else to sizes."""
    if all(s for s in scales) and (output is None or not fits(x, output, scales)):
        _require_sizes(x, output, scales)
        factors = x.model.constant(np.array(scales, np.float64))  # 1.8 as float32 is below 1.8
        return resize.resize(x, None, factors, None, axes=axes, **rule)
    if output is None:
        raise Unsupported(f"a resize of {x.type} without a size")
    return resize.resize(x, None, None, output, axes=axes, **rule)


def _require_sizes(x: Value, output: Value | None, scales: Scales) -> None:
    """Unsupported where scales do not give the sizes that are asked for."""
    pairs = None if output is None else known(x, output, len(scales))
    for (n, m), scale in zip(pairs or (), scales, strict=False):
        if scale and int(n * scale) != m:
            raise Unsupported(f"resizing {n} to {m} by {scale}")


def fits(x: Value, output: Value, scales: Scales) -> bool:
    """Whether the ratio of the sizes is the scale already, or counts because none is given."""
    pairs = known(x, output, len(scales))
    if pairs is None:
        return all(s is None for s in scales)
    return all(not s or n * s == m for (n, m), s in zip(pairs, scales, strict=True))


def corners(x: Value, output: Value | None, scales: Scales) -> tuple[Value, Scales]:
    """Sizes alone: with align_corners the scales say no more than they do."""
    if output is None:
        output = unknown_sizes_after(x, [s or 1.0 for s in scales])
    return output, (None,) * len(scales)


def linear(x: Value, output: Value | None, scales: Scales, align_corners: bool) -> Value:
    """RESIZE_LINEAR over two axes by the ratio of their sizes, else RESIZE."""
    rank = len(scales)
    axes = tuple(required(x, rank))
    if align_corners:
        output, scales = corners(x, output, scales)
    if output is not None and is_same(x, output, scales):
        return x
    if rank == 2 and x.is_float and output is not None and fits(x, output, scales):
        mode = None if align_corners else 0
        return resize.resize_linear(x, output, align_corners=align_corners, align_mode=mode)
    how = "align_corners" if align_corners else "half_pixel"
    return _by_rule(x, output, scales, axes=axes, mode="linear", coordinate_transformation_mode=how)


def is_same(x: Value, output: Value, scales: Scales) -> bool:
    """Whether nothing changes."""
    pairs = known(x, output, len(scales))
    return pairs is not None and all(n == m for n, m in pairs) and fits(x, output, scales)


def cubic(x: Value, output: Value | None, scales: Scales, align_corners: bool) -> Value:
    axes = tuple(required(x, 2))
    if align_corners:
        output, scales = corners(x, output, scales)
    if output is not None and is_same(x, output, scales):
        return x
    how = "align_corners" if align_corners else "half_pixel"
    rule = {"mode": "cubic", "coordinate_transformation_mode": how}
    return _by_rule(x, output, scales, axes=axes, **rule)


def smooth(mode: str, a: float) -> Callable[..., Value]:
    """The filters that widen where the image shrinks; what lies outside has no weight."""

    def resized(x: Value, output: Value | None, scales: Scales, align_corners: bool) -> Value:
        axes = tuple(required(x, 2))
        if align_corners:
            raise Unsupported(f"an antialiased {mode} resize with align_corners")
        rule = {"mode": mode, "coordinate_transformation_mode": "half_pixel"}
        given = {"antialias": True, "exclude_outside": True, "cubic_coeff_a": a}
        return _by_rule(x, output, scales, axes=axes, **rule, **given)

    return resized


def _of_vector(rank: int, function: Callable[..., Value], *rest: bool) -> Callable[..., Value]:
    """The overload with one list of scale factors."""

    def convert(
        input: Value, output_size: Index | None, scale_factors: tuple[float, ...] | None
    ) -> Value:
        return _sized(rank, function, input, output_size, scale_factors, *rest)

    return convert


def _of_vector_aligned(rank: int, function: Callable[..., Value]) -> Callable[..., Value]:
    def convert(
        input: Value,
        output_size: Index | None,
        align_corners: bool,
        scale_factors: tuple[float, ...] | None,
    ) -> Value:
        return _sized(rank, function, input, output_size, scale_factors, align_corners)

    return convert


def _sized(
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
        return function(self, output_size, (scales,), *rest)

    return convert


def _two(function: Callable[..., Value], *rest: bool) -> Callable[..., Value]:
    def convert(
        self: Value,
        output_size: Index,
        scales_h: float | None = None,
        scales_w: float | None = None,
    ) -> Value:
        return function(self, output_size, (scales_h, scales_w), *rest)

    return convert


def _three(function: Callable[..., Value], *rest: bool) -> Callable[..., Value]:
    def convert(
        self: Value,
        output_size: Index,
        scales_d: float | None = None,
        scales_h: float | None = None,
        scales_w: float | None = None,
    ) -> Value:
        return function(self, output_size, (scales_d, scales_h, scales_w), *rest)

    return convert


for _name, _exact in (("upsample_nearest", False), ("_upsample_nearest_exact", True)):
    for _rank, _factory in ((1, _one), (2, _two), (3, _three)):
        table.convert(f"aten.{_name}{_rank}d.vec")(_of_vector(_rank, nearest, _exact))
        table.convert(f"aten.{_name}{_rank}d.default")(_factory(nearest, _exact))


@table.convert("aten.upsample_linear1d.default")
def upsample_linear1d(
    self: Value, output_size: Index, align_corners: bool, scales: float | None = None
) -> Value:
    return linear(self, output_size, (scales,), align_corners)


@table.convert("aten.upsample_trilinear3d.default")
def upsample_trilinear3d(
    self: Value,
    output_size: Index,
    align_corners: bool,
    scales_d: float | None = None,
    scales_h: float | None = None,
    scales_w: float | None = None,
) -> Value:
    return linear(self, output_size, (scales_d, scales_h, scales_w), align_corners)


def _plane(function: Callable[..., Value]) -> Callable[..., Value]:
    def convert(
        self: Value,
        output_size: Index,
        align_corners: bool,
        scales_h: float | None = None,
        scales_w: float | None = None,
    ) -> Value:
        return function(self, output_size, (scales_h, scales_w), align_corners)

    return convert


PLANES: dict[str, Callable[..., Value]] = {
    "upsample_bilinear2d": linear,
    "upsample_bicubic2d": cubic,
    "_upsample_bilinear2d_aa": smooth("linear", -0.5),
    "_upsample_bicubic2d_aa": smooth("cubic", -0.5),
}
for _name, _function in PLANES.items():
    table.convert(f"aten.{_name}.vec")(_of_vector_aligned(2, _function))
    table.convert(f"aten.{_name}.default")(_plane(_function))
table.convert("aten.upsample_linear1d.vec")(_of_vector_aligned(1, linear))
table.convert("aten.upsample_trilinear3d.vec")(_of_vector_aligned(3, linear))

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
    operator = resize.grid_sample if input.rank == 4 else resize.grid_sample_3d
    result: Value = operator(input, grid, align_corners=align_corners, mode=mode, pad_mode=border)
    return result


@table.convert("aten.affine_grid_generator.default")
def affine_grid_generator(theta: Value, size: Index, align_corners: bool) -> Value:
    return resize.affine_grid(theta, size, align_corners=align_corners)
