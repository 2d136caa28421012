"""TensorFlow's ragged tensors: rows of different lengths as values and the bounds of the rows."""

from __future__ import annotations

from collections.abc import Sequence

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import compare, generate, index, shape
from nnir.recipes import ragged
from nnir.types import Precision

from ...table import Items, Table
from .histograms import tally

table = Table()


@table.convert("RaggedRange")
def ragged_range(
    starts: Value,
    limits: Value,
    deltas: Value,
    *,
    Tsplits: Precision = Precision.INT64,  # noqa: N803
) -> tuple[Value, Value]:
    """A row of numbers from each start on; a number stands for every row."""
    rows = next((v for v in (starts, limits, deltas) if v.rank), None)
    if rows is None:
        starts, limits, deltas = (shape.reshape(v, [1]) for v in (starts, limits, deltas))
    else:
        size = build.shape_of(rows)
        starts, limits, deltas = (
            v if v.rank else shape.expand(v, size) for v in (starts, limits, deltas)
        )
    lengths = ragged.lengths_between(starts, limits, deltas)
    splits, values = ragged.ranges(starts, lengths, deltas)
    return splits.cast(Tsplits), values


@table.convert("RaggedGather")
def ragged_gather(
    params_nested_splits: Items,
    params_dense_values: Value,
    indices: Value,
    *,
    OUTPUT_RAGGED_RANK: int,  # noqa: N803
) -> list[Value]:
    """The chosen rows; axes of the positions in front of them are rows of one length."""
    outer, rows = ragged.flat_outer(indices)
    nested, places = ragged.gather_rows(params_nested_splits, rows)
    if len(outer) + len(nested) != OUTPUT_RAGGED_RANK:
        raise BadType(f"rows {indices.type} of {len(nested)} levels as {OUTPUT_RAGGED_RANK}")
    kind = params_nested_splits[0].precision
    splits = [s.cast(kind) for s in (*outer, *nested)]
    return [*splits, index.gather(params_dense_values, places, axis=0)]


@table.convert("RaggedTensorToTensor")
def ragged_tensor_to_tensor(
    shape: Index,
    values: Value,
    default_value: Value,
    row_partition_tensors: Items,
    *,
    row_partition_types: tuple[str, ...],
) -> Value:
    """A dense tensor in which short rows end with the default, and long ones are cut."""
    nested = _bounds_of(row_partition_tensors, row_partition_types)
    wanted: list[build.Size | None] = [None] * (len(nested) + 1)
    if shape.rank:
        given = build.elements(shape)
        if len(given) != len(wanted) + values.rank - 1:
            raise BadType(f"{len(nested)} levels of rows {values.type} in {len(given)} axes")
        rows = [ragged.row_count(nested[0]), *map(ragged.longest, nested)]
        wanted = [_choose_size(g, r) for g, r in zip(given, rows, strict=False)]
    return ragged.to_dense(nested, values, default_value, wanted)


def _choose_size(given: build.Size, found: build.Size) -> build.Size | None:
    """A size that is asked for: -1 stands for what the rows need."""
    if isinstance(given, int):
        return None if given < 0 else given
    return compare.where(given < 0, build.vector(given.model, [found]), given)


def _bounds_of(tensors: Sequence[Value], types: Sequence[str]) -> list[Value]:
    """The bounds of rows at each level."""
    rows: build.Size = 0
    found = []
    for tensor, kind in zip(tensors, types, strict=True):
        match kind:
            case "FIRST_DIM_SIZE":
                known = tensor.known
                wide = build.int64(tensor)
                rows = shape.reshape(wide, [1]) if known is None else int(known.reshape(()))
                continue
            case "ROW_SPLITS":
                found.append(tensor)
            case "VALUE_ROWIDS":
                found.append(ragged.splits_of_ids(tensor, rows))
                rows = build.size_of(tensor, 0)
            case _:
                raise Unsupported(f"RaggedTensorToTensor with row_partition_types={kind!r}")
    if not found:
        raise BadType("RaggedTensorToTensor of no levels of rows")
    return found


@table.convert("RaggedTensorToSparse")
def ragged_tensor_to_sparse(
    rt_nested_splits: Items, rt_dense_values: Value
) -> tuple[Value, Value, Value]:
    """The places and values of all elements, and the shape that holds them."""
    model = rt_dense_values.model
    columns = ragged.coordinates(rt_nested_splits, rt_dense_values)
    sizes = [ragged.row_count(rt_nested_splits[0]), *map(ragged.longest, rt_nested_splits)]
    inner = build.sizes_of(rt_dense_values)[1:]
    if inner:
        each = build.product(inner)
        steps = ragged.count_to(rt_dense_values, each)
        total = build.times(build.size_of(rt_dense_values, 0), each)
        columns = [_spread(c, each, total) for c in columns]
        for axis, size in enumerate(inner):
            behind = build.vector(model, [build.product(inner[axis + 1 :])])
            part = steps / behind % build.vector(model, [size])
            columns.append(_repeat_all(part, build.size_of(rt_dense_values, 0), total))
    values = build.flatten(rt_dense_values)
    return shape.stack(*columns, axis=1), values, build.vector(model, [*sizes, *inner])


def _spread(column: Value, each: build.Size, total: build.Size) -> Value:
    """Every element so often, one after the other."""
    wide = shape.expand(
        shape.unsqueeze(column, [1]), build.vector(column.model, [build.size_of(column, 0), each])
    )
    return build.reshape(wide, [total])


def _repeat_all(column: Value, count: build.Size, total: build.Size) -> Value:
    """All elements so often."""
    wide = shape.expand(
        shape.unsqueeze(column, [0]), build.vector(column.model, [count, build.size_of(column, 0)])
    )
    return build.reshape(wide, [total])


@table.convert("RaggedBincount")
def ragged_bincount(
    splits: Value, values: Value, size: Index, weights: Value, *, binary_output: bool = False
) -> Value:
    """Counts of each row, or whether a value occurs at all."""
    rows = ragged.row_ids(splits, build.size_of(values, 0))
    return tally_rows(
        rows, values, ragged.row_count(splits), size, weights, binary_output=binary_output
    )


def tally_rows(
    rows: Value,
    values: Value,
    height: build.Size,
    size: Value,
    weights: Value,
    *,
    binary_output: bool,
) -> Value:
    """How often, or with which weight in all, each value occurs in each row."""
    model = values.model
    known = size.known
    count: build.Size
    count = int(known.reshape(())) if known is not None else shape.reshape(build.int64(size), [1])
    lengths = build.vector(model, [build.size_of(values, 0)])
    has_weights = weights.rank == 1 and weights.shape != (0,)
    if has_weights and isinstance(weights.shape[0], Expr):
        raise Unsupported(f"counts with weights {weights.type}, of which there may be none")
    if has_weights and not binary_output:
        given = weights
    else:
        given = generate.fill(lengths, model.constant(1, weights.dtype))
    inside = build.int64(values) < build.vector(model, [count])
    line = build.int64(rows) * build.vector(model, [count]) + build.int64(values)
    whole = build.times(height, count)
    places = compare.where(inside, line, build.vector(model, [whole]))
    found = build.reshape(tally(places, whole, given), [height, count])
    if not binary_output:
        return found
    return compare.not_equal(found, 0).cast(found.precision)
