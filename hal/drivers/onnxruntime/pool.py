"""Pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import pool
from nnir.ops.windows import has_empty
from nnir.types import Precision

from ...attributes import Window
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
    given: dict[str, Any] = {"kernel_shape": how.kernel_shape, "strides": how.strides}
    if g.operation.operator not in STANDARD:
        lie = {"dilations": how.dilations, "pads": windows.begins_ends(how.pads)}
        return given | lie | {"ceil_mode": how.ceil_mode}
    auto_pad, pads = windows.padding(input, how)
    given |= {"auto_pad": auto_pad, "pads": pads}
    if not how.ceil_mode:
        return given
    is_open = any(isinstance(d, Expr) for d in input.shape[2:])
    grown = how.fit_padding(input.shape[2:])
    if grown is not None and not is_open:
        return given | {"pads": windows.begins_ends([n for pair in grown for n in pair])}
    if clips or not how.starts_in_data(input.shape[2:]):
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
    if not how.is_dilated:  # between quantised values there is no session for what has them
        given.pop("dilations", None)
    return g.single("AveragePool", input, count_include_pad=count_include_pad, **given)


@table.lower(pool.max_pool_2d, pool.max_pool, implied=["return_indices_dtype"], how=Window)
def max_pool(g: Emitter, input: Value, *, return_indices: bool, how: Window) -> Ref | Refs:
    """MaxPool, with positions in the plane instead of in the whole tensor."""
    given = _geometry(g, input, how)
    _require_small(given)
    _require_elements(input, given)
    half = g.for_file and input.precision == Precision.FLOAT16
    wide = input.precision if half else POOLED.get(input.precision)
    if wide is None:
        raise NoLowering(f"onnxruntime has no MaxPool kernel for {input.precision.name}")
    x = g.cast(input, wide)
    if not return_indices:
        return _of_elements(g, input, g.node("MaxPool", x, **given), given)
    values, positions = g.node("MaxPool", x, outputs=2, **given)
    plane = g.node("ReduceProd", g.node("Shape", input, start=2))
    return _of_elements(g, input, values, given), positions % plane


def _of_elements(g: Emitter, input: Value, values: Ref, given: dict[str, Any]) -> Ref:
    """-infinity where a window turns out to hold no element, as dilated ones may of open sizes;
    the kernel gives the lowest finite number."""
    dilations = given.get("dilations") or ()
    axes = zip(input.shape[2:], dilations, strict=bool(dilations))
    is_open = any(isinstance(d, Expr) and n > 1 for d, n in axes)
    if not (is_open and any(given["pads"] or ()) and input.is_float):
        return values
    sizes = g.concat(g.ints(1, 1), g.part(g.dims(input), 2, input.rank))
    ones = g.node("Expand", g.number(1, values), sizes)
    return g.where(g.node("MaxPool", ones, **given) > 0, values, -np.inf)


def _require_elements(input: Value, given: dict[str, Any]) -> None:
    """NoLowering where a window is known to hold no element: that is -3.4e38, not -infinity."""
    rank = input.rank - 2
    pads = given.get("pads") or (0,) * (2 * rank)
    dilations = given.get("dilations") or (1,) * rank
    ceil = bool(given.get("ceil_mode"))
    axes = zip(input.shape[2:], given["kernel_shape"], given["strides"], dilations, strict=True)
    for k, (size, kernel, stride, dilation) in enumerate(axes):
        pair = pads[k], pads[rank + k]
        if isinstance(size, Expr) or dilation == 1 or not any(pair):
            continue
        if has_empty(size, kernel, stride, dilation, pair, ceil=ceil):
            raise NoLowering(f"onnxruntime has no MaxPool of {input.type} with windows of nothing")
