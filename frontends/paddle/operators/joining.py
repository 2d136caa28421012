"""Paddle's operators that join tensors or cut them into pieces."""

from __future__ import annotations

from collections.abc import Sequence

from nnir import build
from nnir.broadcast import axis_of, contents
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import index, shape
from nnir.recipes.shape import split_pieces

from ...table import Items, Table, Wanted

table = Table()


@table.convert("concat")
def concat(x: Items, axis: int) -> Value:
    return shape.concat(*x, axis=axis_of(axis, x[0].rank)) if len(x) > 1 else x[0]


@table.convert("stack")
def stack(x: Items, axis: int) -> Value:
    return shape.stack(*x, axis=axis_of(axis, x[0].rank, extra=1))


@table.convert("unbind")
def unbind(input: Value, axis: int, *, wanted: Wanted) -> list[Value]:
    place = axis_of(axis, input.rank)
    size = input.shape[place]
    count = wanted if isinstance(size, Expr) else size
    if count != wanted:
        raise BadType(f"unbind of {input.type} along axis {axis} into {wanted} pieces")
    return list(shape.unstack(input, axis=place, num=count))


@table.convert("unstack")
def unstack(x: Value, axis: int, num: int, *, wanted: Wanted) -> list[Value]:
    place = axis_of(axis, x.rank)
    size = x.shape[place]
    count = (num or wanted) if isinstance(size, Expr) else size
    return list(shape.unstack(x, axis=place, num=count))


@table.convert("split")
def split(x: Value, sections: Index, axis: int) -> list[Value]:
    """One -1 among the sections is what the others leave."""
    if axis < 0:
        raise Unsupported(f"split with {axis=}, which Paddle's kernel does not count from the end")
    place = axis_of(axis, x.rank)
    known = contents(sections)
    if known is not None and not any(isinstance(d, Expr) for d in known):
        return split_pieces(x, rest_of(x, place, [int(d) for d in known]), place)  # type: ignore[arg-type]
    return split_pieces(x, build.elements(sections), place)


def rest_of(x: Value, axis: int, lengths: Sequence[int]) -> list[build.Size]:
    """Lengths with the -1 worked out; BadType where they do not fill the axis."""
    size, given = x.shape[axis], sum(n for n in lengths if n != -1)
    if lengths.count(-1) > 1 or min(lengths, default=0) < -1:
        raise BadType(f"split of {x.type} into {tuple(lengths)}")
    rest = build.minus(build.size_of(x, axis), given)
    if isinstance(rest, int) and (rest < 0 or (rest and -1 not in lengths)):
        raise BadType(f"split of {size} into {tuple(lengths)}")
    return [rest if n == -1 else n for n in lengths]


@table.convert("split_with_num")
def split_with_num(x: Value, num: int, axis: int) -> list[Value]:
    place = axis_of(axis, x.rank)
    size = x.shape[place]
    if num < 1 or (isinstance(size, int) and size % num):
        raise BadType(f"split of {x.type} into {num} equal pieces")
    piece = build.over(build.size_of(x, place), num)
    return split_pieces(x, [piece] * num, place)


@table.convert("partial_concat")
def partial_concat(x: Items, start_index: int, length: int) -> Value:
    parts = columns(x, start_index, length)
    return shape.concat(*parts, axis=1) if len(parts) > 1 else parts[0]


@table.convert("partial_sum")
def partial_sum(x: Items, start_index: int, length: int) -> Value:
    first, *others = columns(x, start_index, length)
    for part in others:
        first = first + part
    return first


def columns(x: Items, start: int, length: int) -> list[Value]:
    """The same columns of every matrix; without a length all from the start on."""
    if any(v.rank != 2 or isinstance(v.shape[1], Expr) for v in x):
        raise NotConstant(f"columns of {x[0].type}")
    size = int(x[0].shape[1])
    if not -size <= start < size or start % size + max(length, 0) > size:
        raise BadType(f"{length} columns from {start} on of {x[0].type}")
    first = start + int(x[0].shape[1]) if start < 0 else start
    end = int(x[0].shape[1]) if length < 0 else first + length
    return [index.slice_(v, [1], [first], [end]) for v in x]
