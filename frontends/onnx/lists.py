"""Sequences and optionals whose length, or presence, is only known while running, as tensors.

`nnir.lists` says which tensors. A sequence of known length is `Items`, and stays its members.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nnir import build
from nnir.errors import Unsupported
from nnir.lists import Element, ListType
from nnir.model import Model, Value
from nnir.ops import compare, index, reduce, shape
from nnir.recipes.shape import place_first_axis
from nnir.records import dataclass
from nnir.types import Precision, TensorType

from ..compound import Compound
from ..table import Items


class NoItems(Items):
    """A sequence without members, which says of which precision they would be."""

    precision = Precision.FLOAT32

    @classmethod
    def of(cls, precision: Precision) -> NoItems:
        made = cls()
        made.precision = precision
        return made


@dataclass(frozen=True, eq=False)
class Ragged(Compound):
    """A sequence as its `parts`: values, counts, dims and ranks; see `nnir.lists`.

    `element` is the shape of its members as far as it is known, which says nothing where there
    `is_empty`: no member was ever put into it.
    """

    parts: tuple[Value, ...]
    element: Element = None
    is_empty: bool = False

    @property
    def tensors(self) -> tuple[Value, ...]:
        return self.parts

    @property
    def values(self) -> Value:
        return self.parts[0]

    @property
    def counts(self) -> Value:
        return self.parts[1]

    @property
    def dims(self) -> Value:
        return self.parts[2]

    @property
    def ranks(self) -> Value:
        return self.parts[3]

    def of(self, tensors: Sequence[Value]) -> Ragged:
        return replace(self, parts=tuple(tensors))

    @property
    def description(self) -> object:
        return self.element, self.is_empty

    def alike(self, other: Any) -> Ragged:
        if not isinstance(other, Ragged) or self.values.precision != other.values.precision:
            raise Unsupported("sequences of different precisions in one place")
        return replace(self, **_join(self, other))

    def adopt(self, entry: Any, model: Model) -> Any:
        if isinstance(entry, Maybe):
            return entry
        if isinstance(entry, Items):
            return make_ragged(model, entry)
        raise Unsupported("a sequence and something else in one place")

    @property
    def rank(self) -> int:
        """The number of axes of each member; Unsupported where they may differ."""
        if self.element is None:
            raise Unsupported("a member of a sequence whose ranks are only known while running")
        return len(self.element)

    @property
    def length(self) -> Value:
        """How many members there are: an int64 without axes."""
        return shape.reshape(build.shape_of(self.ranks), [])

    def place(self, position: Value, most: Value) -> Value:
        """A position from the front, int64 [1], that is at most `most`; any other is an error while
        running, as some engines take elements outside of a vector for zeros."""
        at = build.int64(shape.reshape(position, [1]))
        at = compare.where(at < 0, at + build.shape_of(self.ranks), at)
        return _require((at >= 0) & (at <= most), at)

    def at(self, position: Value) -> Value:
        """One member. What is out of range is an error while running."""
        rank, at = self.rank, self.place(position, self._last)
        starts = _starts(self.counts)
        start, end = index.gather(starts, at), index.gather(starts, at + 1)
        sizes = index.slice_(self.dims, [0], at * rank, (at + 1) * rank)
        return build.reshape(index.slice_(self.values, [0], start, end), self._parts(sizes))

    def insert(self, member: Value, position: Value | None) -> Ragged:
        """With one member more, at a position or behind the last one."""
        own = make_ragged(self.values.model, [member])
        if position is None:
            return self.join(own)
        at = self.place(position, build.shape_of(self.ranks))
        parts = tuple(
            shape.concat(_head(whole, cut), new, _tail(whole, cut), axis=0)
            for whole, new, cut in zip(self.parts, own.parts, self._cuts(at), strict=True)
        )
        return Ragged(parts, **_join(self, own))

    def erase(self, position: Value) -> Ragged:
        """Without one member."""
        at = self.place(position, self._last)
        pairs = zip(self.tensors, self._cuts(at), self._cuts(at + 1), strict=True)
        return self.of([shape.concat(_head(x, a), _tail(x, b), axis=0) for x, a, b in pairs])

    def join(self, other: Ragged) -> Ragged:
        """With the members of another behind its own."""
        pairs = zip(self.parts, other.parts, strict=True)
        return Ragged(tuple(shape.concat(a, b, axis=0) for a, b in pairs), **_join(self, other))

    def stack(self, axis: int) -> Value:
        """The members along a new axis; they are of one shape."""
        rank = self.rank
        count = self._checked(build.shape_of(self.ranks), range(rank))
        whole = build.reshape(self.values, [count, *self._parts(self._first())])
        return place_first_axis(whole, axis)

    def concat_rows(self) -> Value:
        """The members along their first axis, in whose size alone they may differ."""
        first = shape.reshape(index.slice_(self._rows(), [1], [0], [1]), [-1])
        total = reduce.reduce_sum(first, [0], keepdim=True)
        rest = self._parts(self._first())[1:]
        return build.reshape(self.values, [self._checked(total, range(1, self.rank)), *rest])

    @property
    def _last(self) -> Value:
        """The position of the last member."""
        return build.shape_of(self.ranks) - 1

    def _cuts(self, at: Value) -> tuple[Value, ...]:
        """Where the tensors are cut, in front of a member."""
        values, dims = (index.gather(_starts(x), at) for x in (self.counts, self.ranks))
        return values, at, dims, at

    def _rows(self) -> Value:
        """The sizes of each member: int64 [length, rank]."""
        return build.reshape(self.dims, [build.shape_of(self.ranks), self.rank])

    def _first(self) -> Value:
        """The sizes of the first member."""
        return index.slice_(self.dims, [0], [0], [self.rank])

    def _parts(self, sizes: Value) -> list[build.Size]:
        """The sizes of a member, those that are known as numbers."""
        element = self.element or ()
        whole = build.reshape(sizes, [len(element)])
        return [
            index.slice_(whole, [0], [k], [k + 1]) if d is None else d
            for k, d in enumerate(element)
        ]

    def _checked(self, size: Value, axes: Sequence[int]) -> Value:
        """A size, which is an error while running where members differ along axes."""
        open_axes = [k for k in axes if (self.element or ())[k] is None]
        if not open_axes:
            return size
        rows = index.gather(self._rows(), open_axes, axis=1)
        first = index.slice_(rows, [0], [0], [1])
        differ = compare.not_equal(rows, first).cast(Precision.INT64)
        count = reduce.reduce_sum(build.flatten(differ), [0], keepdim=True)
        return _require(compare.equal(count, 0), size)


@dataclass(frozen=True, eq=False)
class Maybe(Compound):
    """What may be left out: whether it is `given`, and what it is then."""

    given: Value
    entry: Value | Ragged

    @property
    def tensors(self) -> tuple[Value, ...]:
        return self.given, *tensors_of(self.entry)

    def of(self, tensors: Sequence[Value]) -> Maybe:
        given, *rest = tensors
        return Maybe(given, self.entry.of(rest) if isinstance(self.entry, Ragged) else rest[0])

    @property
    def description(self) -> object:
        return self.entry.description if isinstance(self.entry, Ragged) else None

    def alike(self, other: Any) -> Maybe:
        theirs = other.entry if isinstance(other, Maybe) else other
        if isinstance(self.entry, Ragged):
            return replace(self, entry=self.entry.alike(theirs))
        return self

    def adopt(self, entry: Any, model: Model) -> Maybe:
        if isinstance(self.entry, Value) != isinstance(entry, Value):
            raise Unsupported("an optional sequence and an optional tensor in one place")
        return Maybe(model.constant(np.bool_(True)), as_compound(model, entry))

    @property
    def element(self) -> Value | Ragged:
        """What it is. That it is left out is an error while running."""
        flag = shape.reshape(self.given, [1])
        if isinstance(self.entry, Ragged):
            *others, ranks = self.entry.tensors
            return self.entry.of([*others, _require(flag, ranks)])
        sizes = build.sizes_of(self.entry)
        return build.reshape(_require(flag, build.flatten(self.entry)), sizes)


def make_ragged(model: Model, members: Sequence[Value]) -> Ragged:
    """A sequence of known length in tensors."""
    if not members:
        precision = getattr(members, "precision", Precision.FLOAT32)
        return empty(model, precision)
    if len({v.precision for v in members}) > 1:
        raise Unsupported("a sequence of tensors of different precisions")
    flat = [build.flatten(v) for v in members]
    counts = [build.size_of(v, 0) for v in flat]
    dims = [d for v in members for d in build.sizes_of(v)]
    element: Element = None
    for k, v in enumerate(members):
        own = tuple(d if isinstance(d, int) else None for d in v.shape)
        element = own if k == 0 else _join_elements(element, own)
    parts = (
        shape.concat(*flat, axis=0) if len(flat) > 1 else flat[0],
        build.vector(model, counts),
        build.vector(model, dims),
        model.constant(np.array([v.rank for v in members], np.int64)),
    )
    return Ragged(parts, element)


def empty(model: Model, precision: Precision) -> Ragged:
    """A sequence without members."""
    none = [model.constant(np.zeros(0, np.int64)) for _ in range(3)]
    return Ragged((model.constant(np.zeros(0, precision.dtype)), *none), is_empty=True)


def declare(model: Model, name: str, type: ListType) -> Compound:
    """Inputs of a model for what may be a list, or be left out."""
    made: list[Value] = []
    for part in type.parts:
        whole = f"{name}.{part}"
        if part == "given":
            made.append(model.input(whole, TensorType(Precision.BOOL8, ())))
        elif type.is_list:
            precision = type.precision if part == "values" else Precision.INT64
            made.append(model.input(whole, TensorType(precision, (model.fresh(),))))
        else:
            dims = tuple(model.fresh() if d is None else d for d in type.element or ())
            made.append(model.input(whole, TensorType(type.precision, dims)))
    if not type.is_optional:
        return Ragged(tuple(made), type.element)
    given, *rest = made
    return Maybe(given, Ragged(tuple(rest), type.element) if type.is_list else rest[0])


def absent(model: Model, type: ListType) -> Maybe:
    """What is left out."""
    flag = model.constant(np.bool_(False))
    if type.is_list:
        return Maybe(flag, empty(model, type.precision))
    dims = [d or 0 for d in type.element or ()]
    return Maybe(flag, model.constant(np.zeros(dims, type.precision.dtype)))


def type_of(entry: Any) -> ListType:
    """What an entry that is no tensor is to users."""
    if isinstance(entry, Items):
        precision = entry[0].precision if entry else getattr(entry, "precision", Precision.FLOAT32)
        return ListType(precision, length=len(entry))
    if isinstance(entry, Ragged):
        return ListType(entry.values.precision, entry.element)
    inner = entry.entry
    if isinstance(inner, Ragged):
        return replace(type_of(inner), is_optional=True)
    element = tuple(d if isinstance(d, int) else None for d in inner.shape)
    return ListType(inner.precision, element, is_list=False, is_optional=True)


def as_compound(model: Model, entry: Any) -> Any:
    """A sequence of known length as tensors; anything else as it is."""
    return make_ragged(model, entry) if isinstance(entry, Items) else entry


def tensors_of(entry: Any) -> tuple[Value, ...]:
    """The tensors that an entry is."""
    if isinstance(entry, Value):
        return (entry,)
    return tuple(entry) if isinstance(entry, Items) else entry.tensors


def _join(a: Ragged, b: Ragged) -> dict[str, Any]:
    """What is known of the members of either."""
    if a.is_empty or b.is_empty:
        known = b if a.is_empty else a
        return {"element": known.element, "is_empty": known.is_empty}
    return {"element": _join_elements(a.element, b.element), "is_empty": False}


def _join_elements(a: Element, b: Element) -> Element:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(m if m == n else None for m, n in zip(a, b, strict=True))


def _require(flag: Value, x: Value) -> Value:
    """A vector, which no engine can make unless the one element of `flag` holds: of a row that is
    not there it would reshape nothing into one element and more."""
    model, count = x.model, build.plus(build.size_of(x, 0), 1)
    longer = shape.concat(x, model.constant(np.zeros(1, x.dtype)), axis=0)
    rows = build.reshape(longer, [1, count])
    row = index.slice_(rows, [0], [0], flag.cast(Precision.INT64))
    return index.slice_(build.reshape(row, [count]), [0], [0], [-1])


def _starts(counts: Value) -> Value:
    """Where each part begins that has so many elements, and where the last one ends."""
    zero = counts.model.constant(np.zeros(1, np.int64))
    return shape.concat(zero, reduce.cum_sum(counts, 0), axis=0)


def _head(x: Value, end: Value) -> Value:
    return index.slice_(x, [0], [0], end)


def _tail(x: Value, start: Value) -> Value:
    return index.slice_(x, [0], start, [build.END])
