"""ONNX sequences and optionals, resolved while converting: no operator is left of them.

A sequence is the tuple of its tensors, so its length and every position must be known.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Value
from nnir.ops import shape, unary
from nnir.types import TensorType

from ...loop_state import inline
from ...source import SourceGraph
from ...table import Items, Table
from ...translate import Translator

table = Table()


@table.convert("SequenceConstruct")
def sequence_construct(*inputs: Value) -> Items:
    return Items(inputs)


@table.convert("SequenceEmpty")
def sequence_empty(*, dtype: int = 1) -> Items:
    return Items()


@table.convert("SequenceInsert")
def sequence_insert(input_sequence: Items, tensor: Value, position: int | None = None) -> Items:
    length = len(input_sequence)
    place = length if position is None else position
    if not -length <= place <= length:
        raise BadType(f"position {position} in a sequence of {length}")
    place += length if place < 0 else 0
    return Items((*input_sequence[:place], tensor, *input_sequence[place:]))


@table.convert("SequenceErase")
def sequence_erase(input_sequence: Items, position: int = -1) -> Items:
    place = _position(input_sequence, position)
    return Items((*input_sequence[:place], *input_sequence[place + 1 :]))


@table.convert("SequenceAt")
def sequence_at(input_sequence: Items, position: int) -> Value:
    return input_sequence[_position(input_sequence, position)]


@table.convert("SequenceLength")
def sequence_length(input_sequence: Items, *, translator: Translator) -> Value:
    return translator.model.constant(np.int64(len(input_sequence)))


@table.convert("SplitToSequence")
def split_to_sequence(
    input: Value,
    split: np.ndarray | None = None,
    *,
    axis: int = 0,
    keepdims: int = 1,
    translator: Translator,
) -> Items:
    axis = axis_of(axis, input.rank)
    size = input.shape[axis]
    if split is not None and split.ndim:
        sizes = [int(n) for n in split]
    elif isinstance(size, Expr):
        raise NotConstant(f"SplitToSequence of {input.type} along the dynamic axis {axis}")
    else:
        step = 1 if split is None else int(split)
        if step < 1:
            raise BadType(f"SplitToSequence in pieces of {step}")
        translator.spend(size // step)
        sizes = [min(step, size - start) for start in range(0, size, step)]
    parts = shape.split(input, sizes, axis=axis)
    squeezed = split is None and not keepdims
    return Items(shape.squeeze(p, [axis]) if squeezed else p for p in parts)


@table.convert("ConcatFromSequence")
def concat_from_sequence(input_sequence: Items, *, axis: int, new_axis: int = 0) -> Value:
    if not input_sequence:
        raise Unsupported("ConcatFromSequence of an empty sequence")
    join = shape.stack if new_axis else shape.concat
    return join(*input_sequence, axis=axis)


@table.convert("SequenceMap", since=17)
def sequence_map(
    input_sequence: Items,
    *additional_inputs: Value | Items,
    body: SourceGraph,
    translator: Translator,
) -> Any:
    translator.spend(len(input_sequence))
    rows = []
    for position, item in enumerate(input_sequence):
        others = (a[position] if isinstance(a, Items) else a for a in additional_inputs)
        rows.append(inline(translator, body, [item, *others]))
    return tuple(map(Items, zip(*rows, strict=True) if rows else [()] * len(body.outputs)))


@table.convert("Optional")
def optional(input: Value | None = None, *, type: TensorType | str | None = None) -> Any:
    if input is None:
        raise Unsupported("Optional without a value")
    return unary.assign(input)


@table.convert("OptionalHasElement")
def optional_has_element(input: Value | None = None, *, translator: Translator) -> Value:
    return translator.model.constant(np.bool_(input is not None))


table.same({"OptionalGetElement": unary.assign})


def _position(items: Items, position: int) -> int:
    try:
        return axis_of(position, len(items))
    except BadType:
        raise BadType(f"position {position} in a sequence of {len(items)}") from None
