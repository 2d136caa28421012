"""Pooling."""

from __future__ import annotations

from functools import partial

import numpy as np

from nnir.errors import NoLowering
from nnir.ops import pool
from nnir.types import Fuse, Precision

from ...attributes import Window
from ...lowering import Lowerings
from . import windows
from .binary import apply_fuse_code, compute_fused
from .conv import restore_infinities
from .emitter import Emitter, Image, Ref
from .windows import Fused

table = Lowerings[Ref]()


CONVOLVED = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "RELU", "RELU6", "MAX_POOL_2D", "LOGISTIC"})
PASSING = frozenset({"PAD", "PADV2", "CONCATENATION", "ADD", "MUL"})
"""What gives NaN only where an operand has one."""


def slide(
    g: Emitter, name: str, x: Ref, how: Window, padding: int | None, code: Fuse = Fuse.NONE
) -> Ref:
    """A pool; a border that is neither SAME nor VALID is there already."""
    fields = windows.along("stride_{}", how.strides)
    fields |= zip(("filter_height", "filter_width"), how.kernel_shape, strict=True)
    fields["padding"] = windows.VALID if padding is None else padding
    made = compute_fused(g, name, [x], code, **fields)
    if any(s > k for s, k in zip(how.strides, how.kernel_shape, strict=True)):
        made = restore_infinities(g, made)  # XNNPACK leaves it to LiteRT's kernel
    return made


@table.lower(pool.average_pool_2d, implied=["ceil_mode"], how=Fused)
def average_pool_2d(g: Emitter, input: Image, *, count_include_pad: bool, how: Fused) -> Ref:
    """NaN where the sum has one, or infinities of both signs: the kernel takes it for -inf."""
    padding = windows.padding_of(input, windows.pairs_of("a pool", input, how), how)
    if padding is None or (padding == windows.SAME and count_include_pad):
        raise NoLowering("litert has means of what lies in the data, by SAME")
    average = partial(slide, g, "AVERAGE_POOL_2D", how=how, padding=padding)
    if is_convolved(g, input):
        return average(input, code=how.fuse_code)
    marks = ~(input < np.inf), ~(input > -np.inf)
    low, high = (average(mark.cast(Precision.FLOAT32)) > 0 for mark in marks)
    return apply_fuse_code(g, g.where(low & high, np.nan, average(input)), how.fuse_code)


@table.lower(
    *(pool.max_pool_2d, pool.max_pool), implied=["ceil_mode", "return_indices_dtype"], how=Fused
)
def max_pool_2d(g: Emitter, input: Image, *, how: Fused) -> Ref:
    """The kernel passes over NaN."""
    if how.rank != 2 or how.is_dilated:
        raise NoLowering("litert pools planes, and without dilations")
    pairs = windows.pairs_of("a pool", input, how, inside=g.operation.operator is pool.max_pool)
    padding = windows.padding_of(input, pairs, how)

    def maxima(values: Ref, lowest: float | None, code: Fuse = Fuse.NONE) -> Ref:
        if padding is None:
            values = windows.add_border(g, values, pairs or (), lowest)
        return slide(g, "MAX_POOL_2D", values, how, padding, code)

    if is_convolved(g, input):
        axes = zip(pairs or (), how.extents, strict=False)
        is_beside_data = all(max(pair) < extent for pair, extent in axes)
        return maxima(
            input, None if is_beside_data and is_natural(g, input) else -np.inf, how.fuse_code
        )
    nan = input.unequal(input)
    found = maxima(g.where(nan, -np.inf, input), -np.inf)
    some = maxima(nan.cast(Precision.FLOAT32), None)
    return apply_fuse_code(g, g.where(some > 0, np.nan, found), how.fuse_code)


def is_convolved(g: Emitter, ref: Ref) -> bool:
    """Whether a convolution or an activation made it: a NaN there is one of the whole network."""
    tensor, _ = g.sources.get(ref.tensor, (ref.tensor, ()))
    while tensor not in g.dequantised:
        step = g.makers.get(tensor)
        live = [t for t in step.inputs if t is not None and t.data is None] if step else []
        if step is None or step.name not in PASSING or not live:
            return step is not None and step.name in CONVOLVED
        tensor = live[0]
    return True


def is_natural(g: Emitter, ref: Ref) -> bool:
    """Whether no element is below 0, so that a border of zeros never wins alone."""
    step = g.makers.get(ref.tensor)
    codes = {"RELU": 1, "RELU6": 3}
    code = codes.get(step.name, step.fields.get("fused_activation_function")) if step else None
    return code in codes.values()
