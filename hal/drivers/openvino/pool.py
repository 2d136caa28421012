"""Pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

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
from .strides import convolve

table = Lowerings[Ref]()
FLOAT32 = Precision.FLOAT32
BOTTOM = float(np.nextafter(np.finfo(np.float32).min, np.float32(0)))
"""The lowest number but one."""


def _geometry(g: Emitter, input: Value, how: Window) -> dict[str, Any]:
    """Kernel, strides and padding, in which overhanging last windows are whole."""
    given: dict[str, Any] = {"kernel": how.kernel_shape, "strides": how.strides}
    given |= {"rounding_type": "floor", **windows.padding(input, how)}
    if how.ceil_mode:
        grown = windows.whole(input, how)
        if grown is not None:
            return given | windows.explicit(grown)
        axes = zip(how.pairs, how.strides, how.kernel_shape, strict=True)
        if not all(after + s <= k for (_, after), s, k in axes):
            name = g.operation.operator.name.lower()
            raise NoLowering(f"{name} with ceil_mode needs known sizes on openvino")
        given["rounding_type"] = "ceil"
    return given


def _require_small(given: dict[str, Any]) -> None:
    """NoLowering for padding as large as the kernel."""
    for pads in (given["pads_begin"], given["pads_end"]):
        if any(p >= k or p < 0 for p, k in zip(pads, given["kernel"], strict=True)):
            raise NoLowering("openvino pools with padding smaller than the kernel only")


@table.lower(pool.average_pool_2d, how=Window)
def average_pool_2d(g: Emitter, input: Value, *, count_include_pad: bool, how: Window) -> Ref:
    given = _geometry(g, input, how)
    if count_include_pad and given["rounding_type"] == "ceil":
        raise NoLowering("average_pool_2d with ceil_mode and padding needs known sizes on openvino")
    return _average(g, input, given, excluded=not count_include_pad)


def _average(g: Emitter, input: Value, given: dict[str, Any], *, excluded: bool) -> Ref:
    x = g.cast(input, FLOAT32)
    if given["auto_pad"] == "explicit":
        pairs = list(zip(given["pads_begin"], given["pads_end"], strict=True))
        if not excluded and any(map(any, pairs)):
            x, given = (
                windows.add_border(g, x, pairs),
                given | windows.explicit([(0, 0)] * len(pairs)),
            )
        _require_small(given)
    padded = any(given["pads_begin"]) or any(given["pads_end"])
    exclude = excluded and (
        padded or given["auto_pad"] != "explicit" or given["rounding_type"] != "floor"
    )
    return _mean(g, x, given, exclude=exclude)


def _mean(g: Emitter, x: Ref, given: dict[str, Any], *, exclude: bool) -> Ref:
    return g.node("AvgPool", x, **{**given, "exclude-pad": exclude})


@table.lower(pool.max_pool_2d, implied=["return_indices_dtype"], how=Window)
def max_pool_2d(g: Emitter, input: Value, *, return_indices: bool, how: Window) -> Ref | Refs:
    return _maxima(g, input, _geometry(g, input, how), return_indices=return_indices)


def _maxima(g: Emitter, input: Value, given: dict[str, Any], *, return_indices: bool) -> Ref | Refs:
    """MaxPool, in which NaN wins where the input is not known to have none."""
    if given["auto_pad"] == "explicit":
        _require_small(given)
    elif return_indices:  # where OpenVINO pads in another way
        raise NoLowering("openvino: places of maxima with auto_pad SAME need known sizes")
    if input.precision in (Precision.INT32, Precision.UINT32) and not is_size(input):
        raise NoLowering(f"openvino compares {input.precision.name} in floats: pools")
    x = g.cast(input, Precision.INT32 if input.dtype.kind in "biu" else FLOAT32)
    ones = [1] * len(given["kernel"])
    given = {"dilations": ones, **given, "index_element_type": "i64", "axis": 2}
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


def _any_sizes(input: Value, how: Window) -> dict[str, Any]:
    """Attributes of a pool whose last windows overhang unless they would start behind the data."""
    given: dict[str, Any] = {
        "kernel": how.kernel_shape,
        "strides": how.strides,
        "dilations": how.dilations,
        "rounding_type": "floor",
        **windows.explicit(how.pairs),
    }
    if not how.ceil_mode:
        return given
    grown = windows.whole(input, how, inside=True)
    return given | ({"rounding_type": "ceil_torch"} if grown is None else windows.explicit(grown))


@table.lower(pool.average_pool, how=Window)
def average_pool(g: Emitter, input: Value, *, count_include_pad: bool, how: Window) -> Ref:
    """Padding that counts is made beforehand; what overhangs never counts."""
    given = _any_sizes(input, how)
    x = g.cast(input, FLOAT32)
    if count_include_pad and any(how.pads):
        axes = zip(how.pairs, how.strides, how.extents, strict=True)
        if how.ceil_mode and not (input.is_static or all(b + s <= k for (_, b), s, k in axes)):
            raise NoLowering(
                "average_pool with ceil_mode and padding needs known sizes on openvino"
            )
        if min(how.pads) < 0:
            raise NoLowering("openvino: average_pool with negative padding")
        x = windows.add_border(g, x, how.pairs)
        ends = [e - b for e, (_, b) in zip(given["pads_end"], how.pairs, strict=True)]
        given |= {"pads_begin": [0] * how.rank, "pads_end": ends}
    if how.is_dilated:
        return _sum_dilated(g, x, given)
    _require_small(given)
    del given["dilations"]
    padded = any(given["pads_begin"]) or any(given["pads_end"]) or given["rounding_type"] != "floor"
    return _mean(g, x, given, exclude=padded)


def _sum_dilated(g: Emitter, x: Ref, given: dict[str, Any]) -> Ref:
    """Sums of the taps by a convolution, channel by channel, over how many there are."""
    if given["rounding_type"] != "floor":
        raise NoLowering("openvino: a dilated pool with ceil_mode needs known sizes")
    kernel = given["kernel"]
    weights = g.constant(np.ones((1, 1, *kernel), np.float32))
    sizes = g.dims(x)
    flat = g.concat(g.ints(-1, 1), g.part(sizes, 2, 2 + len(kernel)))
    how = {k: given[k] for k in ("strides", "dilations", "auto_pad", "pads_begin", "pads_end")}
    planes = g.reshape(x, flat)
    ones = g.node("Broadcast", g.number(1, x), g.dims(planes), mode="numpy")
    total, count = (convolve(g, part, weights, how) for part in (planes, ones))
    mean = total / g.pair("Maximum", 1, count)
    after = g.part(g.dims(mean), 2, 2 + len(kernel))
    return g.reshape(mean, g.concat(g.part(sizes, 0, 2), after))


@table.lower(pool.max_pool, how=Window)
def max_pool(g: Emitter, input: Value, *, return_indices: bool, how: Window) -> Ref | Refs:
    return _maxima(g, input, _any_sizes(input, how), return_indices=return_indices)
