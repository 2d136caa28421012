"""ONNX sequences and optionals: no operator of the standard is left of them.

A sequence whose length and positions are known is the tuple of its members; any other is several
tensors, see `frontends.onnx.lists`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.broadcast import axis_of
from nnir.errors import BadType, Unsupported
from nnir.lists import ListType
from nnir.model import Value
from nnir.ops import shape, unary
from nnir.types import Precision, TensorType

from ...loop_state import inline
from ...source import SourceGraph
from ...table import Items, Table
from ...translate import Translator
from ..lists import Maybe, NoItems, Ragged, absent, as_compound
from ..pieces import concat_open, drop_axis, map_open, piece_sizes, split_open

table = Table()
List = Items | Ragged


@table.convert("SequenceConstruct")
def sequence_construct(*inputs: Value) -> Items:
    return Items(inputs)


@table.convert("SequenceEmpty")
def sequence_empty(*, dtype: Precision = Precision.FLOAT32) -> Items:
    return NoItems.of(dtype)


def _find(
    translator: Translator, sequence: List, position: Value, more: int = 0
) -> tuple[Any, Any]:
    """A sequence of known length and the place of a known position in it; where either is open, the
    sequence as tensors and the position itself."""
    known = translator.constant_of(position)
    if isinstance(sequence, Ragged) or known is None:
        return as_compound(translator.model, sequence), position
    length = len(sequence)
    if known.size != 1 or not -length <= (place := int(known.item())) < length + more:
        raise BadType(f"position {known} in a sequence of {length}")
    return sequence, place + length if place < 0 else place


@table.convert("SequenceInsert")
def sequence_insert(
    input_sequence: List, tensor: Value, position: Value | None = None, *, translator: Translator
) -> List:
    items: Any = input_sequence
    place: Any = None if isinstance(items, Ragged) else len(items)
    if position is not None:
        items, place = _find(translator, input_sequence, position, 1)
    if isinstance(items, Ragged):
        return items.insert(tensor, place)
    return Items((*items[:place], tensor, *items[place:]))


@table.convert("SequenceErase")
def sequence_erase(
    input_sequence: List, position: Value | None = None, *, translator: Translator
) -> List:
    last = translator.model.constant(np.int64(-1)) if position is None else position
    items, place = _find(translator, input_sequence, last)
    if isinstance(items, Ragged):
        return items.erase(place)
    return Items((*items[:place], *items[place + 1 :]))


@table.convert("SequenceAt")
def sequence_at(input_sequence: List, position: Value, *, translator: Translator) -> Value:
    items, place = _find(translator, input_sequence, position)
    return items.at(place) if isinstance(items, Ragged) else items[place]


@table.convert("SequenceLength")
def sequence_length(input_sequence: List, *, translator: Translator) -> Value:
    if isinstance(input_sequence, Ragged):
        return input_sequence.length
    return translator.model.constant(np.int64(len(input_sequence)))


@table.convert("SplitToSequence")
def split_to_sequence(
    input: Value,
    split: Value | None = None,
    *,
    axis: int = 0,
    keepdims: int = 1,
    translator: Translator,
) -> List:
    axis = axis_of(axis, input.rank)
    squeezed = split is None and not keepdims
    sizes = piece_sizes(translator, input, split, axis)
    if isinstance(sizes, Value):
        pieces = split_open(translator, input, sizes, axis)
        return drop_axis(pieces, axis) if squeezed else pieces
    parts = shape.split(input, sizes, axis=axis)
    return Items(shape.squeeze(p, [axis]) if squeezed else p for p in parts)


@table.convert("ConcatFromSequence")
def concat_from_sequence(
    input_sequence: List, *, axis: int, new_axis: int = 0, translator: Translator
) -> Value:
    if isinstance(input_sequence, Ragged):
        if new_axis:
            return input_sequence.stack(axis)
        place = axis_of(axis, input_sequence.rank)
        return concat_open(translator, input_sequence, place)
    if not input_sequence:
        raise Unsupported("ConcatFromSequence of an empty sequence")
    join = shape.stack if new_axis else shape.concat
    return join(*input_sequence, axis=axis)


@table.convert("SequenceMap", since=17)
def sequence_map(
    input_sequence: List,
    *additional_inputs: Value | Items | Ragged,
    body: SourceGraph,
    translator: Translator,
) -> Any:
    given = [input_sequence, *additional_inputs]
    if isinstance(input_sequence, Ragged) or any(isinstance(v, Ragged) for v in given):
        return map_open(translator, given, body)
    translator.spend(len(input_sequence))
    rows = []
    for position, item in enumerate(input_sequence):
        others = (a[position] if isinstance(a, Items) else a for a in additional_inputs)
        rows.append(inline(translator, body, [item, *others]))
    return tuple(map(Items, zip(*rows, strict=True) if rows else [()] * len(body.outputs)))


@table.convert("Optional")
def optional(
    input: Value | Items | Maybe | None = None,
    *,
    type: TensorType | ListType | str | None = None,
    translator: Translator,
) -> Any:
    if input is not None:
        return identity(input)
    if isinstance(type, TensorType):
        element = tuple(d if isinstance(d, int) else None for d in type.shape)
        type = ListType(type.precision, element, is_list=False)
    if not isinstance(type, ListType):
        raise Unsupported(f"Optional without a value, of {type or 'no type'}")
    return absent(translator.model, type)


@table.convert("OptionalHasElement")
def optional_has_element(
    input: Value | Items | Maybe | None = None, *, translator: Translator
) -> Value:
    if isinstance(input, Maybe):
        return unary.assign(input.given)
    return translator.model.constant(np.bool_(input is not None))


@table.convert("OptionalGetElement")
def optional_get_element(input: Value | Items | Maybe) -> Any:
    return input.element if isinstance(input, Maybe) else identity(input)


@table.convert("Identity")
def identity(input: Value | Items | Maybe) -> Any:
    return unary.assign(input) if isinstance(input, Value) else input
