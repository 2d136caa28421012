"""Pooling."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nnir.decompositions.pool import average_behind_border, average_by_convolution
from nnir.model import Value
from nnir.ops import activation, conv, linear, pool, shape
from nnir.types import Precision

from ...attributes import Ints, Window
from ...quirks import report_met
from .above import nodes_above
from .emitter import Emitter, Ref, Refs
from .finite import is_computed
from .forms import Single, Table, single
from .integers import is_size
from .quirks import ACTIVATION_BEHIND_POOL
from .windows import keep_apart, pooling

table = Table()
table.decompose(pool.average_pool, average_behind_border, average_by_convolution)
BOTTOM = float(np.nextafter(np.finfo(np.float32).min, np.float32(0)))
"""The lowest number but one."""

PASSED = frozenset(
    {
        *("Add", "Subtract", "Multiply", "Divide", "Convert"),
        *("Reshape", "Squeeze", "Unsqueeze", "Transpose"),
    }
)
"""What a convolution takes into itself, and what OpenVINO may take away behind one."""

RISING = frozenset(
    {
        *(activation.relu, activation.relu6, conv.conv_2d, conv.conv_3d, linear.mat_mul),
        *(linear.fully_connected, pool.average_pool, pool.average_pool_2d, pool.max_pool),
        *(pool.max_pool_2d, shape.concat),
    }
)
"""What follows a pool and rises with its operand, or is never computed in a convolution."""


@table.lower(pool.average_pool_2d, pool.average_pool, how=Window)
def average(g: Emitter, input: Value, *, count_include_pad: bool, how: Window) -> Ref:
    """What overhangs of a window counts in AVERAGE_POOL_2D alone."""
    given = pooling(g, input, how)
    inside, is_same = g.operation.operator is pool.average_pool, given["auto_pad"] != "explicit"
    borders = [*given["pads_begin"], *given["pads_end"], is_same, given["rounding_type"] != "floor"]
    counts = count_include_pad and any(how.pads if inside else borders) > is_same
    g.need(not (how.is_dilated or counts), "has means of what lies in the data, without dilations")
    excludes = any(borders) and (inside or not count_include_pad)
    x = keep_apart(g, input, single(g, input), given)
    return g.node("AvgPool", x, outputs=1, **given, **{"exclude-pad": excludes})


def _largest(g: Emitter, x: Ref, slide: Callable[[Ref], Refs], *, places: bool) -> Refs:
    """The maxima of windows, and their `places`: NaN, which OpenVINO has no place of, wins, and
    -infinity, from above which it starts, is put back."""
    lost = g.node("IsNaN", x)
    finite = g.pair("Maximum", g.where(lost, np.inf, x), BOTTOM) if places else x
    made, found = slide(finite)
    marks = g.where(lost, 2, g.where(x.equal(-np.inf), g.number(0, x), 1))
    best, _ = slide(marks)
    return g.where(best > 1.5, np.nan, g.where(best < 0.5, -np.inf, made)), found


@table.lower(pool.max_pool_2d, pool.max_pool, implied=["return_indices_dtype"], how=Window)
def maxima(g: Emitter, input: Value, *, return_indices: bool, how: Window) -> Refs:
    """MaxPool, in which NaN wins where the input is not known to have none."""
    given = pooling(g, input, how)
    g.need(
        not return_indices or given["auto_pad"] == "explicit",  # it pads in another way
        "has places of maxima with auto_pad SAME for known sizes only",
    )
    g.need(
        input.precision not in (Precision.INT32, Precision.UINT32) or is_size(input),
        f"compares {input.precision.name} in floats: pools",
    )

    def slide(x: Ref) -> Refs:
        return g.node(
            "MaxPool",
            x,
            outputs=2,
            dilations=how.dilations,
            index_element_type="i64",
            axis=2,
            **given,
        )

    if not input.is_float:
        return slide(g.cast(input, Precision.INT32))
    x = single(g, input)
    if is_computed(input):
        return slide(_keep_followers(g, x))
    return _largest(g, x, slide, places=return_indices)


def _keep_followers(g: Emitter, x: Ref) -> Ref:
    """What a pool reads, with a slope of 1 where a convolution makes it and what follows the pool
    may fall where its operand rises: the convolution would compute that before the pool."""
    made = g.operation.outputs[0]
    above = nodes_above(x.output, lambda node: node.get_type_name() not in PASSED)
    is_convolved = any(n.get_type_name() in ("Convolution", "GroupConvolution") for n in above)
    if not is_convolved or all(o.operator in RISING for o in made.uses):
        return x
    report_met(ACTIVATION_BEHIND_POOL)
    return g.node("PRelu", x, g.constant(np.ones(1, np.float32)))


@table.lower(pool.adaptive_average_pool_2d)
def adaptive_average_pool_2d(g: Emitter, input: Single, *, output_shape: Ints) -> Ref:
    if output_shape == (1, 1):
        return g.node("ReduceMean", input, g.ints(2, 3), keep_dims=True)
    return g.node("AdaptiveAvgPool", input, g.ints(*output_shape))


@table.lower(pool.adaptive_max_pool_2d, implied=["return_indices", "return_indices_dtype"])
def adaptive_max_pool_2d(g: Emitter, input: Single, *, output_shape: Ints) -> Refs:
    target = g.ints(*output_shape)

    def slide(x: Ref) -> Refs:
        return g.node("AdaptiveMaxPool", x, target, outputs=2, index_element_type="i32")

    return _largest(g, input, slide, places=True)
