"""Pooling over sliding windows and over adaptive bins."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..broadcast import contents, length_of
from ..dim import Dim, differ
from ..model import Index, Value
from ..numeric import apply_fuse_code, at_positions, wide
from ..operator import Pattern, of_windows, operator, require
from ..types import AutoPad, Fuse, Precision, TensorType
from . import windows
from .rules import require_integers

INDEX_TYPES = (Precision.INT32, Precision.INT64)


def _ones(values: Sequence[int] | None, rank: int) -> tuple[int, ...]:
    return tuple(values) if values else (1,) * rank


def _out(
    input: np.ndarray,
    kernel: Sequence[int],
    strides: Sequence[int],
    pairs: windows.Pairs,
    *,
    ceil: bool,
) -> tuple[int, ...]:
    axes = zip(input.shape[2:], kernel, strides, pairs, strict=True)
    return tuple(int(windows.slid(*axis, ceil=ceil)) for axis in axes)  # type: ignore[arg-type]


@wide
def _average_pool_2d(
    input: np.ndarray,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...],
    ceil_mode: bool,
    count_include_pad: bool,
    fuse_code: Fuse,
) -> np.ndarray:
    sizes, once = input.shape[2:], (1, 1)
    pairs = windows.resolve_padding(auto_pad, pads, sizes, kernel_shape, strides)
    out = _out(input, kernel_shape, strides, pairs, ceil=ceil_mode and auto_pad != AutoPad.SAME)
    total = windows.sums(input, kernel_shape, pairs, strides, once, out)
    if count_include_pad:
        count = np.asarray(kernel_shape[0] * kernel_shape[1])
    else:
        count = windows.counts((0, 0), sizes, kernel_shape, pairs, strides, once, out)
    return apply_fuse_code(total / np.maximum(count, 1).astype(input.dtype), fuse_code)


def _pool_sizes(
    input: Value,
    auto_pad: AutoPad,
    pads: Sequence[int] | None,
    kernel: Sequence[int],
    strides: Sequence[int],
    *,
    ceil: bool,
) -> list[Dim]:
    if auto_pad == AutoPad.SAME:
        return [windows.same_size(d, s) for d, s in zip(input.shape[2:], strides, strict=True)]
    pairs = windows.pair_pads(None if auto_pad == AutoPad.VALID else pads, len(kernel))
    axes = zip(input.shape[2:], kernel, strides, pairs, strict=True)
    return [windows.slid(*axis, ceil=ceil) for axis in axes]


def _pool_type(
    name: str,
    input: Value,
    auto_pad: AutoPad,
    pads: Sequence[int] | None,
    kernel: Sequence[int],
    strides: Sequence[int],
    *,
    ceil: bool,
) -> TensorType:
    require(input.rank == 4, f"{name} needs rank 4, not {input.type}")
    windows.check_window(name, 2, kernel_shape=kernel, strides=strides)
    sizes = _pool_sizes(input, auto_pad, pads, kernel, strides, ceil=ceil)
    return input.type.with_shape((*input.shape[:2], *sizes))


@operator(steps=of_windows, code=8, reference=_average_pool_2d)
def average_pool_2d(
    input: Value,
    *,
    auto_pad: AutoPad = AutoPad.NONE,
    pads: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...],
    ceil_mode: bool = False,
    count_include_pad: bool = False,
    fuse_code: Fuse = Fuse.NONE,
) -> TensorType:
    """The mean of each window.

    Types: any float; the result has it too.
    Shapes: [N, C, H, W] to [N, C, H', W'], H' = floor((H + top + bottom - kh) / sh) + 1, with
        `ceil_mode` ceil; pads are top, bottom, left, right.
    Edges: the divisor is kh kw with `count_include_pad`, else the number of elements of the input
        in the window; a window of nothing but padding is 0.
    """
    require(input.is_float, f"average_pool_2d needs a float input, not {input.type}")
    return _pool_type(
        "average_pool_2d", input, auto_pad, pads, kernel_shape, strides, ceil=ceil_mode
    )


def _index_type(code: int, name: str) -> Precision:
    require(code in INDEX_TYPES, f"{name} with return_indices_dtype={code}: 5 or 7 is needed")
    return Precision(code)


def _max_pool_2d(
    input: np.ndarray,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...],
    ceil_mode: bool,
    return_indices: bool,
    return_indices_dtype: int,
    fuse_code: Fuse,
) -> tuple[np.ndarray, ...] | np.ndarray:
    pairs = windows.resolve_padding(auto_pad, pads, input.shape[2:], kernel_shape, strides)
    out = _out(input, kernel_shape, strides, pairs, ceil=ceil_mode and auto_pad != AutoPad.SAME)
    if not return_indices:
        best = windows.maximum(input, kernel_shape, pairs, strides, (1, 1), out)
        return apply_fuse_code(best, fuse_code).astype(input.dtype)
    best, index = windows.maxima(input, kernel_shape, pairs, strides, (1, 1), out)
    positions = index.astype(Precision(return_indices_dtype).dtype)
    return apply_fuse_code(best, fuse_code).astype(input.dtype), positions


def _number(input: Value, name: str) -> None:
    fits = input.is_float or input.is_integer or input.precision == Precision.BOOL8
    require(fits, f"{name} needs numbers, not {input.type}")


@operator(steps=of_windows, code=49, reference=_max_pool_2d)
def max_pool_2d(
    input: Value,
    *,
    auto_pad: AutoPad = AutoPad.NONE,
    pads: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...],
    ceil_mode: bool = False,
    return_indices: bool = False,
    return_indices_dtype: int = Precision.INT32,
    fuse_code: Fuse = Fuse.NONE,
) -> TensorType | tuple[TensorType, TensorType]:
    """The maximum of each window, and on request where it lies in its plane (h * W + w).

    Types: any float or integer; positions are int32 or int64 by `return_indices_dtype`.
    Shapes: as AVERAGE_POOL_2D, for both results.
    Edges: padding never wins; NaN does; the first of equal elements counts.
    """
    _number(input, "max_pool_2d")
    result = _pool_type("max_pool_2d", input, auto_pad, pads, kernel_shape, strides, ceil=ceil_mode)
    if not return_indices:
        return result
    return result, result.with_precision(_index_type(return_indices_dtype, "max_pool_2d"))


def bins_along(size: int, count: int) -> list[slice]:
    """Bin i covers floor(i size / count) to ceil((i + 1) size / count)."""
    return [slice(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _each_bin(
    input: np.ndarray, output_shape: Sequence[int], function: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    rows, columns = (bins_along(n, k) for n, k in zip(input.shape[2:], output_shape, strict=True))
    bins = [[function(input[:, :, r, c]) for c in columns] for r in rows]
    return np.moveaxis(np.array(bins), (0, 1), (2, 3))


@wide
def _adaptive_average_pool_2d(input: np.ndarray, *, output_shape: tuple[int, ...]) -> np.ndarray:
    return _each_bin(input, output_shape, lambda b: b.mean(axis=(2, 3), dtype=input.dtype))


def _adaptive_type(name: str, input: Value, output_shape: tuple[int, ...]) -> TensorType:
    require(input.rank == 4, f"{name} needs rank 4, not {input.type}")
    windows.check_window(name, 2, output_shape=output_shape)
    return input.type.with_shape((*input.shape[:2], *output_shape))


@operator(steps=of_windows, code=1, reference=_adaptive_average_pool_2d)
def adaptive_average_pool_2d(input: Value, *, output_shape: tuple[int, ...]) -> TensorType:
    """The mean of each bin of a grid of `output_shape` bins.

    Types: any float; the result has it too.
    Shapes: [N, C, H, W] to [N, C, *output_shape]; bin i covers the rows floor(i H / H') to
        ceil((i + 1) H / H') - 1.
    Edges: neighbouring bins share an element where H' does not divide H.
    """
    require(input.is_float, f"adaptive_average_pool_2d needs a float input, not {input.type}")
    return _adaptive_type("adaptive_average_pool_2d", input, output_shape)


def _adaptive_max_pool_2d(
    input: np.ndarray,
    *,
    output_shape: tuple[int, ...],
    return_indices: bool,
    return_indices_dtype: int,
) -> tuple[np.ndarray, ...] | np.ndarray:
    best = _each_bin(input, output_shape, lambda b: b.max(axis=(2, 3)))
    if not return_indices:
        return best
    plane = np.arange(input.shape[2] * input.shape[3]).reshape(input.shape[2:])
    rows, columns = (bins_along(n, k) for n, k in zip(input.shape[2:], output_shape, strict=True))
    found = [
        [
            plane[r, c].ravel()[
                input[:, :, r, c].reshape(*best.shape[:2], plane[r, c].size).argmax(-1)
            ]
            for c in columns
        ]
        for r in rows
    ]
    index = np.moveaxis(np.array(found), (0, 1), (2, 3))
    return best, index.astype(Precision(return_indices_dtype).dtype)


@operator(steps=of_windows, code=2, reference=_adaptive_max_pool_2d)
def adaptive_max_pool_2d(
    input: Value,
    *,
    output_shape: tuple[int, ...],
    return_indices: bool = False,
    return_indices_dtype: int = Precision.INT32,
) -> TensorType | tuple[TensorType, TensorType]:
    """The maximum of each bin of a grid, and on request where it lies in its plane.

    Types: any float or integer; positions are int32 or int64 by `return_indices_dtype`.
    Shapes: as ADAPTIVE_AVERAGE_POOL_2D, for both results.
    Edges: NaN wins; the first of equal elements counts.
    """
    _number(input, "adaptive_max_pool_2d")
    result = _adaptive_type("adaptive_max_pool_2d", input, output_shape)
    if not return_indices:
        return result
    return result, result.with_precision(_index_type(return_indices_dtype, "adaptive_max_pool_2d"))


def _any_sizes(
    input: Value,
    name: str,
    kernel: Sequence[int],
    strides: Sequence[int] | None,
    pads: Sequence[int] | None,
    dilations: Sequence[int] | None,
    *,
    ceil: bool,
) -> TensorType:
    """The type of a pool over any number of spatial axes; no window starts after the data."""
    rank = len(kernel)
    fits = input.rank == rank + 2
    require(fits, f"{name} with kernel_shape={tuple(kernel)} of {input.type}")
    windows.check_window(name, rank, kernel_shape=kernel, strides=strides, dilations=dilations)
    covered = windows.extents(kernel, _ones(dilations, rank))
    pairs = windows.pair_pads(pads, rank)
    axes = zip(input.shape[2:], covered, _ones(strides, rank), pairs, strict=True)
    count = windows.slid_inside if ceil else windows.slid
    return input.type.with_shape((*input.shape[:2], *(count(*axis) for axis in axes)))


def _geometry(
    input: np.ndarray,
    kernel: Sequence[int],
    strides: Sequence[int] | None,
    pads: Sequence[int] | None,
    dilations: Sequence[int] | None,
    *,
    ceil: bool,
) -> tuple[Sequence[int], windows.Pairs, tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Kernel, pads, strides, dilations and output sizes."""
    rank = len(kernel)
    pairs = windows.pair_pads(pads, rank)
    steps, dilated = _ones(strides, rank), _ones(dilations, rank)
    count = windows.slid_inside if ceil else windows.slid
    axes = zip(input.shape[2:], windows.extents(kernel, dilated), steps, pairs, strict=True)
    return kernel, pairs, steps, dilated, tuple(int(count(*axis)) for axis in axes)  # type: ignore[arg-type]


@wide
def _average_pool(
    input: np.ndarray,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    count_include_pad: bool,
) -> np.ndarray:
    given = _geometry(input, kernel_shape, strides, pads, dilations, ceil=ceil_mode)
    starts, ends = [0] * len(kernel_shape), list(input.shape[2:])
    if count_include_pad:
        starts = [-before for before, _ in given[1]]
        ends = [n + after for n, (_, after) in zip(ends, given[1], strict=True)]
    count = np.maximum(windows.counts(starts, ends, *given), 1)
    return windows.sums(input, *given) / count.astype(input.dtype)


@operator(steps=of_windows, code=1450, reference=_average_pool)
def average_pool(
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    dilations: tuple[int, ...] | None = None,
    ceil_mode: bool = False,
    count_include_pad: bool = False,
) -> TensorType:
    """The mean of each window, over any number of axes and with dilation.

    Types: any float; the result has it too.
    Shapes: [N, C, *spatial]; pads are (before, after) of each axis. `ceil_mode` keeps a last
        window that overhangs, unless it would start in the padding after the data.
    Edges: the divisor counts what lies in the input, with `count_include_pad` also its padding,
        but not what overhangs.
    """
    require(input.is_float, f"average_pool needs a float input, not {input.type}")
    return _any_sizes(input, "average_pool", kernel_shape, strides, pads, dilations, ceil=ceil_mode)


def _max_pool(
    input: np.ndarray,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    return_indices: bool,
) -> tuple[np.ndarray, ...] | np.ndarray:
    given = _geometry(input, kernel_shape, strides, pads, dilations, ceil=ceil_mode)
    return windows.maxima(input, *given) if return_indices else windows.maximum(input, *given)


@operator(steps=of_windows, code=1451, reference=_max_pool)
def max_pool(
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    dilations: tuple[int, ...] | None = None,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> TensorType | tuple[TensorType, TensorType]:
    """The maximum of each window, over any number of axes and with dilation.

    Types: any float or integer; positions are int64.
    Shapes: as AVERAGE_POOL; positions are flat in the plane of the spatial axes.
    Edges: padding never wins; NaN does; the first of equal elements counts.
    """
    _number(input, "max_pool")
    result = _any_sizes(input, "max_pool", kernel_shape, strides, pads, dilations, ceil=ceil_mode)
    return (result, result.with_precision(Precision.INT64)) if return_indices else result


@wide
def _lp_pool(
    input: np.ndarray,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    p: float,
) -> np.ndarray:
    given = _geometry(input, kernel_shape, strides, pads, dilations, ceil=ceil_mode)
    powers = windows.sums(np.power(np.abs(input), input.dtype.type(p)), *given)
    return np.power(powers, input.dtype.type(1 / p))


@operator(steps=of_windows, code=1452, reference=_lp_pool)
def lp_pool(
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    dilations: tuple[int, ...] | None = None,
    ceil_mode: bool = False,
    p: float = 2.0,
) -> TensorType:
    """The p-norm of each window.

    Types: any float; the result has it too.
    Shapes: as AVERAGE_POOL.
    Edges: padding adds nothing.
    """
    require(input.is_float, f"lp_pool needs a float input, not {input.type}")
    require(p > 0, f"lp_pool with p={p}")
    return _any_sizes(input, "lp_pool", kernel_shape, strides, pads, dilations, ceil=ceil_mode)


def unpooled_sizes(
    sizes: Sequence[Dim],
    kernel_shape: Sequence[int],
    strides: Sequence[int] | None,
    pads: Sequence[int] | None,
) -> tuple[Dim, ...]:
    """The sizes that a maximum pool had, of those that it made."""
    rank = len(kernel_shape)
    axes = zip(
        sizes[2:], _ones(strides, rank), kernel_shape, windows.pair_pads(pads, rank), strict=True
    )
    return (*sizes[:2], *(windows.transposed_size(*axis, 0) for axis in axes))


def _max_unpool(
    input: np.ndarray,
    indices: np.ndarray,
    output_shape: np.ndarray | None = None,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
) -> np.ndarray:
    found = unpooled_sizes(input.shape, kernel_shape, strides, pads)
    sizes = [int(d) for d in found]  # type: ignore[arg-type]  # no symbols
    result = np.zeros(sizes, input.dtype)
    with at_positions():
        result.reshape(-1)[indices.reshape(-1)] = input.reshape(-1)
    if output_shape is None:
        return result
    grown = np.zeros(tuple(output_shape.tolist()), input.dtype)
    corner = tuple(map(slice, np.minimum(grown.shape, result.shape)))
    grown[corner] = result[corner]
    return grown


@operator(pattern=Pattern.MOVEMENT, steps=of_windows, code=1453, reference=_max_unpool)
def max_unpool(
    input: Value,
    indices: Value,
    output_shape: Index | None = None,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
) -> TensorType:
    """Put maxima back where MAX_POOL found them; everything else is 0.

    Types: any number; `indices` are int64, flat in the whole result.
    Shapes: each axis becomes (n - 1) stride - before - after + kernel; a larger `output_shape` (of
        all axes) is filled up with zeros after that.
    Edges: of equal indices the last one counts.
    """
    _number(input, "max_unpool")
    rank = len(kernel_shape)
    require(input.rank == rank + 2, f"max_unpool with {kernel_shape=} of {input.type}")
    windows.check_window("max_unpool", rank, kernel_shape=kernel_shape, strides=strides)
    require(indices.is_integer, f"max_unpool needs integer indices, not {indices.type}")
    fits = indices.rank == input.rank and not any(map(differ, indices.shape, input.shape))
    require(fits, f"max_unpool of {input.type} at {indices.type}: they have one shape")
    if output_shape is not None:
        require_integers(output_shape, "the output_shape of max_unpool")
        require(length_of(output_shape) == input.rank, "max_unpool: output_shape has every axis")
        found = contents(output_shape)
        return input.type.with_shape(found or tuple(input.model.fresh() for _ in input.shape))
    return input.type.with_shape(unpooled_sizes(input.shape, kernel_shape, strides, pads))
