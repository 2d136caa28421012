"""Operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.broadcast import axis_of, contents, ints, length_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import conv, pool, shape
from nnir.types import PadMode, Precision

from ...attributes import Ints
from ...lowering import Lowerings
from ...operands import Axis
from ...quirks import report_met
from .emitter import Emitter, Operand, Ref, Refs, Sizes
from .quirks import PAD_BEFORE_AVERAGE_POOL, PAD_BEFORE_MAX_POOL

table = Lowerings[Ref]()

CONVOLUTIONS = (conv.conv_2d, conv.conv_3d)
MAX_POOLS = (pool.max_pool_2d, pool.max_pool)
AVERAGE_POOLS = (pool.average_pool_2d, pool.average_pool)
AXES_OF_PAD = 18
"""The operator set in which a Pad can name its axes."""


table.native(shape.reshape, "Reshape")


@table.lower(shape.reshape_exact)
def reshape_exact(g: Emitter, input: Value, shape: Sizes) -> Ref:
    return g.node("Reshape", input, shape, allowzero=1)


@table.lower(shape.transpose)
def transpose(g: Emitter, input: Value, *, perm: Ints | None) -> Ref:
    order = [axis_of(a, input.rank) for a in perm] if perm else None
    return g.node("Transpose", input, perm=order)


@table.lower(shape.squeeze)
def squeeze(g: Emitter, input: Value, axes: Value | None) -> Ref:
    empty = axes is None or not length_of(axes)
    return g.node("Squeeze", input, None if empty else g.int64(axes))


@table.lower(shape.unsqueeze)
def unsqueeze(g: Emitter, input: Value, axes: Value) -> Ref:
    """One node per axis: the standard inserts them one after the other."""
    count, places = length_of(axes), g.int64(axes)
    if count == 1:
        return g.node("Unsqueeze", input, g.reshape(places, -1))
    result = g.take(input)
    for i in range(count):
        result = g.node("Unsqueeze", result, g.part(places, i, i + 1))
    return result if count else g.node("Identity", input)


table.native(shape.concat, "Concat", "axis")
table.native(shape.split, "Split", "axis")


@table.lower(shape.stack)
def stack(g: Emitter, *input: Value, axis: int) -> Ref:
    place = axis_of(axis, input[0].rank, extra=1)
    return g.concat(*(g.unsqueeze(v, place) for v in input), axis=place)


@table.lower(shape.unstack)
def unstack(g: Emitter, input: Value, *, axis: Axis, num: int) -> Ref | Refs:
    place = g.ints(axis)
    if num == 1:
        return g.node("Squeeze", input, place)
    pieces = g.node("Split", input, outputs=num, axis=axis, num_outputs=num)
    return tuple(g.node("Squeeze", p, place) for p in pieces)


@table.lower(shape.expand)
def expand(g: Emitter, input: Value, shape: Value) -> Ref:
    """ONNX keeps a size where the target is 1, the standard where it is -1."""
    known, target = contents(shape), g.take(shape).cast(Precision.INT64)
    if known is None or -1 in known:
        target = g.where(target.equal(-1), 1, target)
    return g.node("Expand", input, target)


@table.lower(shape.tile)
def tile(g: Emitter, input: Value, repeats: Value) -> Ref:
    """ONNX wants as many repeats as axes."""
    missing = input.rank - length_of(repeats)
    whole: Operand = input
    counts = g.reshape(g.int64(repeats), -1)
    if missing > 0:
        counts = g.concat(g.ints(*[1] * missing), counts)
    elif missing < 0:
        whole = g.unsqueeze(input, *range(-missing))
    return g.node("Tile", whole, counts)


table.native(shape.shape, "Shape", implied=["dtype"])


MODES = {PadMode.CONSTANT: "constant", **shape.MODES}


@table.lower(shape.pad)
def pad(g: Emitter, input: Value, pads: Value, value: Value | None, *, mode: PadMode) -> Ref:
    """Crops are slices: in front of other modes, behind a constant one, as the standard says."""
    if input.rank == 0:  # quantised ones have no Pad
        return g.node("Identity", input)
    single = None if value is None else g.reshape(value)
    axes = None if _only_convolved(input) else g.ints(*range(input.rank))
    known = ints(pads)
    if mode == PadMode.WRAP and known is not None and 0 in input.shape and input.is_static:
        sizes = [n + known[2 * k] + known[2 * k + 1] for k, n in enumerate(input.shape)]
        return g.constant(np.zeros(sizes, input.dtype))  # ONNX Runtime's Pad refuses these
    if mode == PadMode.REFLECT and known is not None and not _is_reflected_once(input, known):
        raise NoLowering("onnxruntime reflects no axis further than it is long")
    if known is not None and min(known, default=0) >= 0:
        both = g.ints(*known[::2], *known[1::2])
        return _apart(g, input, g.node("Pad", input, both, single, axes, mode=MODES[mode]))
    rows = g.node("Transpose", g.reshape(g.int64(pads), -1, 2))
    flat, zero = g.reshape(rows, -1), g.ints(0)
    grown, crops = g.node("Max", flat, zero), g.node("Min", flat, zero)
    if known is not None and max(known) <= 0:
        return _crop(g, input, crops, input.rank)
    first = input if mode == PadMode.CONSTANT else _crop(g, input, crops, input.rank)
    result = _apart(g, input, g.node("Pad", first, grown, single, axes, mode=MODES[mode]))
    return _crop(g, result, crops, input.rank) if mode == PadMode.CONSTANT else result


def _is_reflected_once(input: Value, pads: Sequence[int]) -> bool:
    """Whether no border is longer than what is left of its axis without its edge."""
    pairs = zip(pads[::2], pads[1::2], input.shape, strict=True)
    left = ((a, b, n + min(a, 0) + min(b, 0)) for a, b, n in pairs if isinstance(n, int))
    return all(max(a, b, 0) <= max(n - 1, 0) for a, b, n in left)


def _apart(g: Emitter, input: Value, padded: Ref) -> Ref:
    """Keep a border from a pool that reads it, also where a Pad cannot name its axes."""
    readers = _readers(input)
    if any(o in MAX_POOLS for o in readers):
        report_met(PAD_BEFORE_MAX_POOL)
    elif any(o in AVERAGE_POOLS for o in readers):
        report_met(PAD_BEFORE_AVERAGE_POOL)
    else:
        return padded
    if g.target is None or g.target >= AXES_OF_PAD:
        g.require(AXES_OF_PAD, "Pad that names its axes")
        return padded
    most = np.inf if input.is_float else np.iinfo(input.dtype).max
    return g.node("Min", padded, g.constant(most, input.dtype))


def _only_convolved(input: Value) -> bool:
    """Whether convolutions alone read what is padded here.

    ONNX Runtime moves a border of zeros into what reads it. In a MaxPool that is wrong, whose own
    border is below every number; a Pad that names its axes stays.
    """
    readers = _readers(input)
    return bool(readers) and all(o in CONVOLUTIONS for o in readers)


def _readers(input: Value) -> list[Operator]:
    """What reads `input` after it is padded."""
    padded = [o.outputs[0] for o in input.uses if o.operator is shape.pad]
    return [o.operator for v in padded for o in v.uses]


def _crop(g: Emitter, input: Operand, crops: Ref, rank: int) -> Ref:
    """Take elements away in front and behind; `crops` has all fronts, then all backs, negated."""
    ends = g.node("Max", g.dims(input) + g.part(crops, rank, 2 * rank), g.ints(0))
    return g.node("Slice", input, -g.part(crops, 0, rank), ends, g.ints(*range(rank)))
