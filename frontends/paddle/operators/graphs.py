"""Paddle's operators on graphs: rows are sent along edges and pooled where they arrive."""

from __future__ import annotations

from nnir import build
from nnir.broadcast import ints
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import binary, compare, generate, index, reduce, shape
from nnir.ops.reduce import highest, lowest
from nnir.recipes.generate import full_like
from nnir.types import Precision

from ...table import Table

table = Table()
Two = tuple[Value, Value]


def full_rows(count: build.Size, rows: Value, value: float) -> Value:
    """So many rows of one number."""
    size = build.vector(rows.model, [count, *build.sizes_of(rows)[1:]])
    return generate.fill(size, rows.scalar(value))


def pool_messages(rows: Value, places: Value, count: build.Size, how: str) -> Two:
    """What arrives at each of `count` places, 0 where nothing does, and how much arrives."""
    column = shape.unsqueeze(places, [1])
    ones = full_like(places, 1, Precision.INT32)
    none = generate.fill(build.vector(rows.model, [count]), ones.scalar(0))
    arrived = index.scatter_nd(none, column, ones, reduction="add")
    match how:
        case "SUM":
            return index.scatter_nd(
                full_rows(count, rows, 0), column, rows, reduction="add"
            ), arrived
        case "MEAN":
            total, _ = pool_messages(rows, places, count, "SUM")
            by = binary.max_(arrived, 1).cast(rows.precision)
            return total / beside(by, rows), arrived
        case "MIN" | "MAX":
            far = highest(rows.dtype) if how == "MIN" else lowest(rows.dtype)
            start = full_rows(count, rows, far)
            best = index.scatter_nd(start, column, rows, reduction=how.lower())
            some = beside(arrived > 0, rows)
            return compare.where(some, best, 0), arrived
    raise Unsupported(f"a pool of rows by {how!r}")


def beside(line: Value, rows: Value) -> Value:
    """A vector with an axis of 1 for every axis that rows have."""
    return shape.unsqueeze(line, list(range(1, rows.rank))) if rows.rank > 1 else line


def rows_at(x: Value, places: Value) -> Value:
    """The rows of `x` at positions; BadType unless these are int32 or int64."""
    if places.rank != 1 or places.precision not in (Precision.INT32, Precision.INT64):
        raise BadType(f"rows of {x.type} at {places.type}: a vector of int32 or int64")
    return index.gather(x, places, axis=0)


def message(x: Value, y: Value, how: str) -> Value:
    """What is sent: the sum or the product."""
    match how:
        case "ADD":
            return x + y
        case "MUL":
            return x * y
    raise Unsupported(f"a message of two rows by {how!r}")


def count_of(x: Value, out_size: Value | None) -> build.Size:
    """The number of places: as many as rows unless a number above 0 is given."""
    if out_size is None:
        return build.size_of(x, 0)
    known = ints(out_size)
    if known is None:
        return shape.reshape(out_size, [1]).cast(Precision.INT64)
    return known[0] if known[0] > 0 else build.size_of(x, 0)


@table.convert("send_u_recv")
def send_u_recv(
    x: Value,
    src_index: Value,
    dst_index: Value,
    reduce_op: str,
    out_size: Index | None,
) -> Two:
    return pool_messages(rows_at(x, src_index), dst_index, count_of(x, out_size), reduce_op)


@table.convert("send_ue_recv")
def send_ue_recv(
    x: Value,
    y: Value,
    src_index: Value,
    dst_index: Value,
    message_op: str,
    reduce_op: str,
    out_size: Index | None,
) -> Two:
    if x.rank != y.rank:
        raise BadType(f"send_ue_recv of {x.type} with {y.type}: other ranks")
    rows = message(rows_at(x, src_index), y, message_op)
    return pool_messages(rows, dst_index, count_of(x, out_size), reduce_op)


@table.convert("send_uv")
def send_uv(x: Value, y: Value, src_index: Value, dst_index: Value, message_op: str) -> Value:
    return message(rows_at(x, src_index), rows_at(y, dst_index), message_op)


@table.convert("segment_pool")
def segment_pool(x: Value, segment_ids: Value, pooltype: str) -> Two:
    """The segments are in order: the last number says how many there are."""
    last = reduce.reduce_max(segment_ids, [0], keepdim=True)
    count = (last + 1).cast(Precision.INT64)
    result, arrived = pool_messages(x, segment_ids, count, pooltype)
    return result, shape.unsqueeze(arrived.cast(x.precision), [1])
