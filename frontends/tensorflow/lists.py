"""TensorFlow's lists of tensors, as loops over time use them.

A list is what a Python list of tensors is: it exists while converting, and its length is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import index, shape
from nnir.types import Precision

from ..table import Table
from ..translate import Translator

table = Table()
LONGEST = 100_000
Sizes = tuple[int, ...]


@dataclass(frozen=True)
class TensorList:
    """A list; None is an element that was never written, which reads as zeros."""

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
        known = next(
            (s for s in (sizes, self.element) if s is not None and min(s, default=0) >= 0), None
        )
        if other is not None and other.is_static:
            known = tuple(d for d in other.shape if isinstance(d, int))
        if known is None:
            raise NotConstant("an element of a list that was never written, of unknown shape")
        return translator.model.constant(np.zeros(known, self.precision.dtype))


def sizes_of(element_shape: Value, translator: Translator) -> Sizes | None:
    """A shape that is an operand: -1 for unknown sizes, None for an unknown rank."""
    known = translator.constant_of(element_shape)
    return None if known is None or known.ndim == 0 else tuple(int(k) for k in known)


def length_of(count: int) -> int:
    """A number of elements that a list may have."""
    if not 0 <= count <= LONGEST:
        raise Unsupported(f"a list of {count} tensors")
    return count


@table.convert("TensorListReserve")
def reserve(
    element_shape: Value, num_elements: int, *, element_dtype: Precision, translator: Translator
) -> TensorList:
    sizes = sizes_of(element_shape, translator)
    return TensorList((None,) * length_of(num_elements), element_dtype, sizes)


@table.convert("EmptyTensorList")
def empty(
    element_shape: Value, max_num_elements: int, *, element_dtype: Precision, translator: Translator
) -> TensorList:
    return TensorList((), element_dtype, sizes_of(element_shape, translator))


@table.convert("TensorListFromTensor")
def from_tensor(tensor: Value, element_shape: Value, *, translator: Translator) -> TensorList:
    count = tensor.shape[0]
    if isinstance(count, Expr):
        raise NotConstant(f"a list of the rows of {tensor.type}: give the model a fixed length")
    length_of(count)
    made = shape.unstack(tensor, axis=0, num=count) if count else ()
    items = tuple(made) if isinstance(made, (list, tuple)) else (made,)
    return TensorList(items, tensor.precision, sizes_of(element_shape, translator))


@table.convert("TensorListGetItem")
def get_item(
    input_handle: TensorList,
    index: Value,
    element_shape: Value,
    *,
    element_dtype: Precision,
    translator: Translator,
) -> Value:
    position = translator.constant_of(index)
    sizes = sizes_of(element_shape, translator)
    if position is not None:
        return input_handle.at(int(position), sizes, translator)
    return _chosen(stacked(input_handle, sizes, translator), index)


def _chosen(rows: Value, position: Value) -> Value:
    result: Value = index.gather(rows, position, axis=0)
    return result


@table.convert("TensorListSetItem")
def set_item(
    input_handle: TensorList,
    index: int,
    item: Value,
    *,
    resize_if_index_out_of_bounds: bool = False,
) -> TensorList:
    items = list(input_handle.items)
    if resize_if_index_out_of_bounds and index >= len(items):
        items += [None] * (length_of(index + 1) - len(items))
    if not 0 <= index < len(items):
        raise BadType(f"element {index} of a list of {len(items)}")
    items[index] = item
    return replace(input_handle, items=tuple(items))


def stacked(given: TensorList, sizes: Sizes | None, translator: Translator) -> Value:
    """The elements along a new first axis."""
    if not given.items:
        known = sizes if sizes is not None else given.element
        if known is None or min(known, default=0) < 0:
            raise NotConstant("a stack of no tensors of unknown shape")
        return translator.model.constant(np.zeros((0, *known), given.precision.dtype))
    values = [given.at(k, sizes, translator) for k in range(len(given.items))]
    return shape.stack(*values, axis=0)


@table.convert("TensorListStack")
def stack(
    input_handle: TensorList,
    element_shape: Value,
    *,
    element_dtype: Precision,
    num_elements: int = -1,
    translator: Translator,
) -> Value:
    if num_elements not in (-1, len(input_handle.items)):
        raise BadType(f"{num_elements} elements of a list of {len(input_handle.items)}")
    return stacked(input_handle, sizes_of(element_shape, translator), translator)


@table.convert("TensorListPushBack")
def push_back(input_handle: TensorList, tensor: Value) -> TensorList:
    length_of(len(input_handle.items) + 1)
    return replace(input_handle, items=(*input_handle.items, tensor))


@table.convert("TensorListPopBack")
def pop_back(
    input_handle: TensorList,
    element_shape: Value,
    *,
    element_dtype: Precision,
    translator: Translator,
) -> tuple[TensorList, Value]:
    sizes = sizes_of(element_shape, translator)
    last = input_handle.at(len(input_handle.items) - 1, sizes, translator)
    return replace(input_handle, items=input_handle.items[:-1]), last


@table.convert("TensorListLength")
def length(input_handle: TensorList, *, translator: Translator) -> Value:
    return translator.model.constant(np.int32(len(input_handle.items)))


@table.convert("TensorListResize")
def resize(input_handle: TensorList, size: int) -> TensorList:
    kept: Sequence[Value | None] = input_handle.items[:size]
    return replace(input_handle, items=(*kept, *[None] * (length_of(size) - len(kept))))


@table.convert("TensorListGather")
def gather(
    input_handle: TensorList,
    indices: Value,
    element_shape: Value,
    *,
    element_dtype: Precision,
    translator: Translator,
) -> Value:
    rows = stacked(input_handle, sizes_of(element_shape, translator), translator)
    return _chosen(rows, indices)


@table.convert("TensorListConcatV2")
def concat(
    input_handle: TensorList,
    element_shape: Value,
    leading_dims: Value,
    *,
    element_dtype: Precision,
    translator: Translator,
) -> tuple[Value, Value]:
    sizes = sizes_of(element_shape, translator)
    values = [input_handle.at(k, sizes, translator) for k in range(len(input_handle.items))]
    if not values:
        raise NotConstant("the join of no tensors of unknown shape")
    rows = [v.shape[0] for v in values]
    if any(isinstance(r, Expr) for r in rows):
        raise NotConstant("the join of a list whose elements have unknown lengths")
    lengths = translator.model.constant(np.array(rows, np.int64))
    return (shape.concat(*values, axis=0) if len(values) > 1 else values[0]), lengths


Places = tuple[int, ...]


def scattered(given: TensorList, tensor: Value, places: Places) -> TensorList:
    """The rows of a tensor at places of a list, which grows where it must."""
    if tensor.shape[0] != len(places):
        raise BadType(f"the rows of {tensor.type} at {len(places)} places")
    size = length_of(max(len(given.items), *(p + 1 for p in places), 0))
    if min(places, default=0) < 0:
        raise BadType(f"element {min(places)} of a list")
    items = [*given.items, *[None] * (size - len(given.items))]
    for row, place in enumerate(places):
        items[place] = _chosen(tensor, tensor.model.constant(np.int64(row)))
    return replace(given, items=tuple(items))


@table.convert("TensorListScatterV2")
def scatter(
    tensor: Value,
    indices: Places,
    element_shape: Value,
    num_elements: int,
    *,
    translator: Translator,
) -> TensorList:
    sizes = sizes_of(element_shape, translator)
    nothing = (None,) * (0 if num_elements == -1 else length_of(num_elements))
    return scattered(TensorList(nothing, tensor.precision, sizes), tensor, indices)


@table.convert("TensorListScatterIntoExistingList")
def scatter_into(input_handle: TensorList, tensor: Value, indices: Places) -> TensorList:
    return scattered(input_handle, tensor, indices)


@table.convert("TensorListSplit")
def split(
    tensor: Value, element_shape: Value, lengths: Places, *, translator: Translator
) -> TensorList:
    if tensor.shape[0] != sum(lengths) or min(lengths, default=0) < 0:
        raise BadType(f"{tensor.type} in parts of {str(list(lengths))[:60]}")
    length_of(len(lengths))
    made = shape.split(tensor, list(lengths), axis=0) if len(lengths) > 1 else (tensor,)
    items = tuple(made) if lengths else ()
    return TensorList(items, tensor.precision, sizes_of(element_shape, translator))


@table.convert("TensorListConcatLists")
def concat_lists(
    input_a: TensorList, input_b: TensorList, *, element_dtype: Precision
) -> TensorList:
    length_of(len(input_a.items) + len(input_b.items))
    return replace(input_a, items=(*input_a.items, *input_b.items))
