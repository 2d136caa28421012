"""Operators that rearrange, join or cut elements."""

from __future__ import annotations

import numpy as np

from nnir.broadcast import axis_of, ints
from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import shape
from nnir.types import PadMode, Precision

from ...attributes import Ints
from ...lowering import Lowerings
from .emitter import Emitter, Ref, Refs, result_shape
from .index import take_positions

table = Lowerings[Ref]()


@table.lower(
    shape.reshape,
    shape.reshape_exact,
    shape.squeeze,
    shape.unsqueeze,
    shape.flatten,
    implied=["shape", "axes", "start_axis", "end_axis"],
)
def reshape(g: Emitter, input: Value) -> Ref:
    return g.reshape(input, result_shape(g))


@table.lower(shape.transpose)
def transpose(g: Emitter, input: Value, *, perm: Ints | None) -> Ref:
    """No work."""
    return g.take(input).transposed(perm)


@table.lower(shape.concat)
def concat(g: Emitter, *input: Value, axis: int) -> Ref:
    refs = [g.take(v) for v in input]
    order = g.aligned(*refs)[1]
    stored = [g.ordered(r, order) for r in refs]
    sizes = tuple(result_shape(g)[a] for a in order)
    place = order.index(axis_of(axis, len(order)))
    made = g.one("CONCAT", stored, sizes, order, axis=place)
    if len({r.tensor.quantization for r in stored}) == 1:
        g.keep_scale(stored[0].tensor, made.tensor)
    return made


@table.lower(shape.stack)
def stack(g: Emitter, *input: Value, axis: int) -> Ref:
    place = axis_of(axis, input[0].rank, extra=1)
    return g.one("STACK", [g.plain(v) for v in input], result_shape(g), axis=place)


@table.lower(shape.unstack, implied=["num"])
def unstack(g: Emitter, input: Value, *, axis: int) -> Refs:
    x, place = g.take(input), axis_of(axis, input.rank)
    sizes, order = x.without([place])
    results = [(x.tensor.precision, sizes, order)] * len(g.operation.outputs)
    return tuple(g.emit("UNSTACK", [x], results, axis=x.place(place)))


@table.lower(shape.split)
def split(g: Emitter, input: Value, split: Value, *, axis: int) -> Refs:
    lengths = ints(split)
    if lengths is None:
        raise NoLowering("nnrt splits into pieces of known lengths only")
    x, place = g.take(input), axis_of(axis, input.rank)
    results = []
    for length in lengths:
        sizes = (length if a == place else d for d, a in zip(x.tensor.shape, x.order, strict=True))
        results.append((x.tensor.precision, tuple(sizes), x.order))
    fields = {"outputNum": len(lengths), "sizeSplits": lengths, "axis": x.place(place)}
    return tuple(g.emit("SPLIT", [x], results, **fields))


@table.lower(shape.expand, implied=["shape"])
def expand(g: Emitter, input: Value) -> Ref:
    target = result_shape(g)
    x = g.plain(input)
    if x.shape == target:
        return x
    if any(isinstance(d, Expr) for d in target):
        raise NoLowering(f"nnrt expands to known sizes, not {list(map(str, target))}")
    return g.one("BROADCAST_TO", [x], target, shape=target)


@table.lower(shape.tile)
def tile(g: Emitter, input: Value, repeats: Value) -> Ref:
    known = ints(repeats)
    if known is None:
        raise NoLowering("nnrt tiles a known number of times")
    x = g.plain(input)
    times = (1,) * (x.rank - len(known)) + known
    return g.one("TILE", [x, g.ints(*times)], result_shape(g))


@table.lower(shape.shape)
def shape_(g: Emitter, input: Value, *, dtype: Precision) -> Ref:
    made = g.one("SHAPE", [g.plain(input)], (input.rank,), None, Precision.INT32)
    return g.cast(made, dtype)


@table.lower(shape.pad)
def pad(g: Emitter, input: Value, pads: Value, value: Value | None, *, mode: PadMode) -> Ref:
    known = ints(pads)
    if known is None:
        raise NoLowering("nnrt pads by known amounts only")
    x = g.take(input)
    pairs = np.reshape(known, (-1, 2))[list(x.order)]
    if mode in BORDERS:
        return _repeat_border(g, x, pairs, BORDERS[mode])
    cuts, grown = np.maximum(-pairs, 0), np.maximum(pairs, 0)
    if mode != PadMode.CONSTANT and cuts.any():
        raise NoLowering("nnrt mirrors what is not cut")
    sizes = np.array(g.known(x.tensor.shape), np.int64).reshape(-1, 1)
    if grown.any():
        sizes = sizes + grown.sum(1, keepdims=True)
        fields = {"constantValues": _number(input, value), "paddingMode": MODES[mode]}
        rows = g.constant(grown.astype(np.int32))
        x = g.one("PAD", [x, rows], tuple(sizes[:, 0].tolist()), x.order, **fields)
    return _crop(g, x, cuts) if cuts.any() else x


def _number(input: Value, value: Value | None) -> np.ndarray:
    """What is padded."""
    if value is None:
        return np.zeros((), input.dtype)
    if value.constant is None:
        raise NoLowering("nnrt pads with a known number")
    return value.constant.reshape(())


def _crop(g: Emitter, x: Ref, cuts: np.ndarray) -> Ref:
    """Without elements in front and behind."""
    begin = cuts[:, 0]
    sizes = np.array(g.known(x.tensor.shape)) - cuts.sum(1)
    vectors = [g.ints(*begin.tolist()), g.ints(*sizes.tolist())]
    fields = {"axes": tuple(range(x.rank))}
    return g.one("SLICE", [x, *vectors], tuple(sizes.tolist()), x.order, **fields)


MODES = {PadMode.CONSTANT: 0, PadMode.REFLECT: 1}
BORDERS = {PadMode.EDGE: "edge", PadMode.REPLICATE: "edge", PadMode.WRAP: "wrap"}
"""Modes that repeat elements, as NumPy calls them."""


def _repeat_border(g: Emitter, x: Ref, pairs: np.ndarray, how: str) -> Ref:
    """Each axis by the positions of what is repeated; crops go first."""
    for place, (before, after) in enumerate(pairs.tolist()):
        size = g.known(x.tensor.shape)[place]
        cut = np.arange(size)[max(-before, 0) : max(size + min(after, 0), 0)]
        where = np.pad(cut, (max(before, 0), max(after, 0)), how)  # type: ignore[call-overload]
        x = take_positions(g, x, place, where)
    return x
