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
from .reduce import without_axes

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
    """No work: the same tensor, whose axes are called otherwise."""
    ref = g.take(input)
    order = [axis_of(a, input.rank) for a in perm] if perm else list(range(input.rank))[::-1]
    return Ref(ref.tensor, tuple(order.index(a) for a in ref.order), ref.precision)


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
    sizes, order = without_axes(x, [place], keepdim=False)
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
    if known is None or min(known, default=0) < 0:
        raise NoLowering("nnrt pads by known amounts of 0 or more only")
    x = g.take(input)
    pairs = np.reshape(known, (-1, 2))[list(x.order)].astype(np.int32)
    grown = tuple(n + int(a) + int(b) for n, (a, b) in zip(x.tensor.shape, pairs, strict=True))
    fill = np.zeros((), input.dtype)
    if value is not None and value.constant is None:
        raise NoLowering("nnrt pads with a known number")
    if value is not None and value.constant is not None:
        fill = value.constant.reshape(())
    modes = {PadMode.CONSTANT: 0, PadMode.REFLECT: 1}
    if mode not in modes:
        return _repeat_border(g, x, pairs, mode)
    fields = {"constantValues": fill, "paddingMode": modes[mode]}
    return g.one("PAD", [x, g.constant(pairs)], grown, x.order, **fields)


def _repeat_border(g: Emitter, x: Ref, pairs: np.ndarray, mode: PadMode) -> Ref:
    """Each axis by the positions of what is repeated."""
    words = {PadMode.EDGE: "edge", PadMode.REPLICATE: "edge", PadMode.WRAP: "wrap"}
    for place, (before, after) in enumerate(pairs.tolist()):
        size = x.tensor.shape[place]
        if not before and not after:
            continue
        if mode not in words or not isinstance(size, int):
            raise NoLowering(f"nnrt has no PAD with mode {mode.name} of {size} elements")
        where = np.pad(np.arange(size), (before, after), words[mode])  # type: ignore[call-overload]
        sizes = tuple(len(where) if k == place else d for k, d in enumerate(x.tensor.shape))
        axis = g.ints(place)
        positions = g.constant(where.astype(np.int32))
        x = g.one("GATHER", [x, positions, axis], sizes, x.order)
    return x
