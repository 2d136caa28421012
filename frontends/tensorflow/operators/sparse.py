"""TensorFlow's sparse tensors: places [N, rank] of elements, their values, and the whole shape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.broadcast import axes_of, axis_of
from nnir.dim import Expr
from nnir.errors import BadType, NotConstant
from nnir.model import Index, Value
from nnir.ops import binary, compare, generate, index, reduce, shape, sort, unary
from nnir.recipes.scatter import sum_updates
from nnir.recipes.segment import ADD, MAX, reduce_segments, zero_if_empty
from nnir.types import Precision

from ...table import Items, Table
from .ragged import tally_rows

table = Table()
COMPLEX = (Precision.COMPLEX64, Precision.COMPLEX128)


def _columns(indices: Value) -> list[Value]:
    """The places along each axis, as vectors of int64."""
    rank = indices.shape[1] if indices.rank == 2 else None
    if rank is None or isinstance(rank, Expr):
        raise NotConstant(f"places {indices.type} of a sparse tensor whose rank is not known")
    wide = build.int64(indices)
    return [shape.squeeze(index.slice_(wide, [1], [k], [k + 1]), [1]) for k in range(rank)]


def _flat(columns: Sequence[Value], sizes: Sequence[build.Size]) -> Value:
    """Places in the order of rows: how many elements lie before each."""
    found = columns[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        found = found * build.vector(found.model, [size]) + column
    return found


def _unflat(places: Value, sizes: Sequence[build.Size]) -> Value:
    """Places along each axis, as rows."""
    columns = []
    for axis, size in enumerate(sizes):
        behind = build.product(sizes[axis + 1 :])
        part = places
        if behind != 1:
            part = part / build.vector(places.model, [behind])  # no place is negative
        columns.append(part % build.vector(places.model, [size]) if axis else part)
    return shape.stack(*columns, axis=1)


def _sizes_of(dense_shape: Value, rank: int) -> list[build.Size]:
    sizes = build.elements(dense_shape)
    if len(sizes) != rank:
        raise BadType(f"a sparse tensor of {rank} axes and {len(sizes)} sizes")
    return sizes


def _ascending(keys: Value) -> Value:
    """Where the elements in rising order come from; equal ones stay in their order."""
    _, order = sort.top_k(
        keys, build.vector(keys.model, [build.size_of(keys, 0)]), axis=0, largest=False
    )
    return order


def _swap(x: Value) -> Value:
    return shape.transpose(x, perm=(1, 0))


@table.convert("SparseTensorDenseMatMul")
def sparse_tensor_dense_mat_mul(
    a_indices: Value,
    a_values: Value,
    a_shape: Index,
    b: Value,
    *,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Value:
    """The product of a sparse and a dense matrix: rows of the second, weighted and added up."""
    if a_values.precision in COMPLEX and (adjoint_a or adjoint_b):
        raise BadType(f"the adjoint of {a_values.type}")
    rows, columns = _columns(a_indices)
    height, width = _sizes_of(a_shape, 2)
    if adjoint_a:
        rows, columns, height = columns, rows, width
    dense = _swap(b) if adjoint_b else b
    terms = index.gather(dense, columns, axis=0) * shape.unsqueeze(a_values, [1])
    size = build.vector(b.model, [height, build.size_of(dense, 1)])
    return sum_updates(shape.unsqueeze(rows, [1]), terms, size)


@table.convert("SparseTensorDenseAdd")
def sparse_tensor_dense_add(a_indices: Value, a_values: Value, a_shape: Index, b: Value) -> Value:
    return index.scatter_nd(b, build.int64(a_indices), a_values, reduction="add")


@table.convert("SparseReshape")
def sparse_reshape(input_indices: Value, input_shape: Index, new_shape: Index) -> list[Value]:
    """The places in another shape; one size of -1 follows from the others."""
    columns = _columns(input_indices)
    old = _sizes_of(input_shape, len(columns))
    wanted = build.elements(new_shape)
    total = build.product(old)
    if sum(isinstance(w, int) and w < 0 for w in wanted) > 1:
        raise BadType(f"a sparse tensor in the shape {wanted}")
    model = input_indices.model
    if all(isinstance(w, int) for w in wanted):
        rest = build.product([w for w in wanted if not (isinstance(w, int) and w < 0)])
        sizes = [build.over(total, rest) if isinstance(w, int) and w < 0 else w for w in wanted]
    else:  # which one is -1 may only be known while running
        given = build.vector(model, wanted, negative=True)
        others = reduce.reduce_prod(compare.where(given < 0, 1, given), [0], keepdim=True)
        left = build.vector(model, [total]) / binary.max_(others, 1)
        whole = compare.where(given < 0, left, given)
        sizes = build.elements(whole)
    places = _unflat(_flat(columns, old), sizes)
    return [places, build.vector(model, sizes)]


def _axes_left(axes: tuple[int, ...], rank: int) -> list[int]:
    gone = axes_of(axes, rank)
    return [k for k in range(rank) if k not in gone]


@table.each({"SparseReduceSum": ADD, "SparseReduceMax": MAX})
def sparse_reduce(
    how: str,
    input_indices: Value,
    input_values: Value,
    input_shape: Index,
    reduction_axes: tuple[int, ...],
    *,
    keep_dims: bool = False,
) -> Value:
    """Sums or largest elements along axes, as a dense tensor; 0 where there is no element."""
    columns = _columns(input_indices)
    sizes = _sizes_of(input_shape, len(columns))
    kept = _axes_left(reduction_axes, len(columns))
    inner = [sizes[k] for k in kept]
    if kept:
        places = _flat([columns[k] for k in kept], inner)
    else:
        zero = input_indices.model.constant(0, np.int64)
        places = generate.fill_like(columns[0], zero)
    count = build.product(inner)
    total = reduce_segments(input_values, places, count, how)
    if how == MAX:
        total = zero_if_empty(total, places, count)
    if keep_dims:
        inner = [s if k in kept else 1 for k, s in enumerate(sizes)]
    return build.reshape(total, inner)


@table.convert("SparseReorder")
def sparse_reorder(
    input_indices: Value, input_values: Value, input_shape: Index
) -> tuple[Value, Value]:
    """The elements in the order of rows."""
    columns = _columns(input_indices)
    order = _ascending(_flat(columns, _sizes_of(input_shape, len(columns))))
    return index.gather(input_indices, order, axis=0), index.gather(input_values, order, axis=0)


@table.convert("SparseFillEmptyRows")
def sparse_fill_empty_rows(
    indices: Value, values: Value, dense_shape: Index, default_value: Value
) -> tuple[Value, Value, Value, Value]:
    """An element in each row that has none, in the order of rows; where the others have gone."""
    model = indices.model
    columns = _columns(indices)
    height = _sizes_of(dense_shape, len(columns))[0]
    lengths = build.vector(model, [height])
    none = generate.fill(lengths, model.constant(0, np.int64))
    ones = generate.fill_like(columns[0], model.constant(1, np.int64))
    counts = index.scatter_nd(none, shape.unsqueeze(columns[0], [1]), ones, reduction="add")
    is_empty = compare.equal(counts, 0)
    added = shape.squeeze(index.non_zero(is_empty), [0])
    zeros = generate.fill_like(added, model.constant(0, np.int64))
    new = shape.stack(added, *([zeros] * (len(columns) - 1)), axis=1)
    spread = generate.fill(build.vector(model, [build.size_of(added, 0)]), default_value)
    order = _ascending(shape.concat(columns[0], added, axis=0))
    places = shape.concat(build.int64(indices), new, axis=0)
    everything = shape.concat(values, spread, axis=0)
    steps = build.arange_along(order, 0)
    back = index.scatter_nd(steps, shape.unsqueeze(order, [1]), steps)
    mine = index.slice_(back, [0], [0], build.vector(model, [build.size_of(values, 0)]))
    found = index.gather(places, order, axis=0), index.gather(everything, order, axis=0)
    return *found, is_empty, mine


def _beside(sp_indices: Value, sp_shape: Value, dense: Value) -> Value:
    """The elements of a dense tensor, which broadcasts, at the places."""
    columns = _columns(sp_indices)
    sizes = _sizes_of(sp_shape, len(columns))
    if dense.rank > len(columns):
        raise BadType(f"{dense.type} beside a sparse tensor of {len(columns)} axes")
    wide = shape.expand(dense, build.vector(dense.model, sizes))
    return index.gather_nd(wide, shape.stack(*columns, axis=1))


@table.each(
    {
        "SparseDenseCwiseAdd": binary.add,
        "SparseDenseCwiseMul": binary.mul,
        "SparseDenseCwiseDiv": binary.div,
    }
)
def sparse_dense_cwise(
    operator: object, sp_indices: Value, sp_values: Value, sp_shape: Index, dense: Value
) -> Value:
    """Elements combined with those of a dense tensor at their places."""
    found: Value = operator(sp_values, _beside(sp_indices, sp_shape, dense))  # type: ignore[operator]
    return found


@table.convert("SparseSoftmax")
def sparse_softmax(sp_indices: Value, sp_values: Value, sp_shape: Index) -> Value:
    """The softmax of the elements of each row that are there."""
    columns = _columns(sp_indices)
    sizes = _sizes_of(sp_shape, len(columns))[:-1]
    rows = _flat(columns[:-1], sizes)
    count = build.product(sizes)
    highest = index.gather(reduce_segments(sp_values, rows, count, MAX), rows, axis=0)
    power = unary.exp(sp_values - highest)
    total = index.gather(reduce_segments(power, rows, count, ADD), rows, axis=0)
    return power / total


@table.convert("SparseConcat")
def sparse_concat(
    indices: Items, values: Items, shapes: Items, *, concat_dim: int
) -> tuple[Value, Value, Value]:
    """Sparse tensors one behind the other, their elements in the order of rows."""
    model = indices[0].model
    columns = [_columns(i) for i in indices]
    rank = len(columns[0])
    axis = axis_of(concat_dim, rank)
    sizes = [_sizes_of(s, rank) for s in shapes]
    offset: build.Size = 0
    for own, size in zip(columns, sizes, strict=True):
        own[axis] = own[axis] + build.vector(model, [offset])
        offset = build.plus(offset, size[axis])
    whole = [offset if k == axis else s for k, s in enumerate(sizes[0])]
    joined = [shape.concat(*parts, axis=0) for parts in zip(*columns, strict=True)]
    order = _ascending(_flat(joined, whole))
    places = index.gather(shape.stack(*joined, axis=1), order, axis=0)
    elements = index.gather(shape.concat(*values, axis=0), order, axis=0)
    return places, elements, build.vector(model, whole)


@table.convert("SparseAdd")
def sparse_add(
    a_indices: Value,
    a_values: Value,
    a_shape: Index,
    b_indices: Value,
    b_values: Value,
    b_shape: Index,
    thresh: Value,
) -> tuple[Value, Value, Value]:
    """The sum in the order of rows, without what both have and is below the threshold."""
    model = a_indices.model
    sizes = _sizes_of(a_shape, len(_columns(a_indices)))
    flat = [_flat(_columns(i), sizes) for i in (a_indices, b_indices)]
    keys = shape.concat(*flat, axis=0)
    places, _, inverse, counts = sort.unique(keys, axis=None, sorted=True)
    count = build.size_of(places, 0)
    total = reduce_segments(shape.concat(a_values, b_values, axis=0), inverse, count, ADD)
    large = shape.squeeze(index.non_zero((abs(total) >= thresh) | compare.equal(counts, 1)), [0])
    found = _unflat(index.gather(places, large, axis=0), sizes)
    return found, index.gather(total, large, axis=0), build.vector(model, sizes)


@table.convert("SparseSlice")
def sparse_slice(
    indices: Value,
    values: Value,
    shape: Index,
    start: Index,
    size: Index,
) -> tuple[Value, Value, Value]:
    """The elements of a block, with places in it."""
    return _block(indices, values, shape, start, size)


def _block(
    indices: Value, values: Value, dense_shape: Value, start: Value, size: Value
) -> tuple[Value, Value, Value]:
    wide = build.int64(indices)
    first, length = build.int64(start), build.int64(size)
    moved = wide - first
    fits = (moved >= 0) & (moved < length)
    all_fit = reduce.reduce_min(fits.cast(Precision.UINT8), [1], keepdim=False)
    chosen = shape.squeeze(index.non_zero(all_fit.cast(Precision.BOOL8)), [0])
    room = binary.max_(binary.min_(build.int64(dense_shape) - first, length), 0)
    return index.gather(moved, chosen, axis=0), index.gather(values, chosen, axis=0), room


@table.convert("SparseBincount")
def sparse_bincount(
    indices: Value,
    values: Value,
    dense_shape: Index,
    size: Index,
    weights: Value,
    *,
    binary_output: bool = False,
) -> Value:
    """Counts of each row, or whether a value occurs at all."""
    columns = _columns(indices)
    sizes = _sizes_of(dense_shape, len(columns))
    one_row = len(columns) == 1
    zero = indices.model.constant(0, np.int64)
    rows = generate.fill_like(columns[0], zero) if one_row else columns[0]
    height = 1 if one_row else sizes[0]
    found = tally_rows(rows, values, height, size, weights, binary_output=binary_output)
    return shape.squeeze(found, [0]) if one_row else found
