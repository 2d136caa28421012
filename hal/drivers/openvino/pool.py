"""Pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.decompositions.pool import average_behind_border, average_by_convolution
from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import pool
from nnir.types import Precision

from ...attributes import Ints, Window
from ...lowering import Lowerings
from . import windows
from .emitter import Emitter, Ref, Refs
from .finite import is_computed
from .integers import is_size

table = Lowerings[Ref]()
table.decompose(pool.average_pool, average_behind_border, average_by_convolution)
FLOAT32 = Precision.FLOAT32
BOTTOM = float(np.nextafter(np.finfo(np.float32).min, np.float32(0)))
"""The lowest number but one."""


def _geometry(g: Emitter, input: Value, how: Window) -> dict[str, Any]:
    """Kernel, strides and padding, in which overhanging last windows are whole; those of the
    operators over any axes do not start behind the data."""
    inside = g.operation.operator in (pool.average_pool, pool.max_pool)
    given: dict[str, Any] = {"kernel": how.kernel_shape, "strides": how.strides}
    given |= {"rounding_type": "floor", **windows.padding(input, how)}
    if how.ceil_mode:
        is_open = any(isinstance(d, Expr) for d in input.shape[2:])
        pairs = how.fit_padding(input.shape[2:], inside=inside or is_open)
        if pairs is None and not inside:
            raise NoLowering(f"openvino: {g.operation.operator.name} of {input.type}, rounded up")
        if pairs is None or is_open:
            given["rounding_type"] = "ceil_torch" if inside else "ceil"
        else:
            given |= windows.explicit(pairs)
    borders = zip((*given["pads_begin"], *given["pads_end"]), given["kernel"] * 2, strict=True)
    if given["auto_pad"] == "explicit" and not all(0 <= p < k for p, k in borders):
        raise NoLowering("openvino pools with padding smaller than the kernel only")
    return given


@table.lower(pool.average_pool_2d, pool.average_pool, how=Window)
def average(g: Emitter, input: Value, *, count_include_pad: bool, how: Window) -> Ref:
    """What overhangs of a window counts in AVERAGE_POOL_2D alone."""
    given = _geometry(g, input, how)
    inside, is_same = g.operation.operator is pool.average_pool, given["auto_pad"] != "explicit"
    borders = [*given["pads_begin"], *given["pads_end"], is_same, given["rounding_type"] != "floor"]
    if how.is_dilated or (count_include_pad and any(how.pads if inside else borders) > is_same):
        raise NoLowering("openvino has means of what lies in the data, without dilations")
    given["exclude-pad"] = any(borders) and (inside or not count_include_pad)
    return g.node("AvgPool", g.cast(input, FLOAT32), **given)


@table.lower(pool.max_pool_2d, pool.max_pool, implied=["return_indices_dtype"], how=Window)
def maxima(g: Emitter, input: Value, *, return_indices: bool, how: Window) -> Ref | Refs:
    """MaxPool, in which NaN wins where the input is not known to have none."""
    given = _geometry(g, input, how)
    if return_indices and given["auto_pad"] != "explicit":  # where OpenVINO pads in another way
        raise NoLowering("openvino: places of maxima with auto_pad SAME need known sizes")
    if input.precision in (Precision.INT32, Precision.UINT32) and not is_size(input):
        raise NoLowering(f"openvino compares {input.precision.name} in floats: pools")
    x = g.cast(input, Precision.INT32 if input.dtype.kind in "biu" else FLOAT32)
    given |= {"dilations": how.dilations, "index_element_type": "i64", "axis": 2}
    careful = input.is_float and not is_computed(input)
    if careful and return_indices:
        lost = g.node("IsNaN", x)
        finite = g.where(lost, np.inf, x)
        finite = g.pair("Maximum", finite, BOTTOM)  # below it no place is found
        values, places = g.node("MaxPool", finite, outputs=2, **given)
    else:
        values, places = g.node("MaxPool", x, outputs=2, **given)
    if careful:
        marks = g.where(x.equal(-np.inf), g.number(0, x), g.number(1, x))
        marks = g.where(g.node("IsNaN", x), 2, marks)
        found, _ = g.node("MaxPool", marks, outputs=2, **given)
        values = g.where(found < 0.5, -np.inf, values)
        values = g.where(found > 1.5, np.nan, values)
    values = values.cast(input.precision)
    return (values, places.cast(g.operation.outputs[1].precision)) if return_indices else values


@table.lower(pool.adaptive_average_pool_2d)
def adaptive_average_pool_2d(g: Emitter, input: Value, *, output_shape: Ints) -> Ref:
    x = g.cast(input, FLOAT32)
    if tuple(output_shape) == (1, 1):
        made = g.node("ReduceMean", x, g.ints(2, 3), keep_dims=True)
    else:
        made = g.node("AdaptiveAvgPool", x, g.ints(*output_shape))
    return made


@table.lower(pool.adaptive_max_pool_2d, implied=["return_indices_dtype"])
def adaptive_max_pool_2d(
    g: Emitter, input: Value, *, output_shape: Ints, return_indices: bool
) -> Ref | Refs:
    if not input.is_float:
        raise NoLowering(f"openvino: adaptive_max_pool_2d of {input.type}")
    x = g.cast(input, FLOAT32)
    lost = g.node("IsNaN", x)
    finite = g.where(lost, np.inf, x)
    target = g.ints(*output_shape)
    values, places = g.node("AdaptiveMaxPool", finite, target, outputs=2, index_element_type="i32")
    none = x.equal(-np.inf).cast(FLOAT32)  # its maxima begin above that
    marks = lost.cast(FLOAT32) - none
    found, _ = g.node("AdaptiveMaxPool", marks, target, outputs=2, index_element_type="i32")
    values = g.where(found > 0.5, np.nan, values)
    values = g.where(found < -0.5, -np.inf, values)
    values = values.cast(input.precision)
    return (values, places.cast(g.operation.outputs[1].precision)) if return_indices else values
