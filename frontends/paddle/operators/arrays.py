"""Arrays of tensors, which programs of Paddle write to in loops.

An array never changes here: writing gives a new one, which takes the place of the old (see
`inplace`). It is a list of tensors while it is known which, else one tensor whose first axis
counts its elements; these then have one shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, contents
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Model, Value
from nnir.ops import binary, generate, shape
from nnir.ops import index as ops
from nnir.records import dataclass
from nnir.types import Precision, TensorType

from ...table import Ints, Pair, Table
from ...translate import Translator

table = Table()
LONGEST = 10_000


@dataclass(frozen=True, eq=False)
class Array:
    """Elements one by one, or as `rows` [count, ...]."""

    items: tuple[Value, ...] = ()
    rows: Value | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing says how elements look."""
        return self.rows is None and not self.items

    def stacked(self) -> Array:
        """The same as one tensor; itself where nothing says how elements look."""
        if self.rows is not None or not self.items:
            return self
        return Array(rows=shape.stack(*self.items, axis=0))

    def tensors(self) -> tuple[Value, ...]:
        """The tensors that it consists of."""
        return self.items if self.rows is None else (self.rows,)

    def of(self, tensors: tuple[Value, ...]) -> Array:
        """An array of the same kind that consists of others."""
        return Array(tensors) if self.rows is None else Array(rows=tensors[0])

    def length(self, model: Model) -> Value:
        """The number of elements, int64 [1]."""
        if self.rows is None:
            return model.constant([len(self.items)], "int64")
        return build.vector(model, [build.size_of(self.rows, 0)])

    def at(self, place: Value, translator: Translator) -> Value:
        """One element."""
        known = translator.constant_of(place)
        if self.rows is None and known is not None and self.items:
            number = int(known.reshape(-1)[0])
            if not -len(self.items) <= number < len(self.items):
                raise BadType(f"element {number} of an array of {len(self.items)}")
            return self.items[number]
        rows = self.stacked().rows
        if rows is None:
            raise BadType("an element of an array that nothing was written to")
        return ops.gather(rows, shape.reshape(place, []), axis=0)

    def written(self, x: Value, place: Value, translator: Translator) -> Array:
        """`x` as one element, which may be the one behind the last."""
        known = translator.constant_of(place)
        if self.rows is None and known is not None:
            number = int(known.reshape(-1)[0])
            if not 0 <= number <= min(len(self.items), LONGEST):
                raise Unsupported(f"writing element {number} of an array of {len(self.items)}")
            return Array((*self.items[:number], x, *self.items[number + 1 :]))
        rows = self.stacked().rows
        if rows is None:  # such an array begins at its first element
            return Array((x,))
        one = shape.unsqueeze(x, [0])
        if contents(place) == rows.shape[:1]:
            return Array(rows=shape.concat(rows, one, axis=0))
        at = shape.reshape(place, [1]).cast(Precision.INT64)
        front = ops.slice_(rows, [0], [0], at)
        behind = ops.slice_(rows, [0], build.plus(at, 1), [np.iinfo(np.int64).max])
        return Array(rows=shape.concat(front, one, behind, axis=0))


@dataclass(frozen=True)
class Undefined:
    """A variable that nothing was assigned to yet, and what it becomes."""

    type: TensorType

    def begun(self, model: Model) -> Value:
        """Zeros of the right rank, which nobody reads; what is not known of a size is 1."""
        sizes_ = [1 if isinstance(d, Expr) else d for d in self.type.shape]
        return model.constant(np.zeros(sizes_, self.type.precision.dtype))


def array_of(value: Any, op: str) -> Array:
    """An operand that must be an array."""
    if not isinstance(value, Array):
        raise BadType(f"{op} of what is no array")
    return value


@table.convert("create_array")
def create_array(dtype: Precision | None) -> Array:
    """Whatever is written to it says what its elements are."""
    return Array()


@table.convert("create_array_like")
def create_array_like(input: Any, val: float) -> Array:
    """As many elements of the same shapes, all of one number."""
    like = array_of(input, "create_array_like")
    return like.of(
        tuple(generate.fill_like(v, v.model.constant(val, v.dtype)) for v in like.tensors())
    )


@table.convert("assign_array", "assign_array_")
def assign_array(x: Any) -> Array:
    return array_of(x, "assign_array")


@table.convert("array_length", "lod_array_length")
def array_length(x: Any, *, translator: Translator) -> Value:
    return array_of(x, "array_length").length(translator.model)


@table.convert("array_read")
def array_read(array: Any, i: Value, *, translator: Translator) -> Value:
    return array_of(array, "array_read").at(i, translator)


@table.convert("array_write_")
def array_write(array: Any, x: Value, i: Value, *, translator: Translator) -> Array:
    return array_of(array, "array_write_").written(x, i, translator)


@table.convert("array_pop")
def array_pop(input: Any, index: int) -> tuple[Array, Value]:
    """The array without an element, and that element."""
    array = array_of(input, "array_pop")
    if array.rows is not None or not -len(array.items) <= index < len(array.items):
        raise Unsupported(f"array_pop of element {index} of an array of unknown elements")
    items = list(array.items)
    taken = items.pop(index)
    return Array(tuple(items)), taken


@table.convert("slice_array")
def slice_array(input: Any, starts: Ints, ends: Ints) -> Array:
    array = array_of(input, "slice_array")
    (first,), (last,) = starts, ends
    if array.rows is None:
        return Array(array.items[first:last])
    return Array(rows=ops.slice_(array.rows, [0], [first], [last]))


@table.convert("slice_array_dense")
def slice_array_dense(input: Any, starts: Value, *, translator: Translator) -> Value:
    return array_of(input, "slice_array_dense").at(starts, translator)


@table.convert("array_to_tensor")
def array_to_tensor(x: Any, axis: int, use_stack: bool, *, translator: Translator) -> Pair:
    """All elements side by side or on an axis of their own, and the size of each on the axis."""
    array = array_of(x, "array_to_tensor")
    if array.is_empty:
        raise BadType("array_to_tensor of an array that nothing was written to")
    if array.rows is None:
        return of_items(array.items, axis, use_stack)
    rows = array.rows
    count = build.vector(rows.model, [build.size_of(rows, 0)])
    place = axis_of(axis, rows.rank - 1, extra=int(use_stack))
    perm = (*range(1, place + 1), 0, *range(place + 1, rows.rank))
    moved = shape.transpose(rows, perm=perm) if place else rows
    each: Any = 1
    if not use_stack:
        each = rows.shape[place + 1]
        moved = shape.flatten(moved, start_axis=place, end_axis=place + 1)
    if isinstance(each, Expr):
        raise NotConstant(f"array_to_tensor of {rows.type} on axis {axis}")
    length = rows.model.constant(np.array([each], np.int32))
    return moved, shape.expand(length, count)


def of_items(items: tuple[Value, ...], axis: int, use_stack: bool) -> Pair:
    """The same for elements that are known one by one."""
    model, place = items[0].model, axis_of(axis, items[0].rank, extra=int(use_stack))
    if use_stack:
        ones = model.constant(np.ones(len(items), np.int32))
        return shape.stack(*items, axis=place), ones
    lengths = build.vector(model, [build.size_of(v, place) for v in items])
    whole = shape.concat(*items, axis=place) if len(items) > 1 else items[0]
    return whole, lengths.cast(Precision.INT32)


@table.convert("add_n_array")
def add_n_array(inputs: Any) -> Array:
    """Element by element the sum of arrays of one length."""
    arrays = [array_of(a, "add_n_array") for a in inputs]
    counts = {len(a.items) for a in arrays}
    if len(counts) != 1 or any(a.rows is not None for a in arrays):
        raise Unsupported("add_n_array of arrays of unknown lengths")
    return Array(tuple(binary.sum_(*c) for c in zip(*(a.items for a in arrays), strict=True)))
