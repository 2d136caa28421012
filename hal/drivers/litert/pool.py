"""Pooling."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from nnir.ops import pool
from nnir.types import Precision

from ...attributes import Window
from ...lowering import Lowerings
from . import windows
from .emitter import Emitter, Image, Ref
from .ends import restore_infinities
from .kernels import FUSED, RECTIFIERS

table = Lowerings[Ref]()


CONVOLVED = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "RELU", "RELU6", "MAX_POOL_2D", "LOGISTIC"})
PASSING = frozenset({"PAD", "PADV2", "CONCATENATION", "ADD", "MUL"})
"""What gives NaN only where an operand has one."""


def slide(g: Emitter, name: str, x: Ref, how: Window, padding: int | None) -> Ref:
    """A pool; XNNPACK leaves one with elements between its windows to LiteRT's kernel."""
    fields: dict[str, Any] = windows.fields(name, how, padding)
    made = g.compute(name, [x], **fields)
    is_apart = any(s > k for s, k in zip(how.strides, how.kernel_shape, strict=True))
    return restore_infinities(g, made) if is_apart else made


def place(g: Emitter, input: Ref, how: Window) -> tuple[windows.Pairs | None, int | None]:
    """The border of a plane, and how a kernel is to pad."""
    g.need(how.rank == 2 and not how.is_dilated, "pools planes, and without dilations")
    inside = g.operation.operator in (pool.average_pool, pool.max_pool)
    return windows.padding_of("a pool", input, how, inside=inside)


@table.lower(pool.average_pool_2d, pool.average_pool, how=Window)
def average_pool_2d(g: Emitter, input: Image, *, count_include_pad: bool, how: Window) -> Ref:
    """NaN where the sum has one, or infinities of both signs: the kernel takes it for -inf."""
    _, padding = place(g, input, how)
    is_counted = padding is None or (padding == windows.SAME and count_include_pad)
    g.need(not is_counted, "has means of what lies in the data, by SAME")
    average = partial(slide, g, "AVERAGE_POOL_2D", how=how, padding=padding)
    if is_convolved(g, input):
        return average(input)
    marks = ~(input < np.inf), ~(input > -np.inf)
    low, high = (average(mark.cast(Precision.FLOAT32)) > 0 for mark in marks)
    return g.where(low & high, np.nan, average(input))


@table.lower(*(pool.max_pool_2d, pool.max_pool), implied=["return_indices_dtype"], how=Window)
def max_pool_2d(g: Emitter, input: Image, *, how: Window) -> Ref:
    """The kernel passes over NaN."""
    pairs, padding = place(g, input, how)

    def maxima(values: Ref, lowest: float | None) -> Ref:
        if padding is None:
            values = windows.add_border(g, values, pairs or (), lowest)
        return slide(g, "MAX_POOL_2D", values, how, padding)

    if is_convolved(g, input):
        axes = zip(pairs or (), how.extents, strict=False)
        is_beside_data = all(max(pair) < extent for pair, extent in axes)
        return maxima(input, None if is_beside_data and is_natural(g, input) else -np.inf)
    nan = input.unequal(input)
    found = maxima(g.where(nan, -np.inf, input), -np.inf)
    some = maxima(nan.cast(Precision.FLOAT32), None)
    return g.where(some > 0, np.nan, found)


def is_convolved(g: Emitter, ref: Ref) -> bool:
    """Whether a convolution or an activation made it: a NaN there is one of the whole network."""
    tensor, _ = g.sources.get(ref.tensor, (ref.tensor, ()))
    while tensor not in g.dequantised:
        step = g.makers.get(tensor)
        live = [t for t in step.inputs if t.data is None] if step else []
        if step is None or step.name not in PASSING or not live:
            return step is not None and step.name in CONVOLVED
        tensor = live[0]
    return True


def is_natural(g: Emitter, ref: Ref) -> bool:
    """Whether no element is below 0, so that a border of zeros never wins alone."""
    step = g.makers.get(ref.tensor)
    code = RECTIFIERS.get(step.name, step.fields.get(FUSED)) if step else None
    return code in RECTIFIERS.values()
