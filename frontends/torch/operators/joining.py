"""ATen operators that join tensors or cut them into pieces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.broadcast import axis_of, contents, ints
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import index, reduce, shape
from nnir.recipes.promotion import common_precision, promote, promote_to, to_value
from nnir.recipes.shape import split_pieces

from ...table import Items, Table, Wanted
from ...translate import Translator

table = Table()


@table.convert("aten.cat.default")
def cat(tensors: Items, dim: int = 0) -> Value:
    """Empty vectors go with anything: they stand for nothing yet."""
    values = promote(*tensors)
    kept = [v for v in values if v.shape != (0,)] or values[:1]
    return kept[0] if len(kept) == 1 else shape.concat(*kept, axis=axis_of(dim, kept[0].rank))


@table.convert("aten.stack.default")
def stack(tensors: Items, dim: int = 0) -> Value:
    axis = axis_of(dim, tensors[0].rank, extra=1)
    return shape.stack(*promote(*tensors), axis=axis)


def at_least(x: Value, rank: int) -> Value:
    """`x` with axes of size 1 added as NumPy's atleast_1d, 2d and 3d do."""
    places = {1: {0: [0]}, 2: {0: [0, 0], 1: [0]}, 3: {0: [0, 0, 0], 1: [0, 2], 2: [2]}}
    axes = places[rank].get(x.rank)
    return shape.unsqueeze(x, axes) if axes else x


@table.convert("aten.hstack.default")
def hstack(tensors: Items) -> Value:
    values = [at_least(v, 1) for v in tensors]
    return cat(Items(values), 1 if values and values[0].rank > 1 else 0)


@table.convert("aten.vstack.default")
def vstack(tensors: Items) -> Value:
    return cat(Items(at_least(v, 2) for v in tensors), 0)


@table.convert("aten.dstack.default")
def dstack(tensors: Items) -> Value:
    return cat(Items(at_least(v, 3) for v in tensors), 2)


@table.convert("aten.column_stack.default")
def column_stack(tensors: Items) -> Value:
    columns = [shape.reshape(v, [-1, 1]) if v.rank < 2 else v for v in tensors]
    return cat(Items(columns), 1)


@table.convert("aten.block_diag.default")
def block_diag(tensors: Items) -> Value:
    """Each matrix with zeros on both sides, one below the other."""
    values = promote_to(common_precision(*tensors), *tensors)
    blocks = [at_least(v, 2) for v in values]
    widths = [build.size_of(v, 1) for v in blocks]
    rows = []
    for k, block in enumerate(blocks):
        before, behind = (_total(part) for part in (widths[:k], widths[k + 1 :]))
        pads = build.vector(block.model, [0, 0, before, behind])
        rows.append(shape.pad(block, pads) if len(blocks) > 1 else block)
    return shape.concat(*rows, axis=0) if len(rows) > 1 else rows[0]


def _total(parts: Sequence[build.Size]) -> build.Size:
    total: build.Size = 0
    for part in parts:
        total = build.plus(total, part)
    return total


@table.convert("aten.pad_sequence.default")
def pad_sequence(
    sequences: Items,
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Value:
    """The sequences beside each other, each filled up to the longest; the first tells the type."""
    if padding_side not in ("left", "right"):
        raise Unsupported(f"pad_sequence with padding_side={padding_side!r}")
    rows = promote_to(sequences[0].precision, *sequences)
    model, rank = rows[0].model, rows[0].rank
    lengths = [build.size_of(row, 0) for row in rows]
    longest = reduce.reduce_max(build.vector(model, lengths), [0], keepdim=True)
    filler = to_value(padding_value, rows[0].precision, model)
    whole = []
    for row, length in zip(rows, lengths, strict=True):
        missing = build.minus(longest, length)
        pair = [missing, 0] if padding_side == "left" else [0, missing]
        whole.append(shape.pad(row, build.vector(model, [*pair, *[0, 0] * (rank - 1)]), filler))
    return shape.stack(*whole, axis=0 if batch_first else 1)


@table.convert("aten._chunk_cat.default")
def chunk_cat(tensors: Items, dim: int, num_chunks: int) -> Value:
    """Fill the axis up to equal chunks, and join what is behind it."""
    pieces = []
    for value in promote(*tensors):
        axis = axis_of(dim, value.rank)
        size = value.shape[axis]
        if isinstance(size, Expr):
            raise NotConstant(f"_chunk_cat of {value.type}")
        if 0 in value.shape or num_chunks < 1:
            raise BadType(f"_chunk_cat of {value.type} into {num_chunks} chunks")
        missing = -size % num_chunks
        pads = [0, 0] * value.rank
        pads[2 * axis + 1] = missing
        whole = shape.pad(value, pads) if missing else value
        head = build.sizes_of(whole)[:axis]
        tail = build.product(build.sizes_of(whole)[axis + 1 :])
        length = build.times((size + missing) // num_chunks, tail)
        pieces.append(build.reshape(whole, [*head, num_chunks, length]))
    axis = axis_of(dim, tensors[0].rank)
    return shape.concat(*pieces, axis=axis + 1) if len(pieces) > 1 else pieces[0]


@table.convert("aten.split.Tensor", "aten.unsafe_split.Tensor")
def split(self: Value, split_size: Index, dim: int = 0, *, wanted: Wanted) -> list[Value]:
    """Pieces of `split_size`, but for a smaller last one."""
    axis = axis_of(dim, self.rank)
    size, known = self.shape[axis], contents(split_size)
    length = None if known is None else known[0]
    if isinstance(size, int) and isinstance(length, int):
        if length == 0 and size:
            raise BadType(f"split of {self.type} into pieces of 0")
        count = max(-(-size // length), 1) if length else 1
        return split_pieces(self, [*[length] * (count - 1), size - length * (count - 1)], axis)
    piece: build.Size = length if isinstance(length, int) else shape.reshape(split_size, [1])
    rest = build.minus(build.size_of(self, axis), build.times(piece, wanted - 1))
    return split_pieces(self, [*[piece] * (wanted - 1), rest], axis)


@table.convert("aten.split_with_sizes.default", "aten.unsafe_split_with_sizes.default")
def split_with_sizes(self: Value, split_sizes: Index, dim: int = 0) -> list[Value]:
    axis = axis_of(dim, self.rank)
    if split_sizes.shape[0] == 1:
        return [self]
    return list(shape.split(self, split_sizes, axis=axis))


@table.convert("aten.split.sizes")
def split_sizes(self: Value, split_size: Index, dim: int = 0) -> list[Value]:
    return split_with_sizes(self, split_size, dim)


@table.convert("aten.chunk.default", "aten.unsafe_chunk.default")
def chunk(self: Value, chunks: int, dim: int = 0, *, wanted: Wanted) -> list[Value]:
    """At most `chunks` pieces of equal size, but for a smaller last one."""
    axis = axis_of(dim, self.rank)
    size = self.shape[axis]
    if chunks < 1:
        raise BadType(f"chunk into {chunks}")
    if size == 0:
        return split_pieces(self, [0] * min(chunks, wanted), axis)
    if isinstance(size, Expr):
        piece = build.over(build.plus(build.size_of(self, axis), chunks - 1), chunks)
        rest = build.minus(build.size_of(self, axis), build.times(piece, wanted - 1))
        return split_pieces(self, [*[piece] * (wanted - 1), rest], axis)
    return split(self, self.model.constant(-(-size // chunks), np.int64), dim, wanted=wanted)


@table.convert("aten.tensor_split.sections")
def tensor_split(self: Value, sections: Index, dim: int = 0, *, wanted: Wanted) -> list[Value]:
    """Equal pieces; the first ones are longer by 1 where that does not come out even."""
    axis = axis_of(dim, self.rank)
    known = ints(sections)
    count = wanted if known is None else known[0]
    if count < 1:
        raise BadType(f"tensor_split into {count} sections")
    size = self.shape[axis]
    if isinstance(size, int):
        least, longer = divmod(size, count)
        return split_pieces(self, [least + (k < longer) for k in range(count)], axis)
    whole = build.size_of(self, axis)
    lengths = [build.over(build.plus(whole, count - 1 - k), count) for k in range(count)]
    return split_pieces(self, lengths, axis)


@table.convert("aten.tensor_split.indices")
def tensor_split_indices(self: Value, indices: Index, dim: int = 0) -> list[Value]:
    """Slices between positions, with Python's rules for each: they may overlap."""
    axis = axis_of(dim, self.rank)
    known, size = ints(indices), self.shape[axis]
    if known is not None and isinstance(size, int):
        ends = [slice(0, k, 1).indices(size)[1] for k in known]
        starts = [0, *ends]
        ends.append(size)
        if all(a <= b for a, b in zip(starts, ends, strict=True)):
            return split_pieces(self, [b - a for a, b in zip(starts, ends, strict=True)], axis)
    places = [index.slice_(indices, [0], [k], [k + 1]) for k in range(_length(indices))]
    pieces = []
    for start, end in zip([[0], *places], [*places, [np.iinfo(np.int64).max]], strict=True):
        pieces.append(index.slice_(self, [axis], start, end))
    return pieces


def _length(positions: Value) -> int:
    length = positions.shape[0]
    if isinstance(length, Expr):
        raise NotConstant(f"tensor_split at {positions.type}")
    return length


@table.convert("aten.tensor_split.tensor_indices_or_sections")
def tensor_split_tensor(
    self: Value,
    tensor_indices_or_sections: Value,
    dim: int = 0,
    *,
    wanted: Wanted,
    translator: Translator,
) -> list[Value]:
    known = translator.constant_of(tensor_indices_or_sections)
    where = tensor_indices_or_sections if known is None else self.model.constant(known)
    if where.rank:
        return tensor_split_indices(self, where, dim)
    return tensor_split(self, where, dim, wanted=wanted)


def _sections(name: str, dim: int, *, of_vectors: int | None = None) -> None:
    """hsplit, vsplit and dsplit: equal sections, or cuts at positions, of one axis."""

    def axis(x: Value) -> int:
        return of_vectors if of_vectors is not None and x.rank == 1 else dim

    @table.convert(f"aten.{name}.int")
    def by_count(self: Value, sections: int, *, wanted: Wanted) -> list[Value]:
        size = self.shape[axis_of(axis(self), self.rank)]
        if sections < 1 or (isinstance(size, int) and size % sections):
            raise BadType(f"{name} of {self.type} into {sections} sections")
        count = self.model.constant(np.int64(sections))
        return tensor_split(self, count, axis(self), wanted=wanted)

    @table.convert(f"aten.{name}.array")
    def at_positions(self: Value, indices: tuple[int, ...]) -> list[Value]:
        where = self.model.constant(np.array(indices, np.int64))
        return tensor_split_indices(self, where, axis(self))


_sections("hsplit", 1, of_vectors=0)
_sections("vsplit", 0)
_sections("dsplit", 2)


@table.convert("aten.unbind.int")
def unbind(self: Value, dim: int = 0, *, wanted: Wanted) -> list[Value]:
    axis = axis_of(dim, self.rank)
    size = self.shape[axis]
    count = wanted if isinstance(size, Expr) else size
    return list(shape.unstack(self, axis=axis, num=count))
