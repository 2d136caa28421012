"""What a list of tensors is while converting: tensors one by one, one tensor, or nothing yet.

A list is an immutable value, as TensorFlow's variants are: whatever changes it makes a new one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import field, replace

import numpy as np

from nnir import build
from nnir.broadcast import contents, ints
from nnir.dim import Dim, Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Model, Value
from nnir.ops import binary, generate, index, reduce, shape
from nnir.records import dataclass
from nnir.types import Precision

from ...loop_state import Carried
from ...translate import Translator

LONGEST = 100_000
UNSTACKED = 256
"""A list of at most so many elements is taken apart where single elements are replaced."""

Sizes = tuple[int, ...]
Places = tuple[int, ...]


def length_of(count: int) -> int:
    """A number of elements that a list may have."""
    if not 0 <= count <= LONGEST:
        raise Unsupported(f"a list of {count} tensors")
    return count


def are_known(sizes: Sizes | None) -> bool:
    """Whether a shape says all of its sizes."""
    return sizes is not None and min(sizes, default=0) >= 0


class List(Carried):
    """A list of tensors of one precision; `element` is the shape of its elements, -1 is unknown."""

    precision: Precision
    element: Sizes | None

    @abstractmethod
    def count(self, translator: Translator) -> build.Size:
        """How many elements it has."""

    @abstractmethod
    def item(self, position: Value, sizes: Sizes | None, translator: Translator) -> Value:
        """One element; `sizes` says the shape of what was never written, which is zeros."""

    @abstractmethod
    def with_item(
        self, position: Value, item: Value, *, grows: bool, translator: Translator
    ) -> List:
        """With one element replaced."""

    @abstractmethod
    def stacked(self, sizes: Sizes | None, translator: Translator) -> Value:
        """The elements along a new first axis."""

    @abstractmethod
    def resized(self, size: build.Size, translator: Translator) -> List:
        """With another number of elements, the first ones kept."""

    @abstractmethod
    def with_last(self, item: Value, translator: Translator) -> List:
        """With one element more."""

    def without_last(self, sizes: Sizes | None, translator: Translator) -> tuple[List, Value]:
        """With one element less, and that."""
        rows = self.stacked(sizes, translator)
        last = index.gather(rows, sizes_end(rows), axis=0)
        return StackedList(index.slice_(rows, [0], [0], [-1]), self.element), last

    @property
    def tensor(self) -> Value | None:
        return None

    def with_tensor(self, tensor: Value) -> List:
        return StackedList(tensor, self.element)

    def settled(self, translator: Translator) -> StackedList | Reserved:
        """As one tensor, where the shape of its elements is known."""
        return StackedList(self.stacked(None, translator), self.element)

    def begun(self, element: Sequence[build.Size], translator: Translator) -> List:
        return self

    def items_of(self, sizes: Sizes | None, translator: Translator) -> list[Value]:
        """Its elements one by one; NotConstant for a list of unknown length."""
        count = self.count(translator)
        if not isinstance(count, int):
            raise NotConstant("a list whose length is only known while running")
        places = (translator.model.constant(np.int64(k)) for k in range(length_of(count)))
        return [self.item(k, sizes, translator) for k in places]


def sizes_end(rows: Value) -> Value:
    """The position of the last row."""
    size = build.size_of(rows, 0)
    if isinstance(size, int):
        return rows.model.constant(np.int64(size - 1))
    return shape.reshape(size - 1, [])


def zeros(
    model: Model, count: build.Size, element: Sequence[build.Size], precision: Precision
) -> Value:
    """Rows that were never written."""
    empty = model.constant(np.zeros((), precision.dtype))
    return generate.fill(build.vector(model, [count, *element]), empty)


@dataclass(frozen=True)
class TensorList(List):
    """Tensors one by one; None is an element that was never written, which reads as zeros."""

    items: tuple[Value | None, ...]
    precision: Precision
    element: Sizes | None

    def at(self, position: int, sizes: Sizes | None, translator: Translator) -> Value:
        """One element; `sizes` says the shape of zeros."""
        if not 0 <= position < len(self.items):
            raise BadType(f"element {position} of a list of {len(self.items)}")
        found = self.items[position]
        if found is not None:
            return found
        other = next((v for v in self.items if v is not None), None)
        known = next((s for s in (sizes, self.element) if are_known(s)), None)
        if other is not None and other.is_static:
            known = tuple(d for d in other.shape if isinstance(d, int))
        if known is None:
            raise NotConstant("an element of a list that was never written, of unknown shape")
        return translator.model.constant(np.zeros(known, self.precision.dtype))

    def count(self, translator: Translator) -> build.Size:
        return len(self.items)

    def item(self, position: Value, sizes: Sizes | None, translator: Translator) -> Value:
        known = translator.constant_of(position)
        if known is not None:
            return self.at(int(known), sizes, translator)
        return index.gather(self.stacked(sizes, translator), position, axis=0)

    def with_item(
        self, position: Value, item: Value, *, grows: bool, translator: Translator
    ) -> List:
        known = translator.constant_of(position)
        if known is None:
            whole = self.settled(translator)
            return whole.with_item(position, item, grows=grows, translator=translator)
        place, items = int(known), list(self.items)
        if grows and place >= len(items):
            items += [None] * (length_of(place + 1) - len(items))
        if not 0 <= place < len(items):
            raise BadType(f"element {place} of a list of {len(items)}")
        items[place] = item
        return replace(self, items=tuple(items))

    def stacked(self, sizes: Sizes | None, translator: Translator) -> Value:
        if not self.items:
            known = sizes if are_known(sizes) else self.element
            if known is None or not are_known(known):
                raise NotConstant("a stack of no tensors of unknown shape")
            return translator.model.constant(np.zeros((0, *known), self.precision.dtype))
        values = [self.at(k, sizes, translator) for k in range(len(self.items))]
        return shape.stack(*values, axis=0)

    def resized(self, size: build.Size, translator: Translator) -> List:
        if not isinstance(size, int):
            return self.settled(translator).resized(size, translator)
        kept = self.items[:size]
        return replace(self, items=(*kept, *[None] * (length_of(size) - len(kept))))

    def with_last(self, item: Value, translator: Translator) -> List:
        length_of(len(self.items) + 1)
        return replace(self, items=(*self.items, item))

    def without_last(self, sizes: Sizes | None, translator: Translator) -> tuple[List, Value]:
        last = self.at(len(self.items) - 1, sizes, translator)
        return replace(self, items=self.items[:-1]), last

    def settled(self, translator: Translator) -> StackedList | Reserved:
        if any(v is not None for v in self.items) or are_known(self.element):
            return super().settled(translator)
        count = translator.model.constant([len(self.items)], np.int64)
        return Reserved(count, self.precision, self.element)


@dataclass(frozen=True)
class StackedList(List):
    """One tensor of all elements along its first axis, whose size need not be known."""

    rows: Value
    element: Sizes | None
    parts: list[Value] = field(default_factory=list, compare=False)

    @property
    def precision(self) -> Precision:  # type: ignore[override]
        return self.rows.precision

    @property
    def tensor(self) -> Value:
        return self.rows

    def taken_apart(self) -> TensorList | None:
        """The elements one by one, where they are few enough."""
        size = self.rows.shape[0]
        if isinstance(size, Expr) or size > UNSTACKED:
            return None
        if size and not self.parts:
            made = shape.unstack(self.rows, axis=0, num=size)
            self.parts.extend(made if isinstance(made, (list, tuple)) else [made])
        return TensorList(tuple(self.parts), self.precision, self.element)

    def count(self, translator: Translator) -> build.Size:
        return build.size_of(self.rows, 0)

    def item(self, position: Value, sizes: Sizes | None, translator: Translator) -> Value:
        known = translator.constant_of(position)
        items = None if known is None else self.taken_apart()
        if items is not None:
            return items.item(position, sizes, translator)
        return index.gather(self.rows, position, axis=0)

    def with_item(
        self, position: Value, item: Value, *, grows: bool, translator: Translator
    ) -> List:
        known = translator.constant_of(position)
        items = None if known is None else self.taken_apart()
        if items is not None:
            return items.with_item(position, item, grows=grows, translator=translator)
        rows = self.rows
        place = shape.reshape(build.int64(position), [1])
        if grows:
            missing = place + 1 - build.vector(rows.model, [build.size_of(rows, 0)])
            rows = _longer(rows, binary.max_(missing, 0))
        places, items_ = shape.unsqueeze(place, [0]), shape.unsqueeze(item, [0])
        return StackedList(index.scatter_nd(rows, places, items_), self.element)

    def stacked(self, sizes: Sizes | None, translator: Translator) -> Value:
        return self.rows

    def resized(self, size: build.Size, translator: Translator) -> List:
        items = self.taken_apart() if isinstance(size, int) else None
        if items is not None:
            return items.resized(size, translator)
        end = build.vector(self.rows.model, [size])
        missing = binary.max_(end - build.vector(self.rows.model, [build.size_of(self.rows, 0)]), 0)
        kept = index.slice_(self.rows, [0], [0], end)
        return StackedList(_longer(kept, missing), self.element)

    def with_last(self, item: Value, translator: Translator) -> List:
        rows = shape.concat(self.rows, shape.unsqueeze(item, [0]), axis=0)
        return StackedList(rows, self.element)

    def settled(self, translator: Translator) -> StackedList | Reserved:
        return self


def _longer(rows: Value, missing: Value) -> Value:
    """With zeros at the end."""
    more = zeros(rows.model, missing, build.sizes_of(rows)[1:], rows.precision)
    return shape.concat(rows, more, axis=0)


@dataclass(frozen=True)
class Reserved(List):
    """A list that nothing was written to: neither its length need be known nor its elements."""

    size: Value
    precision: Precision
    element: Sizes | None
    is_unwritten = True

    @property
    def tensor(self) -> Value:
        return self.size

    def with_tensor(self, tensor: Value) -> List:
        return replace(self, size=tensor)

    def begun(self, element: Sequence[build.Size], translator: Translator) -> StackedList:
        """Zeros of that shape."""
        rows = zeros(translator.model, self.count(translator), element, self.precision)
        return StackedList(rows, self.element)

    def known(self, sizes: Sizes | None, translator: Translator) -> StackedList:
        """Zeros, where somebody knows their shape."""
        known = next((s for s in (sizes, self.element) if s is not None and are_known(s)), None)
        if known is None:
            raise NotConstant("a list that was never written, of elements of unknown shape")
        return self.begun(known, translator)

    def count(self, translator: Translator) -> build.Size:
        known = translator.constant_of(self.size)
        return self.size if known is None else length_of(int(known.reshape(-1)[0]))

    def item(self, position: Value, sizes: Sizes | None, translator: Translator) -> Value:
        return self.known(sizes, translator).item(position, sizes, translator)

    def with_item(
        self, position: Value, item: Value, *, grows: bool, translator: Translator
    ) -> List:
        whole = self.begun(build.sizes_of(item), translator)
        return whole.with_item(position, item, grows=grows, translator=translator)

    def stacked(self, sizes: Sizes | None, translator: Translator) -> Value:
        return self.known(sizes, translator).rows

    def resized(self, size: build.Size, translator: Translator) -> List:
        return reserve_list(
            build.vector(translator.model, [size]), self.precision, self.element, translator
        )

    def with_last(self, item: Value, translator: Translator) -> List:
        return self.begun(build.sizes_of(item), translator).with_last(item, translator)

    def settled(self, translator: Translator) -> StackedList | Reserved:
        return self.known(None, translator) if are_known(self.element) else self


def reserve_list(
    size: Value, precision: Precision, element: Sizes | None, translator: Translator
) -> List:
    """A list of elements that were never written."""
    known = translator.constant_of(size)
    if known is not None:
        return TensorList((None,) * length_of(int(known.reshape(-1)[0])), precision, element)
    whole = build.int64(size)
    whole = shape.reshape(whole, [1]) if whole.rank != 1 else whole
    return Reserved(whole, precision, element)


def counts_all(indices: Value, size: Dim) -> bool:
    """Whether positions surely are 0, 1, ... up to a size."""
    if indices.known is not None:
        return isinstance(size, int) and bool(np.array_equal(indices.known, np.arange(size)))
    made = indices.producer
    if made is None or made.operator is not generate.range_ or indices.shape != (size,):
        return False
    start, _, step = (None if v is None else ints(v) for v in made.inputs)
    return start == (0,) and step == (1,)


def pick_elements(
    given: List, indices: Value, sizes: Sizes | None, translator: Translator
) -> Value:
    """Elements along a new first axis."""
    rows = given.stacked(sizes, translator)
    if counts_all(indices, rows.shape[0]):
        return rows
    return index.gather(rows, indices, axis=0)


def scatter_rows(given: List, tensor: Value, indices: Value, translator: Translator) -> List:
    """The rows of a tensor at places of a list, which grows where it must."""
    known = translator.constant_of(indices)
    count = given.count(translator)
    unwritten = isinstance(given, Reserved) or (
        isinstance(given, TensorList) and all(v is None for v in given.items)
    )
    size = tensor.shape[0]
    if unwritten and counts_all(indices, size) and _is_count(count, size):
        return StackedList(tensor, given.element)
    if known is None or not isinstance(count, int):
        whole = given.settled(translator)
        if isinstance(whole, Reserved):
            whole = whole.begun(build.sizes_of(tensor)[1:], translator)
        some = shape.concat(build.int64(indices), tensor.model.constant([-1], np.int64), axis=0)
        last = reduce.reduce_max(some, [0], keepdim=True)
        now = build.vector(whole.rows.model, [build.size_of(whole.rows, 0)])
        missing = binary.max_(last + 1 - now, 0)
        places = shape.unsqueeze(build.int64(indices), [1])
        longer = _longer(whole.rows, missing)
        return StackedList(index.scatter_nd(longer, places, tensor), given.element)
    places_ = [int(k) for k in known.reshape(-1)]
    if size != len(places_):
        raise BadType(f"the rows of {tensor.type} at {len(places_)} places")
    longest = length_of(max(count, *(p + 1 for p in places_), 0))
    if min(places_, default=0) < 0:
        raise BadType(f"element {min(places_)} of a list")
    found: list[Value | None] = (
        list(given.items) if isinstance(given, TensorList) else [*given.items_of(None, translator)]
    )
    found += [None] * (longest - count)
    for row, place in enumerate(places_):
        found[place] = index.gather(tensor, tensor.model.constant(np.int64(row)), axis=0)
    return TensorList(tuple(found), given.precision, given.element)


def _is_count(count: build.Size, size: Dim) -> bool:
    """Whether a number of elements surely is a size."""
    return count == size if isinstance(count, int) else contents(count) == (size,)
