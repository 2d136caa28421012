"""Paddle's pools."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.broadcast import ints
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import pool, reduce
from nnir.recipes import pool as pool_recipes
from nnir.recipes.conv import each_axis
from nnir.recipes.layout import is_channels_last, to_channels_first, to_channels_last
from nnir.recipes.pool import adaptive_average_pool, adaptive_max_pool, bins_of
from nnir.types import AutoPad, Precision

from ...table import Ints, Pair, Table
from . import fractional_pool
from .conv import auto, pairs, resolve_padding

table = Table()


def require_inside(
    op: str, x: Value, kernel: Sequence[int], strides: Sequence[int], pads: Sequence[int]
) -> None:
    """Unsupported where rounding up makes a window that begins behind the data."""
    for k, size in enumerate(x.shape[2:]):
        before, after = pads[2 * k], pads[2 * k + 1]
        if isinstance(size, Expr):
            inside = strides[k] + after <= kernel[k]
        else:
            room = size + before + after - kernel[k]
            inside = -(-room // strides[k]) * strides[k] - before < size
        if not inside:
            raise Unsupported(f"{op} of {x.type} with a window that may hold no element")


def require_room(op: str, x: Value, kernel: Sequence[int], pads: Sequence[int]) -> None:
    """BadType where a window is larger than the data and its padding, or lies in padding."""
    for k, size in enumerate(x.shape[2:]):
        if max(pads[2 * k : 2 * k + 2]) >= kernel[k]:
            raise Unsupported(f"{op} with windows {tuple(kernel)} in padding {tuple(pads)} alone")
        if isinstance(size, int) and kernel[k] > size + pads[2 * k] + pads[2 * k + 1]:
            raise BadType(f"{op} of {x.type} with windows {tuple(kernel)}, which are larger")


def pool_windows(
    op: str,
    x: Value,
    kernel: Ints,
    strides: Ints,
    paddings: Ints,
    *,
    ceil_mode: bool,
    exclusive: bool,
    pooling_type: str,
    padding_algorithm: str,
) -> Value:
    """A pool over windows of [N, C, ...]; the standard's pools round up as Paddle does."""
    if x.rank != len(kernel) + 2:
        raise BadType(f"{op} with kernel_size={kernel} of {x.type}")
    given: dict[str, Any] = {"kernel_shape": kernel, "strides": strides}
    if pooling_type == "avg" and not exclusive:
        pads = resolve_padding(op, x, kernel, strides, paddings, padding_algorithm)
        require_room(op, x, kernel, pads)
        return inclusive(op, x, given, pads, ceil_mode=ceil_mode)
    if len(kernel) == 2 and auto(op, padding_algorithm) == AutoPad.SAME:
        given["auto_pad"] = AutoPad.SAME
    else:
        pads = resolve_padding(op, x, kernel, strides, paddings, padding_algorithm)
        pads = fit_windows(op, x, kernel, strides, pads, ceil_mode=ceil_mode)
        given["pads"] = pads if any(pads) else None
        given["ceil_mode"] = ceil_mode and any(isinstance(d, Expr) for d in x.shape[2:])
    match pooling_type:
        case "max":
            operator = pool.max_pool_2d if len(kernel) == 2 else pool.max_pool
        case "avg":
            operator = pool.average_pool_2d if len(kernel) == 2 else pool.average_pool
        case _:
            raise Unsupported(f"{op} with pooling_type={pooling_type!r}")
    return operator(x, **given)


def inclusive(op: str, x: Value, given: dict[str, Any], pads: Ints, *, ceil_mode: bool) -> Value:
    """Means that count padding, behind the data as much as there is in front and no more."""
    kernel, strides = given["kernel_shape"], given["strides"]
    alike = pads[::2] == pads[1::2]
    operator = pool.average_pool_2d if len(kernel) == 2 else pool.average_pool
    if alike and not ceil_mode:
        given |= {"pads": pads if any(pads) else None, "count_include_pad": True}
        return operator(x, **given)
    if ceil_mode:
        require_inside(op, x, kernel, strides, pads)
    if any(isinstance(d, Expr) for d in x.shape[2:]):
        if not alike:
            raise NotConstant(f"{op} of {x.type} with other padding on each side")
        return pool.average_pool(x, **given, pads=pads, ceil_mode=True, count_include_pad=True)
    grown = whole(x, kernel, strides, pads) if ceil_mode else pads
    mean = operator(x, **given, pads=grown, count_include_pad=True)
    share = np.ones(())
    for k, (size, out) in enumerate(zip(x.sizes[2:], mean.sizes[2:], strict=True)):
        starts = np.arange(out) * strides[k] - pads[2 * k]
        ends = np.minimum(starts + kernel[k], size + pads[2 * k])
        share = np.multiply.outer(share, kernel[k] / (ends - starts))
    return mean * share


def whole(x: Value, kernel: Sequence[int], strides: Sequence[int], pads: Sequence[int]) -> Ints:
    """Pads with which no window overhangs, where sizes are known."""
    if any(isinstance(d, Expr) for d in x.shape[2:]):
        return tuple(pads)
    found: list[int] = []
    for k, size in enumerate(x.shape[2:]):
        room = int(size) + pads[2 * k] + pads[2 * k + 1] - kernel[k]  # type: ignore[arg-type]
        found += [pads[2 * k], pads[2 * k + 1] + -room % strides[k]]
    return tuple(found)


def fit_windows(
    op: str, x: Value, kernel: Ints, strides: Ints, pads: Ints, *, ceil_mode: bool
) -> Ints:
    """Pads for windows of which none lies in them alone; whole ones where they are rounded up."""
    require_room(op, x, kernel, pads)
    if not ceil_mode:
        return pads
    require_inside(op, x, kernel, strides, pads)
    return whole(x, kernel, strides, pads)


def over_all(op: str, x: Value, rank: int, pooling_type: str) -> Value:
    """A pool whose one window is everything."""
    axes = list(range(-rank, 0))
    match pooling_type:
        case "max":
            return reduce.reduce_max(x, axes, keepdim=True)
        case "avg":
            return adaptive_average_pool(x, (1,) * rank)
    raise Unsupported(f"{op} with pooling_type={pooling_type!r}")


def into_bins(op: str, x: Value, bins: Ints, pooling_type: str) -> Value:
    """A pool into a given number of bins."""
    bins_of(bins, len(bins))
    if pooling_type == "avg":
        return adaptive_average_pool(x, bins)
    raise Unsupported(f"{op} with adaptive=True and pooling_type={pooling_type!r}")


@table.each({"pool2d": 2, "pool3d": 3})
def pool_nd(
    rank: int,
    x: Value,
    kernel_size: Index,
    strides: Ints,
    paddings: Ints,
    ceil_mode: bool,
    exclusive: bool,
    data_format: str,
    pooling_type: str,
    global_pooling: bool,
    adaptive: bool,
    padding_algorithm: str,
) -> Value:
    op = f"pool{rank}d"
    last = is_channels_last(data_format)
    first = to_channels_first(x) if last else x
    sizes = ints(kernel_size)
    if global_pooling and adaptive:
        raise Unsupported(f"{op} that is global and adaptive")
    if global_pooling:
        made = over_all(op, first, rank, pooling_type)
    elif sizes is None:
        raise NotConstant(f"{op} with a kernel_size that is only known while running")
    elif adaptive:
        made = into_bins(op, first, each_axis("kernel_size", sizes, rank), pooling_type)
    else:
        made = pool_windows(
            op,
            first,
            each_axis("kernel_size", sizes, rank),
            strides,
            paddings,
            ceil_mode=ceil_mode,
            exclusive=exclusive,
            pooling_type=pooling_type,
            padding_algorithm=padding_algorithm,
        )
    return to_channels_last(made) if last else made


def register_maxima(op: str, rank: int) -> None:
    """The operator over windows of `rank` axes."""

    @table.convert(op)
    def convert(
        x: Value,
        kernel_size: Ints,
        strides: Ints,
        paddings: Ints,
        global_pooling: bool,
        adaptive: bool,
        ceil_mode: bool,
    ) -> Pair:
        if global_pooling or adaptive:
            best, where = adaptive_max_pool(x, (1,) * rank if global_pooling else kernel_size)
            return best, where.cast(Precision.INT32)
        return with_index(op, x, kernel_size, strides, paddings, ceil_mode=ceil_mode)


register_maxima("max_pool2d_with_index", 2)
register_maxima("max_pool3d_with_index", 3)


def with_index(
    op: str,
    x: Value,
    kernel: Ints,
    strides: Ints,
    paddings: Ints,
    *,
    ceil_mode: bool,
) -> Pair:
    """The maxima, and where in their planes they are; each by a pool of its own."""
    rank = len(kernel)
    pads = pairs(op, paddings, rank)
    pads = fit_windows(op, x, kernel, strides, pads, ceil_mode=ceil_mode)
    given: dict[str, Any] = {"kernel_shape": kernel, "strides": strides}
    given["pads"] = pads if any(pads) else None
    given["ceil_mode"] = ceil_mode and not x.is_static
    if rank == 2:
        best = pool.max_pool_2d(x, **given)
        both = pool.max_pool_2d(
            x, **given, return_indices=True, return_indices_dtype=int(Precision.INT32)
        )
    else:
        best = pool.max_pool(x, **given)
        both = pool.max_pool(x, **given, return_indices=True)
    return best, both[1].cast(Precision.INT32)


@table.convert("lp_pool2d")
def lp_pool2d(
    x: Value,
    kernel_size: Index,
    strides: Ints,
    paddings: Ints,
    ceil_mode: bool,
    exclusive: bool,
    data_format: str,
    pooling_type: str,
    global_pooling: bool,
    adaptive: bool,
    padding_algorithm: str,
    norm_type: float,
) -> Value:
    """The root of the sum of powers, which keep their sign: a mean of whole windows, times these.

    What is outside of the image adds nothing to a sum, so `exclusive` does not matter.
    """
    given = ints(kernel_size)
    if given is None or global_pooling or adaptive:
        raise Unsupported(f"lp_pool2d of {x.type} over windows that are not known")
    image = to_channels_first(x) if is_channels_last(data_format) else x
    if image.rank != 4:
        raise BadType(f"lp_pool2d of {x.type}, which is no batch of images")
    kernel = each_axis("kernel_size", given, 2)
    pads = resolve_padding("lp_pool2d", image, kernel, strides, paddings, padding_algorithm)
    if ceil_mode and any(isinstance(d, Expr) for d in image.shape[2:]):
        raise NotConstant(f"lp_pool2d of {x.type} that rounds up")
    pads = fit_windows("lp_pool2d", image, kernel, strides, pads, ceil_mode=ceil_mode)
    windows: dict[str, Any] = {"kernel_shape": kernel, "strides": strides}
    windows |= {"pads": pads if any(pads) else None, "count_include_pad": True}
    power = image**norm_type
    mean = pool.average_pool_2d(power, **windows)
    total = mean * math.prod(kernel)
    result = total ** (1 / norm_type)
    return to_channels_last(result) if image is not x else result


def require_length(op: str, size: Value, rank: int) -> None:
    """BadType unless there is one size for each axis."""
    if size.shape != (rank,):
        raise BadType(f"{op} to sizes {size.type}: {rank} are needed")


@table.convert("unpool")
def unpool(
    x: Value,
    indices: Value,
    ksize: Ints,
    strides: Ints,
    padding: Ints,
    output_size: Index,
    data_format: str,
) -> Value:
    """The indices say it all."""
    if is_channels_last(data_format):
        raise Unsupported(f"unpool with {data_format=}")
    require_length("unpool", output_size, 2)
    return pool_recipes.unpool(x, indices, output_size, 2)


@table.convert("unpool3d")
def unpool3d(
    x: Value,
    indices: Value,
    ksize: Ints,
    strides: Ints,
    paddings: Ints,
    output_size: Index | None,
    data_format: str,
) -> Value:
    if is_channels_last(data_format) or output_size is None:
        raise Unsupported(f"unpool3d with {data_format=} and {output_size=}")
    require_length("unpool3d", output_size, 3)
    return pool_recipes.unpool(x, indices, output_size, 3)


table = Table.merge([table, fractional_pool.table])
