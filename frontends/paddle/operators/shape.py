"""Paddle's operators that change the shape of a tensor and none of its elements."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import shape as ops
from nnir.ops import unary
from nnir.recipes import shape as shape_recipes
from nnir.recipes.shape import common_sizes, drop_axes, expand_to, permute
from nnir.types import Precision

from ...table import Ints, Items, Table
from . import diagonal, joining, padding, patches, rearranging, slices

table = Table()
table.named(
    {
        "flatten flatten_": (shape_recipes.flatten, "x start_axis stop_axis"),
    }
)


@table.convert("assign", "assign_", "share_data", "share_data_")
def assign(x: Value) -> Value:
    return x


@table.convert("assign_out_")
def assign_out(x: Value, output: Value) -> Value:
    """The tensor that is written to counts no longer."""
    return x


@table.convert("memcpy", "memcpy_d2h", "memcpy_h2d")
def memcpy(x: Value, dst_place_type: int) -> Value:
    return x


@table.convert("npu_identity")
def npu_identity(x: Value, format: int) -> Value:
    return x


@table.convert("trans_layout", "transpose", "transpose_")
def transpose(x: Value, perm: Ints) -> Value:
    return permute(x, perm)


@table.convert("reshape", "reshape_")
def reshape(x: Value, shape: Index) -> Value:
    """As in RESHAPE a 0 copies a size."""
    return ops.reshape(x, shape)


@table.convert("view_shape")
def view_shape(input: Value, dims: Ints) -> Value:
    return ops.reshape(input, list(dims))


@table.convert("view_dtype")
def view_dtype(input: Value, dtype: Precision) -> Value:
    """The last axis grows or shrinks with the width of an element."""
    old, new = input.dtype.itemsize, dtype.dtype.itemsize
    if dtype == input.precision:
        return input
    if old != new:
        raise Unsupported(f"the memory of {input.type} as {dtype.name.lower()}: another width")
    return unary.bit_cast(input, dtype=dtype)


@table.convert("squeeze", "squeeze_")
def squeeze(x: Value, axis: Ints) -> Value:
    """Axes of another size stay; one that is named and may vary is taken to be 1."""
    if not axis:
        return drop_axes(x, [k for k, d in enumerate(x.shape) if d == 1])
    named = {axis_of(a, max(x.rank, 1)) for a in axis}
    kept = [
        k for k in sorted(named) if x.rank and (isinstance(x.shape[k], Expr) or x.shape[k] == 1)
    ]
    return drop_axes(x, kept)


@table.convert("unsqueeze", "unsqueeze_")
def unsqueeze(x: Value, axis: Ints) -> Value:
    """One axis after the other, as UNSQUEEZE."""
    return ops.unsqueeze(x, list(axis)) if axis else x


@table.convert("expand")
def expand(x: Value, shape: Index) -> Value:
    return expand_to(x, shape)


@table.convert("expand_as")
def expand_as(x: Value, y: Value | None, target_shape: Index | None) -> Value:
    if y is not None:
        return expand_to(x, build.shape_of(y))
    if target_shape is None:
        raise BadType(f"expand_as of {x.type} to no shape")
    return expand_to(x, target_shape)


@table.convert("broadcast_tensors")
def broadcast_tensors(input: Items) -> list[Value]:
    size = common_sizes(*input)
    return [expand_to(v, size) for v in input]


@table.convert("tile")
def tile(x: Value, repeat_times: Index) -> Value:
    return shape_recipes.tile(x, repeat_times)


@table.convert("shape")
def shape(input: Value) -> Value:
    return sizes_of(input, Precision.INT32)


@table.convert("shape64")
def shape64(input: Value) -> Value:
    return sizes_of(input, Precision.INT64)


def sizes_of(x: Value, precision: Precision) -> Value:
    """The sizes of `x`; a constant where they are known."""
    if x.is_static:
        return x.model.constant(np.array(x.shape, precision.dtype))
    return ops.shape(x, dtype=precision)


@table.convert("numel")
def numel(x: Value) -> Value:
    count = build.product(build.sizes_of(x))
    if isinstance(count, int):
        return x.model.constant(np.int64(count))
    return ops.reshape(count, [])


@table.convert("is_empty")
def is_empty(x: Value) -> Value:
    """Only a size that is known can say so."""
    if 0 not in x.shape and not x.is_static:
        raise Unsupported(f"is_empty of {x.type}")
    return x.model.constant(np.bool_(0 in x.shape))


table = Table.merge(
    [
        table,
        diagonal.table,
        joining.table,
        padding.table,
        patches.table,
        rearranging.table,
        slices.table,
    ]
)
