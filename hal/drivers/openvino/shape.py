"""Operators that rearrange, join, cut or count elements."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axes_of, axis_of, contents, ints, length_of
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
    lengths = ints(split)
    if lengths is None or 0 in lengths:
        raise NoLowering("openvino splits wrongly where a length may be 0")
    if len(lengths) == 1:
        return g.take(input)
    place = g.scalar(axis_of(axis, input.rank))
    return g.node("VariadicSplit", input, place, g.ints(*lengths), outputs=len(lengths))


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
    if 0 in input.shape and ints(repeats) is None:
        raise NoLowering(f"openvino: copies of {input.type}, as many as only a run says")
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
    """OpenVINO mirrors once, no further than an axis goes."""
    known, is_mirror = ints(pads), mode == PadMode.REFLECT
    most = [d - 1 if is_mirror and isinstance(d, int) else HIGHEST for d in input.shape]
    fits = known is None or all(0 <= n <= most[k // 2] for k, n in enumerate(known))
    if mode not in MODES or not fits:
        raise NoLowering(f"openvino: pad of {input.type} by {known} with mode {mode.name}")
    single = g.number(0, input)
    if value is not None:
        single = g.reshape(value, []).cast(input.precision)
    if known is None:
        return _computed_pad(g, input, pads, single, value, mode)
    grown = [g.ints(*known[k::2]) for k in (0, 1)]
    return _pad(g, input, grown, single, value, mode) if any(known) else g.take(input)


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


def _computed_pad(
    g: Emitter, input: Value, pads: Value, single: Ref, value: Value | None, mode: PadMode
) -> Ref:
    """Pads that are only known while running, negative ones too: in front of other modes elements
    are taken away, behind a constant one, as the standard says."""
    rank, zero, step = input.rank, g.ints(0), g.ints(*[1] * input.rank)
    both = g.reshape(g.transpose(g.reshape(g.int64(pads), [rank, 2]), 1, 0), [-1])
    grown, crops = (
        [g.part(g.pair(name, both, zero), k, k + rank) for k in (0, rank)]
        for name in ("Maximum", "Minimum")
    )

    def crop(ref: Operand) -> Ref:
        stops = g.pair("Maximum", g.dims(ref) + crops[1], zero)
        return g.node("Slice", ref, zero - crops[0], stops, step, g.ints(*range(rank)))

    if mode == PadMode.CONSTANT:
        return crop(_pad(g, input, grown, single, value, mode))
    return _pad(g, crop(input), grown, single, value, mode)
