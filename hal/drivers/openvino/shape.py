"""Operators that rearrange, join, cut or count elements."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axes_of, axis_of, contents, ints, length_of
from nnir.model import Value
from nnir.ops import shape
from nnir.types import PadMode, Precision

from ...attributes import Ints
from ...operands import Axis, Known
from ...quirks import report_met
from .axes import is_repeated, repeat, squeeze_axes, tile_axes, unsqueeze_axes
from .elements import HIGHEST
from .emitter import Emitter, Ref, Refs
from .forms import Table
from .quirks import RESHAPE_TO_NUMBER

table = Table()


@table.each({shape.reshape: True, shape.reshape_exact: False})
def _reshape(g: Emitter, copies: bool, input: Value, shape: Value) -> Ref:
    """To sizes, of which a 0 copies one."""
    if length_of(shape) or not input.rank:
        return g.reshape(input, g.int64(shape), copy=copies)
    report_met(RESHAPE_TO_NUMBER)
    return g.squeeze(input, *range(input.rank))


@table.lower(shape.flatten, implied=["start_axis", "end_axis"])
def flatten(g: Emitter, input: Value) -> Ref:
    return g.reshape(input, g.operation.outputs[0].shape)


@table.lower(shape.transpose)
def transpose(g: Emitter, input: Value, *, perm: Ints | None) -> Ref:
    order = axes_of(perm, input.rank) if perm else reversed(range(input.rank))
    return g.transpose(input, *order) if input.rank > 1 else g.take(input)


@table.lower(shape.squeeze)
def squeeze(g: Emitter, input: Value, axes: Value | None) -> Ref:
    known = ints(axes)
    if axes is not None and known is None and length_of(axes):
        return squeeze_axes(g, input, axes)
    places = axes_of(known or [k for k, d in enumerate(input.shape) if d == 1], input.rank)
    return g.squeeze(input, *places) if places else g.take(input)


@table.lower(shape.unsqueeze)
def unsqueeze(g: Emitter, input: Value, axes: Value) -> Ref:
    """The standard inserts axes one after the other."""
    known = ints(axes)
    if known is None:
        return unsqueeze_axes(g, input, axes)
    is_new = [False] * input.rank
    for axis in known:
        is_new.insert(axis_of(axis, len(is_new), extra=1), True)
    return g.unsqueeze(input, *np.flatnonzero(is_new)) if known else g.take(input)


@table.lower(shape.concat)
def concat(g: Emitter, *input: Value, axis: Axis) -> Ref:
    """Empty parts are left out; OpenVINO may take their type for that of all. It knows halves that
    rotary positions exchange by the axis -1."""
    parts = [v for v in input if v.shape[axis] != 0] or input[:1]
    if len(parts) > len(set(parts)) == 1 and is_repeated(parts[0]):
        return repeat(g, g.take(parts[0]), {axis: len(parts)})
    return g.concat(*parts, axis=-1 if axis == input[0].rank - 1 > 0 else axis)


@table.lower(shape.stack)
def stack(g: Emitter, *input: Value, axis: int) -> Ref:
    place = axis_of(axis, input[0].rank, extra=1)
    return g.concat(*(g.unsqueeze(v, place) for v in input), axis=place)


@table.lower(shape.split)
def split(g: Emitter, input: Value, split: Known, *, axis: Axis) -> Refs:
    g.need(0 not in split, "splits wrongly where a length may be 0")
    if len(split) == 1:
        return (g.take(input),)
    place = g.scalar(axis)
    return g.node("VariadicSplit", input, place, g.ints(*split), outputs=len(split))


@table.lower(shape.unstack)
def unstack(g: Emitter, input: Value, *, axis: Axis, num: int) -> Refs:
    if num == 1:
        return (g.squeeze(input, axis),)
    pieces = g.node("Split", input, g.scalar(axis), outputs=num, num_splits=num)
    return tuple(g.squeeze(p, axis) for p in pieces)


@table.lower(shape.expand)
def expand(g: Emitter, input: Value, shape: Value) -> Ref:
    """OpenVINO keeps a size where the target is 1, the standard where it is -1. Axes more are given
    before: it loses them where nothing else is wanted of what SQUEEZE gives."""
    added = length_of(shape) - input.rank
    grown = g.unsqueeze(input, *range(added)) if added > 0 else g.take(input)
    known, target = ints(shape), g.int64(shape)
    if known is not None:
        target = g.ints(*(1 if d == -1 else d for d in known))
    elif -1 in (contents(shape) or (-1,)):
        target = g.node("Select", target.equal(-1), g.ints(1), target, auto_broadcast="numpy")
    if known is not None and max(known, default=1) <= 1 and 0 not in known:
        return grown
    if known is not None and is_repeated(input) and not added and 0 not in known:
        wider = {k: n for k, n in enumerate(known) if n > 1 and input.shape[k] != n}
        if all(input.shape[k] == 1 for k in wider):  # an open size may be 1, too
            return repeat(g, grown, wider)
    return g.node("Broadcast", grown, target, mode="bidirectional")


@table.lower(shape.tile)
def tile(g: Emitter, input: Value, repeats: Value) -> Ref:
    """As many repeats as axes; Tile of no axes leaves its result as the memory is."""
    known, count = ints(repeats), length_of(repeats)
    g.need(
        0 not in input.shape or known is not None,
        f"has no copies of {input.type}, as many as only a run says",
    )
    rank, whole, counts = max(input.rank, count), g.take(input), g.int64(repeats)
    if not rank:
        return whole
    if rank > count:
        counts = g.concat(g.ints(*[1] * (rank - count)), counts)
    if rank > input.rank:
        whole = g.unsqueeze(input, *range(rank - input.rank))
    if known is not None and is_repeated(input) and 0 not in known:
        places = range(rank - len(known), rank)
        return repeat(g, whole, {k: n for k, n in zip(places, known, strict=True) if n > 1})
    # where a size is open, Tile misplaces copies of five axes and more, and along several axes, too
    if known is None or (not input.is_static and (rank > 4 or len(known) - known.count(1) > 1)):
        return tile_axes(g, whole, rank, counts)
    return g.node("Tile", whole, counts)


@table.lower(shape.shape)
def shape_(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    if input.is_static:
        return g.constant(np.array(input.shape, dtype.dtype))
    return g.node("ShapeOf", input, output_type="i32" if dtype == Precision.INT32 else "i64")


@table.lower(shape.pad)
def pad(g: Emitter, input: Value, pads: Value, value: Value | None, *, mode: PadMode) -> Ref:
    """OpenVINO mirrors once, no further than an axis goes; of borders that only a run says it cuts
    off those below 0, which are taken away before others are mirrored or repeated."""
    known, name = ints(pads), shape.MODES.get(mode, "constant")
    most = [d - 1 if name == "reflect" and isinstance(d, int) else HIGHEST for d in input.shape]
    fits = known is None or all(0 <= n <= most[k // 2] for k, n in enumerate(known))
    g.need(
        mode != PadMode.WRAP and fits,
        f"has no PAD of {input.type} by {known} with mode {mode.name}",
    )
    number, x = g.number(0, input), g.take(input)
    border = number if value is None else g.one(value).cast(input.precision)
    if known is None:
        steps = [[g.ints(n) for n in (k, HIGHEST, 2, 0)] for k in (0, 1)]
        sides = [g.node("Slice", g.int64(pads), *step) for step in steps]
        if name != "constant":
            cut = (g.pair("Minimum", s, 0) for s in sides)
            x = g.node("Pad", x, *cut, number, pad_mode="constant")
            sides = [g.pair("Maximum", s, 0) for s in sides]
    elif any(known):
        sides = [g.ints(*known[k::2]) for k in (0, 1)]
    else:
        return x
    if name != "constant" or _is_plain(value):
        return g.node("Pad", x, *sides, border, pad_mode=name)
    # of known numbers that float32 has alone: others are put where a border is
    one = g.constant(np.float32(1))
    zeros = g.broadcast(g.number(0, one), g.dims(x))
    outside = g.node("Pad", zeros, *sides, one, pad_mode=name)
    return g.where(outside < 0.5, g.node("Pad", x, *sides, number, pad_mode=name), border)


def _is_plain(value: Value | None) -> bool:
    """Whether a border is of a known finite number that float32 has."""
    known = np.zeros(1) if value is None else value.constant
    if known is None:
        return False
    real = known.astype(np.float32)
    return bool((np.isfinite(real) & (real == known)).all())
