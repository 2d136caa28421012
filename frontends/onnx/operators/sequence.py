"""ONNX sequences and optionals: no operator of the standard is left of them.

A sequence whose length and positions are known is the tuple of its members; any other is several
tensors, see `frontends.onnx.lists`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.lists import ListType
from nnir.model import Value
from nnir.ops import binary, generate, index, reduce, shape, unary
from nnir.recipes.shape import permute
from nnir.types import Precision, TensorType

from ...loop_state import inline
from ...source import SourceGraph
from ...table import Items, Table
from ...translate import Translator
from .. import lists
from ..lists import Maybe, NoItems, Ragged
from ..loops import fold

table = Table()
List = Items | Ragged


@table.convert("SequenceConstruct")
def sequence_construct(*inputs: Value) -> Items:
    return Items(inputs)


@table.convert("SequenceEmpty")
def sequence_empty(*, dtype: Precision = Precision.FLOAT32) -> Items:
    return NoItems.of(dtype)


@table.convert("SequenceInsert")
def sequence_insert(
    input_sequence: List, tensor: Value, position: Value | None = None, *, translator: Translator
) -> List:
    place = None if position is None else _constant(translator, position)
    if isinstance(input_sequence, Ragged) or (position is not None and place is None):
        return _as_ragged(translator, input_sequence).insert(tensor, position)
    length = len(input_sequence)
    place = length if place is None else place
    if not -length <= place <= length:
        raise BadType(f"position {place} in a sequence of {length}")
    place += length if place < 0 else 0
    return Items((*input_sequence[:place], tensor, *input_sequence[place:]))


@table.convert("SequenceErase")
def sequence_erase(
    input_sequence: List, position: Value | None = None, *, translator: Translator
) -> List:
    last = translator.model.constant(np.int64(-1)) if position is None else position
    place = _constant(translator, last)
    if isinstance(input_sequence, Ragged) or place is None:
        return _as_ragged(translator, input_sequence).erase(last)
    place = _position(input_sequence, place)
    return Items((*input_sequence[:place], *input_sequence[place + 1 :]))


@table.convert("SequenceAt")
def sequence_at(input_sequence: List, position: Value, *, translator: Translator) -> Value:
    place = _constant(translator, position)
    if isinstance(input_sequence, Ragged) or place is None:
        return _as_ragged(translator, input_sequence).at(position)
    return input_sequence[_position(input_sequence, place)]


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
    size = input.shape[axis]
    known = None if split is None else translator.constant_of(split)
    if known is not None and known.ndim:
        sizes = [int(n) for n in known]
    elif (split is not None and known is None) or isinstance(size, Expr):
        lengths = _lengths(input, split, axis)
        pieces = _split_open(translator, input, lengths, axis)
        return pieces if split is not None or keepdims else _without_axis(pieces, axis)
    else:
        step = 1 if known is None else int(known)
        if step < 1:
            raise BadType(f"SplitToSequence in pieces of {step}")
        translator.spend(size // step)
        sizes = [min(step, size - start) for start in range(0, size, step)]
    parts = shape.split(input, sizes, axis=axis)
    squeezed = split is None and not keepdims
    return Items(shape.squeeze(p, [axis]) if squeezed else p for p in parts)


def _lengths(input: Value, split: Value | None, axis: int) -> Value:
    """The sizes of pieces along an axis, int64 [pieces]: a number says all but the last one's."""
    if split is not None and split.rank:
        return build.int64(split)
    model, size = (
        input.model,
        shape.reshape(build.vector(input.model, [build.size_of(input, axis)]), []),
    )
    step = model.constant(np.int64(1)) if split is None else build.int64(shape.reshape(split, []))
    starts = generate.range_(model.constant(np.int64(0)), size, step)
    return binary.min_(size - starts, step)


def _split_open(translator: Translator, input: Value, lengths: Value, axis: int) -> Ragged:
    """Pieces of an axis, whose number or sizes are only known while running."""
    if axis == 0:
        return _split_rows(input, lengths)
    ends = reduce.cum_sum(lengths, 0)
    sizes = build.sizes_of(input)  # those of the pieces that do not add up are an error
    sizes[axis] = reduce.reduce_sum(lengths, [0], keepdim=True)
    input = build.reshape(input, sizes)

    def step(position: Value, pieces: Ragged, input: Value, lengths: Value, ends: Value) -> Ragged:
        at = shape.reshape(position, [1])
        end, length = (index.gather(v, at) for v in (ends, lengths))
        return pieces.insert(index.slice_(input, [axis], end - length, end), None)

    none = lists.empty(input.model, input.precision)
    count = shape.reshape(build.shape_of(lengths), [])
    return fold(translator, count, none, step, [input, lengths, ends])


def _split_rows(input: Value, lengths: Value) -> Ragged:
    """Pieces of the first axis: the elements stay as they lie. Sizes that do not add up to that of
    the axis are an error while running."""
    model, rest = input.model, build.sizes_of(input)[1:]
    count = build.shape_of(lengths)
    column = build.reshape(lengths, [count, 1])
    width = build.product(rest)
    sizes = [column]
    if rest:
        row = build.reshape(build.vector(model, rest), [1, len(rest)])
        sizes.append(shape.expand(row, build.vector(model, [count, len(rest)])))
    dims = build.flatten(shape.concat(*sizes, axis=1) if rest else column)
    counts = lengths * (width if isinstance(width, int) else shape.reshape(width, [1]))
    total = reduce.reduce_sum(lengths, [0], keepdim=True)
    values = build.flatten(build.reshape(input, [total, *rest]))
    ranks = shape.expand(model.constant([input.rank], "int64"), count)
    element = (None, *(d if isinstance(d, int) else None for d in input.shape[1:]))
    return Ragged((values, counts, dims, ranks), element)


def _without_axis(pieces: Ragged, axis: int) -> Ragged:
    """Members of size 1 along an axis, without it."""
    rank = pieces.rank
    rows = build.reshape(pieces.dims, [build.shape_of(pieces.ranks), rank])
    kept = [k for k in range(rank) if k != axis]
    element = pieces.element or ()
    dims = build.flatten(index.gather(rows, kept, axis=1))
    parts = pieces.values, pieces.counts, dims, pieces.ranks - 1
    return Ragged(parts, tuple(element[k] for k in kept))


@table.convert("ConcatFromSequence")
def concat_from_sequence(
    input_sequence: List, *, axis: int, new_axis: int = 0, translator: Translator
) -> Value:
    if isinstance(input_sequence, Ragged):
        if new_axis:
            return input_sequence.stack(axis)
        place = axis_of(axis, input_sequence.rank)
        return _concat_open(translator, input_sequence, place)
    if not input_sequence:
        raise Unsupported("ConcatFromSequence of an empty sequence")
    join = shape.stack if new_axis else shape.concat
    return join(*input_sequence, axis=axis)


def _concat_open(translator: Translator, pieces: Ragged, axis: int) -> Value:
    """Members along an axis: those of the first axis lie as they are, others are turned first."""
    if axis == 0:
        return pieces.concat_rows()
    order = [axis, *(k for k in range(pieces.rank) if k != axis)]

    def step(position: Value, turned: Ragged, *tensors: Value) -> Ragged:
        return turned.insert(permute(pieces.of(tensors).at(position), order), None)

    none = lists.empty(pieces.values.model, pieces.values.precision)
    turned = fold(translator, pieces.length, none, step, pieces.tensors)
    return permute(turned.concat_rows(), [order.index(k) for k in range(pieces.rank)])


@table.convert("SequenceMap", since=17)
def sequence_map(
    input_sequence: List,
    *additional_inputs: Value | Items | Ragged,
    body: SourceGraph,
    translator: Translator,
) -> Any:
    given = [input_sequence, *additional_inputs]
    if isinstance(input_sequence, Ragged) or any(isinstance(v, Ragged) for v in given):
        return _map_open(translator, given, body)
    translator.spend(len(input_sequence))
    rows = []
    for position, item in enumerate(input_sequence):
        others = (a[position] if isinstance(a, Items) else a for a in additional_inputs)
        rows.append(inline(translator, body, [item, *others]))
    return tuple(map(Items, zip(*rows, strict=True) if rows else [()] * len(body.outputs)))


def _map_open(translator: Translator, given: list[Any], body: SourceGraph) -> Any:
    """A loop over the members of sequences, of which at least one has an open length."""
    model = translator.model
    given = [lists.as_compound(model, v) for v in given]
    types = [o.type or o.list_type for o in body.outputs]
    if any(t is None for t in types):
        raise Unsupported("SequenceMap whose body does not say what it gives")
    none = [lists.empty(model, t.precision) for t in types if t is not None]

    def step(position: Value, *state: Any) -> list[Any]:
        results, inputs = state[: len(none)], state[len(none) :]
        members = [v.at(position) if isinstance(v, Ragged) else v for v in inputs]
        made = inline(translator, body, members)
        return [r.insert(v, None) for r, v in zip(results, made, strict=True)]

    found = fold(translator, given[0].length, none, step, given, [body])
    return tuple(found)


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
    return lists.absent(translator.model, type)


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


def _as_ragged(translator: Translator, sequence: List) -> Ragged:
    """A sequence as tensors."""
    return lists.as_compound(translator.model, sequence)


def _constant(translator: Translator, position: Value) -> int | None:
    """A position that is known."""
    known = translator.constant_of(position)
    if known is None:
        return None
    if known.size != 1:
        raise BadType(f"a position of {known.size} elements in a sequence")
    return int(known.reshape(-1)[0])


def _position(items: Items, position: int) -> int:
    try:
        return axis_of(position, len(items))
    except BadType:
        raise BadType(f"position {position} in a sequence of {len(items)}") from None
