"""Paddle's operators that cut pieces out of a tensor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, contents, ints
from nnir.dim import Dim
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import index, shape

from ...table import Ints, Table

table = Table()


@table.convert("slice")
def slice_(
    input: Value,
    axes: Ints,
    starts: Index,
    ends: Index,
    infer_flags: Ints,
    decrease_axis: Ints,
) -> Value:
    """Axes that are dropped keep one element, which may be chosen while running."""
    places = [axis_of(a, input.rank) for a in axes]
    drop = {axis_of(a, input.rank) for a in decrease_axis}
    if set(drop) - set(places):
        raise BadType(f"slice of {input.type} on {axes} that drops {decrease_axis}")
    first, last = ints(starts), ints(ends)
    if first is not None and last is not None:
        cut = slice_known(input, places, first, last)
        return shape.squeeze(cut, sorted(drop)) if drop else cut
    chosen, last_of = build.elements(starts), build.elements(ends)
    kept = [k for k, place in enumerate(places) if place not in drop]
    result = input
    if kept:
        bounds = (sizes_vector(input, [b[k] for k in kept]) for b in (chosen, last_of))
        result = index.slice_(input, [places[k] for k in kept], *bounds)
    for k, place in sorted(enumerate(places), key=lambda p: -p[1]):
        if place in drop:
            result = index.gather(result, scalar(input, chosen[k]), axis=place)
    return result


def slice_known(x: Value, axes: Sequence[int], starts: Sequence[int], ends: Sequence[int]) -> Value:
    """Elements between known bounds; `x` where that is all of it."""
    if not axes or all(
        a == 0 and isinstance(x.shape[k], int) and b >= x.shape[k]  # type: ignore[operator]
        for k, a, b in zip(axes, starts, ends, strict=True)
    ):
        return x
    return index.slice_(x, list(axes), list(starts), list(ends))


def sizes_vector(x: Value, parts: Sequence[build.Size]) -> Value:
    """Bounds, which may be negative, as an int64 vector."""
    whole = [p if isinstance(p, Value) else x.model.constant([p], np.int64) for p in parts]
    return shape.concat(*whole, axis=0) if len(whole) > 1 else whole[0]


def scalar(x: Value, place: build.Size) -> Value:
    """A position without axes."""
    return shape.reshape(place, []) if isinstance(place, Value) else x.model.constant(place)


@table.convert("strided_slice")
def strided_slice(x: Value, axes: Ints, starts: Index, ends: Index, strides: Index) -> Value:
    return index.slice_(x, list(axes), starts, ends, strides)


@table.convert("view_slice")
def view_slice(input: Value, begin_idx: int, end_idx: int) -> Value:
    return index.slice_(input, [0], [begin_idx], [end_idx])


def require_within(x: Value, box: Sequence[Dim] | None, offsets: Sequence[Dim] | None) -> None:
    """BadType where a box is known to reach out of a tensor."""
    for size, length, start in zip(x.shape, box or (), offsets or (), strict=False):
        known = [n for n in (size, length, start) if isinstance(n, int)]
        if len(known) == 3 and (known[2] < 0 or known[2] + max(known[1], 0) > known[0]):
            raise BadType(f"crop of {x.type} to {box} from {offsets} on")


@table.convert("crop")
def crop(x: Value, shape: Index | None, offsets: Index | None) -> Value:
    """A box of `shape` from `offsets` on; -1 is all that is left."""
    target = contents(shape) if shape is not None else x.shape
    place = offsets if offsets is not None else x.model.constant(np.zeros(x.rank, np.int64))
    require_within(x, target, contents(place))
    if target is None or shape is None or not any(d == -1 for d in target):
        lengths = shape if shape is not None else build.vector(x.model, build.sizes_of(x))
        return index.slice_(x, list(range(x.rank)), place, place + lengths)
    starts, wanted = build.elements(place), build.elements(shape)
    ends = [
        build.size_of(x, k) if isinstance(n, int) and n == -1 else build.plus(starts[k], n)
        for k, n in enumerate(wanted)
    ]
    return index.slice_(x, list(range(x.rank)), place, sizes_vector(x, ends))
