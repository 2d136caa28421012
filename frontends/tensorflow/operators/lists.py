"""TensorFlow's lists of tensors, as loops over time use them; `tensor_list` says what they are."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Value
from nnir.ops import generate, shape, unary
from nnir.types import Precision

from ...table import Table
from ...translate import Translator
from .tensor_list import (
    List,
    Places,
    Sizes,
    StackedList,
    TensorList,
    length_of,
    pick_elements,
    reserve_list,
    scatter_rows,
)

table = Table()


def sizes_of(element_shape: Value, translator: Translator) -> Sizes | None:
    """A shape that is an operand: -1 for unknown sizes, None for an unknown rank."""
    known = translator.constant_of(element_shape)
    return None if known is None or known.ndim == 0 else tuple(int(k) for k in known)


def count_of(size: build.Size, translator: Translator) -> Value:
    """A number of elements as TensorFlow has it, an int32 without axes."""
    if isinstance(size, int):
        return translator.model.constant(np.int32(size))
    return unary.cast(shape.reshape(size, []), dtype=Precision.INT32)


def given_size(size: Value, translator: Translator) -> build.Size:
    """A number of elements, known or not."""
    known = translator.constant_of(size)
    if known is not None:
        return length_of(int(known.reshape(-1)[0]))
    return shape.reshape(build.int64(size), [1])


@table.convert("TensorListReserve")
def reserve(
    element_shape: Value,
    num_elements: Value,
    *,
    element_dtype: Precision,
    translator: Translator,
) -> List:
    return reserve_list(
        num_elements, element_dtype, sizes_of(element_shape, translator), translator
    )


@table.convert("EmptyTensorList")
def empty(
    element_shape: Value,
    max_num_elements: Value,
    *,
    element_dtype: Precision,
    translator: Translator,
) -> List:
    return TensorList((), element_dtype, sizes_of(element_shape, translator))


@table.convert("TensorListFromTensor")
def from_tensor(tensor: Value, element_shape: Value, *, translator: Translator) -> List:
    size = tensor.shape[0]
    if not isinstance(size, Expr):
        length_of(size)
    return StackedList(tensor, sizes_of(element_shape, translator))


@table.convert("TensorListGetItem")
def get_item(
    input_handle: List,
    index: Value,
    element_shape: Value,
    *,
    element_dtype: Precision,
    translator: Translator,
) -> Value:
    return input_handle.item(index, sizes_of(element_shape, translator), translator)


@table.convert("TensorListSetItem")
def set_item(
    input_handle: List,
    index: Value,
    item: Value,
    *,
    resize_if_index_out_of_bounds: bool = False,
    translator: Translator,
) -> List:
    grows = resize_if_index_out_of_bounds
    return input_handle.with_item(index, item, grows=grows, translator=translator)


@table.convert("TensorListStack")
def stack(
    input_handle: List,
    element_shape: Value,
    *,
    element_dtype: Precision,
    num_elements: int = -1,
    translator: Translator,
) -> Value:
    count = input_handle.count(translator)
    if isinstance(count, int) and num_elements not in (-1, count):
        raise BadType(f"{num_elements} elements of a list of {count}")
    return input_handle.stacked(sizes_of(element_shape, translator), translator)


@table.convert("TensorListPushBack")
def push_back(input_handle: List, tensor: Value, *, translator: Translator) -> List:
    return input_handle.with_last(tensor, translator)


@table.convert("TensorListPopBack")
def pop_back(
    input_handle: List,
    element_shape: Value,
    *,
    element_dtype: Precision,
    translator: Translator,
) -> tuple[List, Value]:
    return input_handle.without_last(sizes_of(element_shape, translator), translator)


@table.convert("TensorListLength")
def length(input_handle: List, *, translator: Translator) -> Value:
    return count_of(input_handle.count(translator), translator)


@table.convert("TensorListResize")
def resize(input_handle: List, size: Value, *, translator: Translator) -> List:
    return input_handle.resized(given_size(size, translator), translator)


@table.convert("TensorListGather")
def gather(
    input_handle: List,
    indices: Value,
    element_shape: Value,
    *,
    element_dtype: Precision,
    translator: Translator,
) -> Value:
    return pick_elements(input_handle, indices, sizes_of(element_shape, translator), translator)


@table.convert("TensorListConcatV2")
def concat(
    input_handle: List,
    element_shape: Value,
    leading_dims: Value,
    *,
    element_dtype: Precision,
    translator: Translator,
) -> tuple[Value, Value]:
    return join_elements(input_handle, sizes_of(element_shape, translator), translator)


def join_elements(given: List, sizes: Sizes | None, translator: Translator) -> tuple[Value, Value]:
    """The elements along their first axis, and how long each one is."""
    if not isinstance(given.count(translator), int):
        rows = given.stacked(sizes, translator)
        if rows.rank < 2 or isinstance(rows.shape[1], Expr):
            raise NotConstant(f"the join of a list of unknown length, of elements of {rows.type}")
        sizes_ = build.sizes_of(rows)
        whole = build.reshape(rows, [build.times(*sizes_[:2]), *sizes_[2:]])
        each = translator.model.constant(np.int64(rows.shape[1]))
        return whole, generate.fill(build.vector(rows.model, sizes_[:1]), each)
    values = given.items_of(sizes, translator)
    if not values:
        raise NotConstant("the join of no tensors of unknown shape")
    lengths = [v.shape[0] for v in values]
    if any(isinstance(r, Expr) for r in lengths):
        raise NotConstant("the join of a list whose elements have unknown lengths")
    found = translator.model.constant(np.array(lengths, np.int64))
    return (shape.concat(*values, axis=0) if len(values) > 1 else values[0]), found


@table.convert("TensorListScatterV2")
def scatter(
    tensor: Value,
    indices: Value,
    element_shape: Value,
    num_elements: int,
    *,
    translator: Translator,
) -> List:
    sizes = sizes_of(element_shape, translator)
    nothing = (None,) * (0 if num_elements == -1 else length_of(num_elements))
    return scatter_rows(TensorList(nothing, tensor.precision, sizes), tensor, indices, translator)


@table.convert("TensorListScatterIntoExistingList")
def scatter_into(
    input_handle: List, tensor: Value, indices: Value, *, translator: Translator
) -> List:
    return scatter_rows(input_handle, tensor, indices, translator)


@table.convert("TensorListSplit")
def split(tensor: Value, element_shape: Value, lengths: Places, *, translator: Translator) -> List:
    return split_lengths(tensor, lengths, sizes_of(element_shape, translator))


def split_lengths(tensor: Value, lengths: Places, sizes: Sizes | None) -> List:
    """Parts of a tensor along its first axis; their lengths are known."""
    known = not isinstance(tensor.shape[0], Expr)
    if (known and tensor.shape[0] != sum(lengths)) or min(lengths, default=0) < 0:
        raise BadType(f"{tensor.type} in parts of {str(list(lengths))[:60]}")
    length_of(len(lengths))
    made = shape.split(tensor, list(lengths), axis=0) if len(lengths) > 1 else (tensor,)
    return TensorList(tuple(made) if lengths else (), tensor.precision, sizes)


@table.convert("TensorListConcatLists")
def concat_lists(
    input_a: List, input_b: List, *, element_dtype: Precision, translator: Translator
) -> List:
    both = [g.taken_apart() if isinstance(g, StackedList) else g for g in (input_a, input_b)]
    lists = [g for g in both if isinstance(g, TensorList)]
    if len(lists) == 2:
        items = (*lists[0].items, *lists[1].items)
        length_of(len(items))
        return TensorList(items, element_dtype, input_a.element)
    rows = [g.stacked(None, translator) for g in (input_a, input_b)]
    return StackedList(shape.concat(*rows, axis=0), input_a.element)
