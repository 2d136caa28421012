"""Pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import pool
from nnir.types import Fuse, Precision

from ...attributes import Window
from ...lowering import Lowerings
from ...orders import channels_last
from . import windows
from .binary import CODES, apply_fuse_code
from .conv import restore_infinities
from .emitter import Emitter, Ref, result_shape
from .unary import real
from .windows import Fused

table = Lowerings[Ref]()


def border_of(g: Emitter, input: Value, how: Window) -> windows.Pairs | None:
    """The padding by which the last windows are whole; None for SAME of sizes not known."""
    pairs = windows.pairs_of("a pool", input, how)
    if pairs is None or not how.ceil_mode:
        return pairs
    fits = how.fit_padding(input.shape[2:], inside=g.operation.operator is pool.max_pool)
    if fits is None:
        raise NoLowering(
            f"a pool of {input.type} with ceil_mode, whose last windows may start behind the data, "
            "needs known sizes on litert"
        )
    return fits


def padding_of(input: Value, how: Window, pairs: windows.Pairs | None) -> int | None:
    """SAME or VALID where one of them is this padding."""
    if pairs is not None and not any(map(any, pairs)):
        return windows.VALID
    return windows.SAME if windows.is_same(input, pairs, how) else None


def _native(
    g: Emitter, name: str, x: Ref, how: Window, padding: int | None, code: Fuse = Fuse.NONE
) -> Ref:
    """A pool; a border that is neither SAME nor VALID is there already."""
    (height, width), order = how.kernel_shape, channels_last(4)
    fields: dict[str, Any] = windows.along("stride_{}", how.strides) | {
        "padding": windows.VALID if padding is None else padding,
        "filter_height": height,
        "filter_width": width,
        "fused_activation_function": CODES.get(code, 0),
    }
    made = g.compute(name, [x], tuple(result_shape(g)[a] for a in order), order, **fields)
    if any(s > k for s, k in zip(how.strides, how.kernel_shape, strict=True)):
        made = restore_infinities(g, made)  # XNNPACK leaves it to LiteRT's kernel
    return made if code in CODES else apply_fuse_code(g, made, code)


@table.lower(pool.average_pool_2d, implied=["ceil_mode"], how=Fused)
def average_pool_2d(g: Emitter, input: Value, *, count_include_pad: bool, how: Fused) -> Ref:
    """NaN where the sum has one, or infinities of both signs: the kernel takes it for -inf."""
    padding = padding_of(input, how, border_of(g, input, how))
    if padding is None or (padding == windows.SAME and count_include_pad):
        raise NoLowering("litert has means of what lies in the data, by SAME")
    x = windows.stored_last(g, real(g, input))
    if is_convolved(g, x):
        return _native(g, "AVERAGE_POOL_2D", x, how, padding, how.fuse_code)
    result = _native(g, "AVERAGE_POOL_2D", x, how, padding)
    marks = (~(x < np.inf), ~(x > -np.inf))
    low, high = (
        _native(g, "AVERAGE_POOL_2D", mark.cast(Precision.FLOAT32), how, padding) for mark in marks
    )
    return apply_fuse_code(g, g.where((low > 0) & (high > 0), np.nan, result), how.fuse_code)


@table.lower(
    *(pool.max_pool_2d, pool.max_pool),
    implied=["ceil_mode", "return_indices", "return_indices_dtype"],
    how=Fused,
)
def max_pool_2d(g: Emitter, input: Value, *, how: Fused) -> Ref:
    """The kernel passes over NaN."""
    if len(g.operation.outputs) > 1:
        raise NoLowering("litert finds maxima, not where they are")
    x = windows.stored_last(g, real(g, input))
    if how.rank != 2 or how.is_dilated:
        raise NoLowering("litert pools planes, and without dilations")
    pairs = border_of(g, input, how)
    padding = padding_of(input, how, pairs)

    def maxima(values: Ref, lowest: float | None, code: Fuse = Fuse.NONE) -> Ref:
        if padding is None and pairs is not None:
            values = windows.add_border(g, values, pairs, lowest)
        return _native(g, "MAX_POOL_2D", values, how, padding, code)

    if is_convolved(g, x):
        axes = zip(pairs or (), how.extents, strict=False)
        is_beside_data = all(max(pair) < extent for pair, extent in axes)
        return maxima(x, None if is_beside_data and is_natural(g, x) else -np.inf, how.fuse_code)
    nan = x.unequal(x)
    found = maxima(g.where(nan, -np.inf, x), -np.inf)
    some = maxima(nan.cast(Precision.FLOAT32), None)
    return apply_fuse_code(g, g.where(some > 0, np.nan, found), how.fuse_code)


def is_convolved(g: Emitter, ref: Ref) -> bool:
    """Whether a convolution or an activation made it: a NaN there is one of the whole network."""
    tensor = g.sources[ref.tensor][0] if ref.tensor in g.sources else ref.tensor
    if tensor in g.dequantised:
        return True
    step = g.makers.get(tensor)
    while step is not None and step.name in ("PAD", "PADV2", "CONCATENATION", "ADD", "MUL"):
        first = next((t for t in step.inputs if t is not None and t.data is None), None)
        if first is not None and first in g.dequantised:
            return True
        step = None if first is None else g.makers.get(first)
    return step is not None and step.name in CONVOLVED


CONVOLVED = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D", "RELU", "RELU6", "MAX_POOL_2D", "LOGISTIC"})


def is_natural(g: Emitter, ref: Ref) -> bool:
    """Whether no element is below 0, so that a border of zeros never wins alone."""
    step = g.makers.get(ref.tensor)
    return step is not None and (
        step.name in ("RELU", "RELU6") or step.fields.get("fused_activation_function") in (1, 3)
    )
