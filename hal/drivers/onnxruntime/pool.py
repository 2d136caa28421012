"""Pooling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import pool
from nnir.ops import windows as shared
from nnir.types import AutoPad, Fuse, Precision

from ...lowering import Lowerings
from . import windows
from .binary import fused
from .emitter import Emitter, Ref, require_size

table = Lowerings()


def _padding(
    name: str,
    input: Value,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    *,
    ceil: bool,
    clips: bool,
) -> dict[str, Any]:
    """ONNX attributes of the standard's window, whose ceil_mode and divisor are not ONNX's."""
    if auto_pad == AutoPad.VALID:
        auto_pad, pads = AutoPad.NONE, None
    how, flat = windows.padding(input, auto_pad, pads, kernel, strides)
    given = {"auto_pad": how, "pads": flat, "kernel_shape": list(kernel), "strides": list(strides)}
    if not ceil or auto_pad != AutoPad.NONE:
        return given
    grown = windows.whole(input, pads, kernel, strides)
    if grown is not None:
        return given | {"pads": windows.begins_ends(grown)}
    after = (pads or (0,) * 4)[1::2]
    inside = all(a + s <= k for a, s, k in zip(after, strides, kernel, strict=True))
    if clips or not inside:
        raise NoLowering(f"{name} with ceil_mode needs known sizes on onnxruntime")
    return given | {"ceil_mode": 1}


@table.lower(pool.average_pool_2d)
def average_pool_2d(
    g: Emitter,
    input: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...],
    ceil_mode: bool,
    count_include_pad: bool,
    fuse_code: Fuse,
) -> Any:
    given = _padding(
        "average_pool_2d",
        input,
        auto_pad,
        pads,
        kernel_shape,
        strides,
        ceil=ceil_mode,
        clips=count_include_pad,
    )
    _require_small(given)
    x = _float(g, input)
    result = g.node("AveragePool", x, count_include_pad=int(count_include_pad), **given)
    return fused(g, g.cast(result, input.precision), fuse_code)


def _require_small(given: dict[str, Any]) -> None:
    """NoLowering for padding that ONNX Runtime refuses."""
    pads, kernel = given["pads"] or (), given["kernel_shape"] * 2
    if any(p >= k for p, k in zip(pads, kernel, strict=bool(pads))):
        raise NoLowering("onnxruntime pools with padding smaller than the kernel only")


def _float(g: Emitter, input: Value) -> Any:
    """float32, as wide as ONNX Runtime pools."""
    if input.precision == Precision.FLOAT64:
        raise NoLowering("onnxruntime has no pooling kernel for FLOAT64")
    return g.cast(input, Precision.FLOAT32)


@table.lower(pool.max_pool_2d)
def max_pool_2d(
    g: Emitter,
    input: Value,
    *,
    auto_pad: AutoPad,
    pads: tuple[int, ...] | None,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...],
    ceil_mode: bool,
    return_indices: bool,
    return_indices_dtype: int,
    fuse_code: Fuse,
) -> Any:
    given = _padding(
        "max_pool_2d", input, auto_pad, pads, kernel_shape, strides, ceil=ceil_mode, clips=False
    )
    found = _maxima(g, input, given, return_indices=return_indices)
    if not return_indices:
        return fused(g, found, fuse_code)
    return fused(g, found[0], fuse_code), g.cast(found[1], Precision(return_indices_dtype))


def _maxima(g: Emitter, input: Value, given: dict[str, Any], *, return_indices: bool) -> Any:
    """MaxPool, with positions in the plane instead of in the whole tensor."""
    _require_small(given)
    if input.precision == Precision.BFLOAT16 or input.precision == Precision.FLOAT16:
        wide = g.cast(input, Precision.FLOAT32)
    elif input.precision in (Precision.FLOAT32, Precision.FLOAT64, Precision.INT8, Precision.UINT8):
        wide = g.cast(input, input.precision)
    else:
        raise NoLowering(f"onnxruntime has no MaxPool kernel for {input.precision.name}")
    if not return_indices:
        return g.cast(g.node("MaxPool", wide, **given), input.precision)
    values, positions = g.node("MaxPool", wide, outputs=2, **given)
    size = g.node("Shape", input, start=2, precision=Precision.INT64)
    plane = g.node("ReduceProd", size, keepdims=1)
    inside = g.node("Mod", Ref(positions, Precision.INT64), plane)
    return g.cast(values, input.precision), inside


def _bins(size: int, count: int) -> list[slice]:
    return [slice(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _uniform(sizes: Sequence[int], output_shape: Sequence[int]) -> bool:
    return all(n % k == 0 and n for n, k in zip(sizes, output_shape, strict=True))


def _each_bin(g: Emitter, input: Value, output_shape: tuple[int, ...], op: str) -> Ref:
    """Reduce every bin of rows, then of columns: both reductions are over whole bins."""
    sizes = windows.sized("an adaptive pool", input)
    narrow = op == "ReduceMean" and input.dtype.itemsize < 4
    result: Any = g.cast(input, Precision.FLOAT32 if narrow else input.precision)
    for axis, (n, k) in enumerate(zip(sizes, output_shape, strict=True), start=2):
        axes = g.constant(np.array([axis], np.int64))
        cuts = []
        for b in _bins(n, k):
            ends = [g.constant(np.array([v], np.int64)) for v in (b.start, b.stop)]
            cuts.append(g.node(op, g.node("Slice", result, *ends, axes), axes, keepdims=1))
        result = g.node("Concat", *cuts, axis=axis) if len(cuts) > 1 else cuts[0]
    return g.cast(result, input.precision)


@table.lower(pool.adaptive_average_pool_2d)
def adaptive_average_pool_2d(g: Emitter, input: Value, *, output_shape: tuple[int, ...]) -> Any:
    if tuple(output_shape) == (1, 1):
        axes = g.constant(np.array([2, 3], np.int64))
        return g.node("ReduceMean", input, axes, keepdims=1)
    sizes = windows.sized("adaptive_average_pool_2d", input)
    if _uniform(sizes, output_shape) and input.precision != Precision.FLOAT64:
        kernel = [n // k for n, k in zip(sizes, output_shape, strict=True)]
        result = g.node("AveragePool", _float(g, input), kernel_shape=kernel, strides=kernel)
        return g.cast(result, input.precision)
    return _each_bin(g, input, output_shape, "ReduceMean")


@table.lower(pool.adaptive_max_pool_2d)
def adaptive_max_pool_2d(
    g: Emitter,
    input: Value,
    *,
    output_shape: tuple[int, ...],
    return_indices: bool,
    return_indices_dtype: int,
) -> Any:
    if not return_indices:
        return _each_bin(g, input, output_shape, "ReduceMax")
    sizes = windows.sized("adaptive_max_pool_2d", input)
    if not _uniform(sizes, output_shape):
        raise NoLowering("adaptive_max_pool_2d with indices of bins that overlap")
    kernel = [n // k for n, k in zip(sizes, output_shape, strict=True)]
    given = {"pads": None, "kernel_shape": kernel, "strides": kernel}
    values, positions = _maxima(g, input, given, return_indices=True)
    return values, g.cast(positions, Precision(return_indices_dtype))


def _given(
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    *,
    ceil_mode: bool,
) -> dict[str, Any]:
    rank = len(kernel_shape)
    return {
        "kernel_shape": list(kernel_shape),
        "strides": list(strides or (1,) * rank),
        "pads": windows.begins_ends(pads or (0,) * (2 * rank)),
        "dilations": list(dilations or (1,) * rank),
        "ceil_mode": int(ceil_mode),
    }


def _static(name: str, input: Value, given: dict[str, Any], *, ceil_mode: bool) -> dict[str, Any]:
    """Whole last windows instead of ceil_mode, whose counting differs between versions."""
    if not ceil_mode:
        return given
    sizes = windows.sized(name, input)
    rank = len(sizes)
    covered = shared.extents(given["kernel_shape"], given["dilations"])
    befores, afters = given["pads"][:rank], list(given["pads"][rank:])
    for k, (n, e, s, before) in enumerate(
        zip(sizes, covered, given["strides"], befores, strict=True)
    ):
        count = shared.slid_inside(n, e, s, (before, afters[k]))
        afters[k] = (int(count) - 1) * s + e - n - before  # type: ignore[arg-type]
    return given | {"pads": [*befores, *afters], "ceil_mode": 0}


def _bordered(g: Emitter, input: Any, given: dict[str, Any]) -> Ref:
    """The border of zeros added (or cut) by a node of its own."""
    pads, kernel = given["pads"], given["kernel_shape"]
    rank = len(kernel)
    if not any(pads):
        return input
    _require_small(given)  # ONNX Runtime fuses the border into the pool
    flat = [0, 0, *pads[:rank], 0, 0, *pads[rank:]]
    return g.node("Pad", input, g.constant(np.array(flat, np.int64)))


@table.lower(pool.average_pool)
def average_pool(
    g: Emitter,
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    count_include_pad: bool,
) -> Any:
    given = _given(kernel_shape, strides, pads, dilations, ceil_mode=ceil_mode)
    _require_small(given)
    x = _float(g, input)
    result = g.node("AveragePool", x, count_include_pad=int(count_include_pad), **given)
    return g.cast(result, input.precision)


@table.lower(pool.max_pool)
def max_pool(
    g: Emitter,
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    return_indices: bool,
) -> Any:
    given = _given(kernel_shape, strides, pads, dilations, ceil_mode=ceil_mode)
    return _maxima(g, input, given, return_indices=return_indices)


@table.lower(pool.lp_pool)
def lp_pool(
    g: Emitter,
    input: Value,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    ceil_mode: bool,
    p: float,
) -> Any:
    """The p-th root of a sum: an average over a border of zeros times the size of the kernel."""
    given = _given(kernel_shape, strides, pads, dilations, ceil_mode=ceil_mode)
    fixed = _static("lp_pool", input, given, ceil_mode=ceil_mode)
    x = g.node("Abs", _float(g, input))
    powers = g.node("Pow", x, g.constant(np.float32(p)))
    bordered = _bordered(g, powers, fixed)
    plain = {k: v for k, v in fixed.items() if k != "pads"}
    means = g.node("AveragePool", bordered, **plain)
    sums = g.node("Mul", means, g.constant(np.float32(np.prod(kernel_shape))))
    return g.cast(g.node("Pow", sums, g.constant(np.float32(1 / p))), input.precision)


@table.lower(pool.max_unpool)
def max_unpool(
    g: Emitter,
    input: Value,
    indices: Value,
    output_shape: Value | None = None,
    *,
    kernel_shape: tuple[int, ...],
    strides: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
) -> Any:
    """A scatter into flat zeros: ONNX Runtime's own kernel misplaces with an output_shape."""
    if any(isinstance(d, Expr) for d in input.shape):
        raise NoLowering(f"max_unpool needs known sizes on onnxruntime, not {input.type}")
    found = pool.unpooled_sizes(input.shape, kernel_shape, strides, pads)
    sizes = [int(d) for d in found]  # type: ignore[arg-type]  # no symbols
    require_size(math.prod(sizes))
    flat = g.constant(np.array([-1], np.int64))
    zeros = g.constant(np.zeros(int(np.prod(sizes)), input.dtype))
    where = g.node("Reshape", g.cast(indices, Precision.INT64), flat)
    filled = g.node("ScatterElements", zeros, where, g.node("Reshape", input, flat), axis=0)
    result = g.node("Reshape", filled, g.constant(np.array(sizes, np.int64)))
    if output_shape is None:
        return result
    wanted = g.cast(output_shape, Precision.INT64)
    more = g.node("Sub", wanted, g.constant(np.array(sizes, np.int64)))
    begins = g.constant(np.zeros(len(sizes), np.int64))
    return g.node("Pad", result, g.node("Concat", begins, more, axis=0))
