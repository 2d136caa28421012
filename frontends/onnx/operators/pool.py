"""ONNX pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir import build
from nnir.broadcast import LONGEST
from nnir.dim import Expr
from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import generate, pool, reduce, shape, unary
from nnir.types import AutoPad, Precision

from ...table import Table, Wanted
from . import windows

table = Table()


def _exact(how: windows.Window, x: Value, *, ceil: bool, clips: bool) -> dict[str, Any] | None:
    """Arguments of the standard's 2-D pool when it gives the same, else None.

    `clips`: the divisor is what lies in the padded data, where the standard counts the kernel.
    """
    if any(d > 1 for d in how.dilations) or how.rank > 2:
        return None
    given = {"auto_pad": how.auto_pad, "kernel_shape": how.kernel, "strides": how.strides}
    if not ceil or how.auto_pad == AutoPad.SAME:
        return given | {"pads": how.pads or None}
    grown = [
        _padding_of_last_window(n, k, s, how.pads[2 * a : 2 * a + 2])
        for a, (n, k, s) in enumerate(zip(x.shape[2:], how.kernel, how.strides, strict=True))
    ]
    if all(g is not None for g in grown):
        pads = tuple(p for g in grown if g is not None for p in g)
        return None if clips and pads != how.pads else given | {"pads": pads}
    inside = all(
        p + s <= k for p, s, k in zip(how.pads[1::2], how.strides, how.kernel, strict=True)
    )
    return given | {"pads": how.pads, "ceil_mode": True} if inside and not clips else None


def _padding_of_last_window(
    size: Any, kernel: int, stride: int, pads: tuple[int, ...]
) -> tuple[int, int] | None:
    """Padding that makes the last window whole instead of overhanging; None where unknown."""
    if isinstance(size, Expr):
        return None
    before, after = pads
    room = size + before + after - kernel
    count = min(-(-room // stride) + 1, -(-(size + before) // stride))
    if count == room // stride + 1:
        return before, after
    if count < room // stride + 1:
        return None
    return before, (count - 1) * stride + kernel - size - before


def _lift(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of one axis for [N, C, 1, L]."""
    pads = given["pads"]
    return given | {
        "kernel_shape": (1, *given["kernel_shape"]),
        "strides": (1, *given["strides"]),
        "pads": (0, 0, *pads) if pads else None,
    }


def _general(how: windows.Window, op: str, *, ceil: bool) -> dict[str, Any]:
    if how.auto_pad != AutoPad.NONE:
        raise Unsupported(f"{op} with auto_pad and unknown sizes over {how.rank} axes")
    given = {"kernel_shape": how.kernel, "strides": how.strides, "pads": how.pads}
    return given | {"dilations": how.dilations, "ceil_mode": ceil}


@table.convert("AveragePool")
def average_pool(
    x: Value,
    *,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Value:
    windows.spatial("AveragePool", x, len(kernel_shape))
    how = windows.window("AveragePool", x, kernel_shape, strides, pads, dilations, auto_pad)
    include = bool(count_include_pad)
    given = _exact(how, x, ceil=bool(ceil_mode), clips=include)
    if given is None:
        given = _general(how, "AveragePool", ceil=bool(ceil_mode))
        return pool.average_pool(x, count_include_pad=include, **given)
    if how.rank == 1:
        flat = pool.average_pool_2d(windows.as_2d(x), count_include_pad=include, **_lift(given))
        return windows.as_1d(flat)
    return pool.average_pool_2d(x, count_include_pad=include, **given)


@table.convert("MaxPool")
def max_pool(
    x: Value,
    *,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None = None,
    storage_order: int = 0,
    strides: tuple[int, ...] | None = None,
    wanted: Wanted,
) -> Value | tuple[Value, Value]:
    windows.spatial("MaxPool", x, len(kernel_shape))
    how = windows.window("MaxPool", x, kernel_shape, strides, pads, dilations, auto_pad)
    given = _exact(how, x, ceil=bool(ceil_mode), clips=False)
    indices: dict[str, Any] = {"return_indices": wanted > 1}
    if given is None:
        found = pool.max_pool(x, **_general(how, "MaxPool", ceil=bool(ceil_mode)), **indices)
    else:
        indices |= {"return_indices_dtype": int(Precision.INT64)}
        if how.rank == 1:
            found = pool.max_pool_2d(windows.as_2d(x), **_lift(given), **indices)
            found = tuple(map(windows.as_1d, found)) if wanted > 1 else windows.as_1d(found)
        else:
            found = pool.max_pool_2d(x, **given, **indices)
    if wanted < 2:
        return found
    values, positions = found
    return values, _whole(x, _order_positions(x, positions, storage_order))


def _order_positions(x: Value, positions: Value, storage_order: int) -> Value:
    """Row-major positions in a plane in the order that the node asks for."""
    match storage_order:
        case 0:
            return positions
        case 1:
            return _column_major(x, positions)
    raise Unsupported(f"MaxPool with storage_order={storage_order}")


def _column_major(x: Value, positions: Value) -> Value:
    axes = [build.size_of(x, axis) for axis in range(2, x.rank)]
    model, rest, parts = x.model, positions, []
    for size in reversed(axes):
        wide = build.vector(model, [size])
        quotient = rest // wide
        parts.append(rest - quotient * wide)
        rest = quotient
    total, step = None, build.vector(model, [1])
    for part, size in zip(reversed(parts), axes, strict=True):
        term = part * step
        total = term if total is None else total + term
        step = step * build.vector(model, [size])
    return positions if total is None else total


def _whole(x: Value, positions: Value) -> Value:
    """Positions in a plane as positions in the whole tensor."""
    model, lead = x.model, [build.size_of(x, axis) for axis in (0, 1)]
    plane = build.product([build.size_of(x, axis) for axis in range(2, x.rank)])
    count = build.product(lead)
    if isinstance(count, int) and isinstance(plane, int) and count <= LONGEST:
        shape_ = (*(n for n in lead if isinstance(n, int)), *(1,) * (x.rank - 2))
        offsets = model.constant(np.arange(count, dtype=np.int64).reshape(shape_) * plane)
    else:
        last = shape.reshape(build.vector(model, [count]), model.constant(np.zeros(0, np.int64)))
        every = generate.range_(0, last, 1)
        steps = every * build.vector(model, [plane])
        offsets = build.reshape(steps, [*lead, *(1,) * (x.rank - 2)])
    return positions + offsets


@table.convert("LpPool", since=2)
def lp_pool(
    x: Value,
    *,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: tuple[int, ...] | None = None,
    kernel_shape: tuple[int, ...],
    p: float = 2,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Value:
    windows.spatial("LpPool", x, len(kernel_shape))
    how = windows.window("LpPool", x, kernel_shape, strides, pads, dilations, auto_pad)
    return pool.lp_pool(x, p=float(p), **_general(how, "LpPool", ceil=bool(ceil_mode)))


@table.convert("LpPool", since=1)
def lp_pool_1(
    x: Value,
    *,
    auto_pad: str = "NOTSET",
    kernel_shape: tuple[int, ...] | None = None,
    p: float = 2.0,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Value:
    if kernel_shape is None:
        return global_lp_pool(x, p=p)
    return lp_pool(x, auto_pad=auto_pad, kernel_shape=kernel_shape, p=p, pads=pads, strides=strides)


def _spatial_axes(x: Value) -> list[int]:
    return list(range(2, x.rank))


@table.convert("GlobalAveragePool")
def global_average_pool(x: Value) -> Value:
    return reduce.reduce_mean(x, _spatial_axes(x), keepdim=True)


@table.convert("GlobalMaxPool")
def global_max_pool(x: Value) -> Value:
    return reduce.reduce_max(x, _spatial_axes(x), keepdim=True)


@table.convert("GlobalLpPool")
def global_lp_pool(x: Value, *, p: float = 2) -> Value:
    axes = _spatial_axes(x)
    if p == 1:
        return reduce.reduce_sum(abs(x), axes, keepdim=True)
    if p == 2:
        return unary.sqrt(reduce.reduce_sum(unary.square(x), axes, keepdim=True))
    powers = abs(x) ** float(p)
    return reduce.reduce_sum(powers, axes, keepdim=True) ** (1 / p)


@table.convert("MaxUnpool", since=9)
def max_unpool(
    x: Value,
    i: Value,
    output_shape: Value | None = None,
    *,
    kernel_shape: tuple[int, ...],
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Value:
    rank = windows.spatial("MaxUnpool", x, len(kernel_shape))
    return pool.max_unpool(
        x,
        i,
        output_shape,
        kernel_shape=kernel_shape,
        pads=windows.pair_pads("MaxUnpool", pads, rank),
        strides=windows.list_of_rank("MaxUnpool", "strides", strides, rank),
    )
