"""Sequences of open length that come of tensors, or go into them and through sub-graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import binary, generate, index, reduce, shape
from nnir.recipes.shape import permute

from ..loop_state import inline
from ..source import SourceGraph
from ..translate import Translator
from . import lists
from .lists import Ragged
from .loops import fold


def piece_sizes(
    translator: Translator, input: Value, split: Value | None, axis: int
) -> list[int] | Value:
    """The sizes of pieces along an axis, int64 [pieces] where they are open: a number says all but
    the last one's."""
    size = input.shape[axis]
    known = None if split is None else translator.constant_of(split)
    if known is not None and known.ndim:
        return [int(n) for n in known]
    if (split is None or known is not None) and not isinstance(size, Expr):
        step = 1 if known is None else int(known)
        if step < 1:
            raise BadType(f"SplitToSequence in pieces of {step}")
        translator.spend(size // step)
        return [min(step, size - start) for start in range(0, size, step)]
    if split is not None and split.rank:
        return build.int64(split)
    model = input.model
    whole = shape.reshape(build.vector(model, [build.size_of(input, axis)]), [])
    each = model.constant(np.int64(1)) if split is None else build.int64(shape.reshape(split, []))
    starts = generate.range_(model.constant(np.int64(0)), whole, each)
    return binary.min_(whole - starts, each)


def split_open(translator: Translator, input: Value, lengths: Value, axis: int) -> Ragged:
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


def drop_axis(pieces: Ragged, axis: int) -> Ragged:
    """Members of size 1 along an axis, without it."""
    rank = pieces.rank
    rows = build.reshape(pieces.dims, [build.shape_of(pieces.ranks), rank])
    kept = [k for k in range(rank) if k != axis]
    element = pieces.element or ()
    dims = build.flatten(index.gather(rows, kept, axis=1))
    parts = pieces.values, pieces.counts, dims, pieces.ranks - 1
    return Ragged(parts, tuple(element[k] for k in kept))


def concat_open(translator: Translator, pieces: Ragged, axis: int) -> Value:
    """Members along an axis: those of the first axis lie as they are, others are turned first."""
    if axis == 0:
        return pieces.concat_rows()
    order = [axis, *(k for k in range(pieces.rank) if k != axis)]

    def step(position: Value, turned: Ragged, *tensors: Value) -> Ragged:
        return turned.insert(permute(pieces.of(tensors).at(position), order), None)

    none = lists.empty(pieces.values.model, pieces.values.precision)
    turned = fold(translator, pieces.length, none, step, pieces.tensors)
    return permute(turned.concat_rows(), [order.index(k) for k in range(pieces.rank)])


def map_open(translator: Translator, given: list[Any], body: SourceGraph) -> Any:
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
