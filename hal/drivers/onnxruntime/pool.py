"""Pooling."""

from __future__ import annotations

from typing import Any

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import pool
from nnir.types import Precision

from ...attributes import Ints, Window
from ...lowering import Lowerings
from . import windows
from .emitter import Emitter, Ref, Refs

table = Lowerings[Ref]()
STANDARD = (pool.average_pool_2d, pool.max_pool_2d)
POOLED = {p: p for p in (Precision.FLOAT32, Precision.FLOAT64, Precision.INT8, Precision.UINT8)} | {
    Precision.BFLOAT16: Precision.FLOAT32,
    Precision.FLOAT16: Precision.FLOAT32,
}
"""The precision that maxima are found in."""


def _geometry(g: Emitter, input: Value, how: Window, *, clips: bool = False) -> dict[str, Any]:
    """ONNX attributes of a window; ceil_mode and divisor of the standard's are not ONNX's."""
    if g.operation.operator not in STANDARD:
        return {
            "kernel_shape": how.kernel_shape,
            "strides": how.strides,
            "pads": windows.begins_ends(how.pads),
            "dilations": how.dilations,
            "ceil_mode": how.ceil_mode,
        }
    auto_pad, pads = windows.padding(input, how)
    given: dict[str, Any] = {"auto_pad": auto_pad, "pads": pads}
    given |= {"kernel_shape": how.kernel_shape, "strides": how.strides}
    if not how.ceil_mode:
        return given
    grown = windows.whole(input, how)
    if grown is not None:
        return given | {"pads": windows.begins_ends(grown)}
    axes = zip(how.pairs, how.strides, how.kernel_shape, strict=True)
    if clips or not all(after + s <= k for (_, after), s, k in axes):
        name = g.operation.operator.name.lower()
        raise NoLowering(f"{name} with ceil_mode needs known sizes on onnxruntime")
    return given | {"ceil_mode": 1}


def _require_small(given: dict[str, Any]) -> None:
    """NoLowering for padding that ONNX Runtime refuses."""
    pads, kernel = given["pads"] or (), given["kernel_shape"] * 2
    if not all(0 <= p < k for p, k in zip(pads, kernel, strict=bool(pads))):
        raise NoLowering("onnxruntime pools with padding from 0 to below the kernel only")


@table.lower(pool.average_pool_2d, pool.average_pool, how=Window)
def average_pool(g: Emitter, input: Value, *, count_include_pad: bool, how: Window) -> Ref:
    given = _geometry(g, input, how, clips=count_include_pad)
    _require_small(given)
    return g.single("AveragePool", input, count_include_pad=count_include_pad, **given)


@table.lower(pool.max_pool_2d, pool.max_pool, implied=["return_indices_dtype"], how=Window)
def max_pool(g: Emitter, input: Value, *, return_indices: bool, how: Window) -> Ref | Refs:
    return _maxima(g, input, _geometry(g, input, how), return_indices=return_indices)


def _maxima(g: Emitter, input: Value, given: dict[str, Any], *, return_indices: bool) -> Ref | Refs:
    """MaxPool, with positions in the plane instead of in the whole tensor."""
    _require_small(given)
    half = g.for_file and input.precision == Precision.FLOAT16
    wide = input.precision if half else POOLED.get(input.precision)
    if wide is None:
        raise NoLowering(f"onnxruntime has no MaxPool kernel for {input.precision.name}")
    x = g.cast(input, wide)
    if not return_indices:
        return g.node("MaxPool", x, **given)
    values, positions = g.node("MaxPool", x, outputs=2, **given)
    plane = g.node("ReduceProd", g.node("Shape", input, start=2))
    return values, positions % plane


def _even_bins(name: str, input: Value, output_shape: Ints) -> list[int] | None:
    """The sizes of all bins, where these are alike and lie side by side."""
    pairs = list(zip(windows.spatial_sizes(name, input), output_shape, strict=True))
    return [n // k for n, k in pairs] if all(n and n % k == 0 for n, k in pairs) else None


def _each_bin(g: Emitter, input: Value, output_shape: Ints, op: str) -> Ref:
    """Reduce every bin of rows, then of columns: both reductions are over whole bins."""
    sizes = windows.spatial_sizes("an adaptive pool", input)
    narrow = op == "ReduceMean" and input.dtype.itemsize < 4
    result = g.cast(input, Precision.FLOAT32 if narrow else input.precision)
    for axis, (n, k) in enumerate(zip(sizes, output_shape, strict=True), start=2):
        along = g.ints(axis)
        cuts = [
            g.node(op, g.node("Slice", result, g.ints(b.start), g.ints(b.stop), along), along)
            for b in pool.bins_along(n, k)
        ]
        result = g.node("Concat", *cuts, axis=axis) if len(cuts) > 1 else cuts[0]
    return result


@table.lower(pool.adaptive_average_pool_2d)
def adaptive_average_pool_2d(g: Emitter, input: Value, *, output_shape: Ints) -> Ref:
    if tuple(output_shape) == (1, 1):
        return g.node("ReduceMean", input, g.ints(2, 3))
    kernel = _even_bins("adaptive_average_pool_2d", input, output_shape)
    if kernel is not None and input.precision != Precision.FLOAT64:
        return g.single("AveragePool", input, kernel_shape=kernel, strides=kernel)
    return _each_bin(g, input, output_shape, "ReduceMean")


@table.lower(pool.adaptive_max_pool_2d, implied=["return_indices_dtype"])
def adaptive_max_pool_2d(
    g: Emitter, input: Value, *, output_shape: Ints, return_indices: bool
) -> Ref | Refs:
    if not return_indices:
        return _each_bin(g, input, output_shape, "ReduceMax")
    kernel = _even_bins("adaptive_max_pool_2d", input, output_shape)
    if kernel is None:
        raise NoLowering("adaptive_max_pool_2d with indices of bins that overlap")
    given = {"pads": None, "kernel_shape": kernel, "strides": kernel}
    return _maxima(g, input, given, return_indices=True)
