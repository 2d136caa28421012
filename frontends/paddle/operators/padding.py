"""Paddle's operators that add elements around a tensor."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import contents
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import index, shape
from nnir.recipes.layout import is_channels_last, with_channels_first
from nnir.recipes.padding import MODES, pad_by_mode

from ...table import Table

table = Table()


@table.convert("pad")
def pad(x: Value, paddings: tuple[int, ...], pad_value: Value) -> Value:
    """A pair for every axis, from the first one on."""
    if len(paddings) != 2 * x.rank:
        raise BadType(f"pad of {x.type} by {paddings}")
    if not any(paddings):
        return x
    value = shape.reshape(pad_value, []) if pad_value.rank else pad_value
    return shape.pad(x, list(paddings), value.cast(x.precision))


@table.convert("pad3d")
def pad3d(
    x: Value,
    paddings: Index,
    mode: str,
    pad_value: float,
    data_format: str,
) -> Value:
    """Pairs for the spatial axes, from the last one on."""
    if mode not in MODES or x.rank != 5:
        raise Unsupported(f"pad3d of {x.type} with mode={mode!r}")
    last = is_channels_last(data_format)
    known = contents(paddings)
    if known is None:
        turned = index.gather(paddings, [4, 5, 2, 3, 0, 1], axis=0)
        fixed = x.model.constant(np.zeros(2 if last else 4, turned.dtype))
        ends = [x.model.constant(np.zeros(2, turned.dtype))] if last else []
        value = x.model.constant(np.array(pad_value, x.dtype))
        pairs = shape.concat(fixed, turned, *ends, axis=0)
        return shape.pad(x, pairs, value, mode=MODES[mode])
    if last:
        front = x.model.constant(np.zeros(2, paddings.dtype))
        plain = all(isinstance(n, int) for n in known)
        both = x.model.constant([0, 0, *known], "int64") if plain else None
        paddings = both if both is not None else shape.concat(front, paddings, axis=0)
    return pad_by_mode(x, paddings, MODES[mode], pad_value)


@table.convert("temporal_shift")
def temporal_shift(x: Value, seg_num: int, shift_ratio: float, data_format: str) -> Value:
    """A share of the channels comes from the step before, as many from the step behind."""
    return with_channels_first(x, data_format, lambda v: shift_steps(v, seg_num, shift_ratio))


def shift_steps(x: Value, seg_num: int, shift_ratio: float) -> Value:
    if x.rank != 4:
        raise BadType(f"temporal_shift of {x.type}")
    (channels,) = build.known_sizes(x, (1,))
    first, second = int(channels * shift_ratio), int(channels * 2 * shift_ratio)
    steps = build.reshape(x, [-1, seg_num, *build.sizes_of(x)[1:]])
    around = shape.pad(steps, [0, 0, 1, 1, *[0, 0] * 3])
    parts = [
        index.slice_(around, [1, 2], [start, low], [start + seg_num, high])
        for start, low, high in ((0, 0, first), (2, first, second), (1, second, channels))
        if high > low
    ]
    whole = shape.concat(*parts, axis=2) if len(parts) > 1 else parts[0]
    return shape.flatten(whole, start_axis=0, end_axis=1)
