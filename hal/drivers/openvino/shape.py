"""Operators that rearrange, join, cut or count elements."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axes_of, axis_of, contents, ints, length_of
from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import shape
from nnir.types import PadMode, Precision

from ...attributes import Ints
from ...lowering import Lowerings
from ...quirks import report_met
from .axes import squeeze_axes, tile_axes, unsqueeze_axes
from .elements import HIGHEST
from .emitter import Emitter, Operand, Ref, Refs
from .fusing import EXACT
from .quirks import RESHAPE_TO_NUMBER

table = Lowerings[Ref]()


@table.lower(shape.reshape)
def reshape(g: Emitter, input: Value, shape: Value) -> Ref:
    return to_number(g, input, shape) or g.reshape(input, g.int64(shape), copy=True)


@table.lower(shape.reshape_exact)
def reshape_exact(g: Emitter, input: Value, shape: Value) -> Ref:
    return to_number(g, input, shape) or g.reshape(input, g.int64(shape))


def to_number(g: Emitter, input: Value, shape: Value) -> Ref | None:
    """The one element of a tensor, where the shape has no axes."""
    if length_of(shape) or not input.rank:
        return None
    report_met(RESHAPE_TO_NUMBER)
    return g.squeeze(input, *range(input.rank))


@table.lower(shape.transpose)
def transpose(g: Emitter, input: Value, *, perm: Ints | None) -> Ref:
    order = axes_of(perm, input.rank) if perm else tuple(reversed(range(input.rank)))
    return g.transpose(input, *order) if input.rank > 1 else g.take(input)


@table.lower(shape.squeeze)
def squeeze(g: Emitter, input: Value, axes: Value | None) -> Ref:
    known = ints(axes)
    if axes is not None and known is None and length_of(axes):
        return squeeze_axes(g, input, axes)
    if not known:
        known = tuple(k for k, d in enumerate(input.shape) if d == 1)
    return g.squeeze(input, *axes_of(known, input.rank)) if known else g.take(input)


@table.lower(shape.unsqueeze)
def unsqueeze(g: Emitter, input: Value, axes: Value) -> Ref:
    """The standard inserts axes one after the other."""
    known = ints(axes)
    if known is None:
        return unsqueeze_axes(g, input, axes)
    places: list[int] = []
    for position, axis in enumerate(known):
        place = axis_of(axis, input.rank + position, extra=1)
        places = [p + (p >= place) for p in places] + [place]
    return g.unsqueeze(input, *sorted(places)) if places else g.take(input)


@table.lower(shape.concat)
def concat(g: Emitter, *input: Value, axis: int) -> Ref:
    """Empty parts are left out; OpenVINO may take their type for that of all."""
    place = axis_of(axis, input[0].rank)
    parts = [v for v in input if v.shape[place] != 0] or input[:1]
    return g.concat(*parts, axis=place)


@table.lower(shape.stack)
def stack(g: Emitter, *input: Value, axis: int) -> Ref:
    place = axis_of(axis, input[0].rank, extra=1)
    return g.concat(*(g.unsqueeze(v, place) for v in input), axis=place)


@table.lower(shape.split)
def split(g: Emitter, input: Value, split: Value, *, axis: int) -> Ref | Refs:
    count, place = length_of(split), axis_of(axis, input.rank)
    if count == 1:
        return g.take(input)
    known = ints(split)
    if known is not None and 0 in known:
        ends = np.cumsum(known).tolist()
        bounds = zip([0, *ends[:-1]], ends, strict=True)
        return tuple(_cut(g, input, place, a, b) for a, b in bounds)
    if known is None:  # a length may be 0, which VariadicSplit takes wrongly
        lengths = g.int64(split)
        ends = g.node("CumSum", lengths, g.scalar(0))
        starts = ends - lengths
        places = [[g.part(v, k, k + 1) for v in (starts, ends)] for k in range(count)]
        return tuple(_cut(g, input, place, a, b) for a, b in places)
    return g.node("VariadicSplit", input, g.scalar(place), g.int64(split), outputs=count)


def _cut(g: Emitter, input: Value, axis: int, start: Ref | int, end: Ref | int) -> Ref:
    start, end = (v if isinstance(v, Ref) else g.ints(v) for v in (start, end))
    return g.node("Slice", input, start, end, g.ints(1), g.ints(axis))


@table.lower(shape.unstack)
def unstack(g: Emitter, input: Value, *, axis: int, num: int) -> Ref | Refs:
    place = axis_of(axis, input.rank)
    if num == 1:
        return g.squeeze(input, place)
    pieces = g.node("Split", input, g.scalar(place), outputs=num, num_splits=num)
    return tuple(g.squeeze(p, place) for p in pieces)


@table.lower(shape.expand)
def expand(g: Emitter, input: Value, shape: Value) -> Ref:
    """OpenVINO keeps a size where the target is 1, the standard where it is -1."""
    if not length_of(shape):
        return g.take(input)
    known, target = contents(shape), g.int64(shape)
    if ints(shape) is not None:
        target = g.ints(*(1 if d == -1 else d for d in ints(shape) or ()))
    elif known is None or -1 in known:
        one = g.ints(1)
        target = g.node("Select", target.equal(-1), one, target, auto_broadcast="numpy")
    return g.node("Broadcast", input, target, mode="bidirectional")


@table.lower(shape.tile)
def tile(g: Emitter, input: Value, repeats: Value) -> Ref:
    """As many repeats as axes; Tile of no axes leaves its result as the memory is."""
    missing = input.rank - length_of(repeats)
    whole, counts = g.take(input), g.int64(repeats)
    if not input.rank and not missing:
        return whole
    if missing > 0:
        counts = g.concat(g.ints(*[1] * missing), counts)
    elif missing < 0:
        whole = g.unsqueeze(input, *range(-missing))
    # of five axes and more whose sizes are open, Tile misplaces copies, too
    if ints(repeats) is None or (not input.is_static and max(input.rank, length_of(repeats)) > 4):
        return tile_axes(g, whole, max(input.rank, length_of(repeats)), counts)
    return g.node("Tile", whole, counts)


@table.lower(shape.shape)
def shape_(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    if input.is_static:
        return g.constant(np.array(input.shape, dtype.dtype))
    return g.node("ShapeOf", input, output_type="i32" if dtype == Precision.INT32 else "i64")


MODES = {
    PadMode.CONSTANT: "constant",
    PadMode.REFLECT: "reflect",
    PadMode.EDGE: "edge",
    PadMode.REPLICATE: "edge",
}


@table.lower(shape.pad)
def pad(g: Emitter, input: Value, pads: Value, value: Value | None, *, mode: PadMode) -> Ref:
    """Crops are slices: in front of other modes, behind a constant one, as the standard says."""
    if value is None:
        single = g.number(0, input)
    else:
        single = g.reshape(value, []) if value.rank else g.cast(value, input.precision)
    known = ints(pads)
    if mode == PadMode.WRAP:
        return _wrap(g, input, known)
    if mode not in MODES:
        raise NoLowering(f"openvino: pad with mode {mode.name}")
    if known is None:
        return _computed_pad(g, input, pads, single, value, mode)
    begins, ends = list(known[::2]), list(known[1::2])
    result = g.take(input)
    if mode != PadMode.CONSTANT:
        result = _crop(g, result, begins, ends)
        if mode == PadMode.REFLECT:
            return _mirror(g, input, result, begins, ends)
    if any(p > 0 for p in known):
        grown = [g.ints(*(max(p, 0) for p in side)) for side in (begins, ends)]
        result = _pad(g, result, grown, single, value, mode)
    return _crop(g, result, begins, ends) if mode == PadMode.CONSTANT else result


def _pad(
    g: Emitter, data: Operand, grown: list[Ref], single: Ref, value: Value | None, mode: PadMode
) -> Ref:
    """OpenVINO pads with known numbers that float32 has; others are put where a border is."""
    if mode != PadMode.CONSTANT or _is_plain(value):
        return g.node("Pad", data, *grown, single, pad_mode=MODES[mode])
    one = g.constant(np.float32(1))
    zeros = g.node("Broadcast", g.number(0, one), g.dims(data), mode="numpy")
    border = g.node("Pad", zeros, *grown, one, pad_mode="constant")
    inside = g.node("Pad", data, *grown, g.number(0, single), pad_mode="constant")
    return g.where(border < 0.5, inside, single)


def _is_plain(value: Value | None) -> bool:
    """Whether a border is of a known finite number that float32 has."""
    if value is None:
        return True
    if value.constant is None:
        return False
    real = np.asarray(value.constant).astype(np.float32)
    return bool(np.isfinite(real).all()) and not (value.is_integer and (abs(real) > EXACT).any())


def _mirror(g: Emitter, input: Value, result: Operand, begins: list[int], ends: list[int]) -> Ref:
    """OpenVINO mirrors once, so further than the axis goes takes several steps."""
    left, right = [max(p, 0) for p in begins], [max(p, 0) for p in ends]
    sizes = [
        d if isinstance(d, Expr) else d + min(b, 0) + min(e, 0)
        for d, b, e in zip(input.shape, begins, ends, strict=True)
    ]
    far = [
        k for k, d in enumerate(sizes) if not isinstance(d, Expr) and max(left[k], right[k]) >= d
    ]
    for k in far:
        size = int(sizes[k])  # type: ignore[arg-type]
        at = np.pad(np.arange(size), (left[k], right[k]), "reflect")
        result = g.gather(result, g.constant(at.astype(np.int64)), k)
        left[k] = right[k] = 0
    if not any(left) and not any(right):
        return g.take(result)
    return g.node("Pad", result, g.ints(*left), g.ints(*right), pad_mode="reflect")


def _wrap(g: Emitter, input: Value, pads: Ints | None) -> Ref:
    """Positions modulo the size, which must be known."""
    result: Operand = input
    for axis, size in enumerate(input.shape):
        if pads is None:
            raise NoLowering("openvino: pad with mode WRAP by numbers that are not known")
        before, after = pads[2 * axis], pads[2 * axis + 1]
        if not before and not after:
            continue
        if isinstance(size, Expr):
            raise NoLowering(f"openvino: pad with mode WRAP of {input.type}")
        inner = np.arange(size)[max(-before, 0) : size + min(after, 0)]
        at = np.pad(inner, (max(before, 0), max(after, 0)), "wrap")
        result = g.gather(result, g.constant(at.astype(np.int64)), axis)
    return g.take(result)


def _crop(g: Emitter, input: Operand, begins: list[int], ends: list[int]) -> Ref:
    """Take elements away in front and behind, where the numbers are negative."""
    axes = [k for k in range(len(begins)) if begins[k] < 0 or ends[k] < 0]
    if not axes:
        return g.take(input)
    starts = g.ints(*(max(-begins[k], 0) for k in axes))
    stops = g.ints(*(ends[k] if ends[k] < 0 else HIGHEST for k in axes))
    return g.node("Slice", input, starts, stops, g.ints(*[1] * len(axes)), g.ints(*axes))


def _computed_pad(
    g: Emitter, input: Value, pads: Value, single: Ref, value: Value | None, mode: PadMode
) -> Ref:
    """Pads that are only known while running, negative ones too."""
    rank = input.rank
    rows = g.transpose(g.reshape(g.int64(pads), [rank, 2]), 1, 0)
    both = g.reshape(rows, [-1])
    zero = g.ints(0)
    grown, crops = g.pair("Maximum", both, zero), g.pair("Minimum", both, zero)

    def crop(ref: Operand) -> Ref:
        starts = zero - g.part(crops, 0, rank)
        stops = g.dims(ref) + g.part(crops, rank, 2 * rank)
        stops = g.pair("Maximum", stops, zero)
        return g.node("Slice", ref, starts, stops, g.ints(*[1] * rank), g.ints(*range(rank)))

    first: Operand = input if mode == PadMode.CONSTANT else crop(input)
    sides = [g.part(grown, 0, rank), g.part(grown, rank, 2 * rank)]
    made = _pad(g, first, sides, single, value, mode)
    return crop(made) if mode == PadMode.CONSTANT else made
