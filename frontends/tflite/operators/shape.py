"""TFLite's operators that change how elements are arranged."""

from __future__ import annotations

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import generate, index, shape
from nnir.recipes import blocks
from nnir.recipes.padding import pad_by_rows, pad_mirrored
from nnir.recipes.shape import (
    broadcast_shapes,
    expand_to,
    flip,
    permute,
    shape_vector,
    split_by_lengths,
    split_evenly,
    squeeze_axes,
    unstack,
)
from nnir.types import Precision

from ...table import Table, Wanted
from .fused import activate

table = Table()


@table.convert("BROADCAST_ARGS")
def broadcast_args(s0: Index, s1: Index) -> Value:
    return broadcast_shapes(s0, s1)


@table.convert("DENSIFY")
def densify(input: Value) -> Value:
    """A sparse constant, whose elements are all there once it is read."""
    return input


@table.convert("BROADCAST_TO")
def broadcast_to(input: Value, shape: Index) -> Value:
    return expand_to(input, build.int64(shape))


@table.convert("EXPAND_DIMS")
def expand_dims(input: Value, axis: int) -> Value:
    return shape.unsqueeze(input, [axis_of(axis, input.rank, extra=1)])


@table.convert("FILL")
def fill(dims: Index, value: Value) -> Value:
    return generate.fill(build.int64(dims), value)


@table.convert("PAD")
def pad(input: Value, paddings: Index) -> Value:
    return pad_by_rows(input, paddings, None)


@table.convert("PADV2")
def pad_v2(input: Value, paddings: Index, constant_values: Value) -> Value:
    return pad_by_rows(input, paddings, constant_values)


@table.convert("RANGE")
def range_(start: Index, limit: Index, delta: Index) -> Value:
    return generate.range_(start, limit, delta)


@table.convert("RANK")
def rank(input: Value) -> Value:
    return input.model.constant(np.int32(input.rank))


@table.convert("REVERSE_V2")
def reverse(input: Value, axis: tuple[int, ...]) -> Value:
    return flip(input, axis)


@table.convert("TILE")
def tile(input: Value, multiples: Index) -> Value:
    return shape.tile(input, multiples)


@table.convert("TRANSPOSE")
def transpose(input: Value, perm: tuple[int, ...]) -> Value:
    return permute(input, perm)


@table.convert("BATCH_TO_SPACE_ND")
def batch_to_space_nd(input: Value, block_shape: tuple[int, ...], crops: Index) -> Value:
    return blocks.batch_to_space(input, block_shape, crops)


@table.convert("SPACE_TO_BATCH_ND")
def space_to_batch_nd(input: Value, block_shape: tuple[int, ...], paddings: Index) -> Value:
    return blocks.space_to_batch(input, block_shape, paddings)


@table.convert("RESHAPE")
def reshape(input: Value, shape: Index | None = None, *, new_shape: tuple[int, ...]) -> Value:
    """The sizes are an operand or, in old files, an option."""
    wanted = input.model.constant(list(new_shape), "int64") if shape is None else shape
    return build.reshape_to(input, build.int64(wanted))


@table.convert("SQUEEZE")
def squeeze(input: Value, *, squeeze_dims: tuple[int, ...]) -> Value:
    return squeeze_axes(input, axes=squeeze_dims)


@table.convert("SHAPE")
def shape_of(input: Value, *, out_type: Precision) -> Value:
    if out_type not in (Precision.INT32, Precision.INT64):
        raise BadType(f"SHAPE with out_type={out_type.name}: INT32 or INT64 is needed")
    return shape_vector(input, out_type)


@table.convert("CONCATENATION")
def concatenation(*values: Value, axis: int, fused_activation_function: str) -> Value:
    if not values:
        raise BadType("CONCATENATION of nothing")
    joined = shape.concat(*values, axis=axis) if len(values) > 1 else values[0]
    return activate(joined, fused_activation_function)


@table.convert("PACK")
def pack(*values: Value, axis: int) -> Value:
    return shape.stack(*values, axis=axis)


@table.convert("UNPACK")
def unpack(input: Value, *, axis: int, wanted: Wanted) -> tuple[Value, ...]:
    return tuple(unstack(input, count=wanted, axis=axis))


@table.convert("SPLIT")
def split(axis: int, value: Value, *, wanted: Wanted) -> tuple[Value, ...]:
    return tuple(split_evenly(value, wanted, axis))


@table.convert("SPLIT_V")
def split_v(value: Value, size_splits: Index, axis: int, *, wanted: Wanted) -> tuple[Value, ...]:
    return tuple(split_by_lengths(value, size_splits, axis))


@table.convert("MIRROR_PAD")
def mirror_pad(input: Value, paddings: Index, *, mode: str) -> Value:
    return pad_mirrored(input, paddings, mode=mode)


@table.convert("SPACE_TO_DEPTH")
def space_to_depth(input: Value, *, block_size: int) -> Value:
    return blocks.space_to_depth(input, block_size=block_size)


@table.convert("DEPTH_TO_SPACE")
def depth_to_space(input: Value, *, block_size: int) -> Value:
    return blocks.depth_to_space(input, block_size=block_size)


@table.convert("REVERSE_SEQUENCE")
def reverse_sequence(input: Value, seq_lengths: Value, *, seq_dim: int, batch_dim: int) -> Value:
    return index.reverse_sequence(input, seq_lengths, batch_axis=batch_dim, time_axis=seq_dim)


@table.convert("DILATE")
def dilate(input: Value, dilations: tuple[int, ...], padding_value: Value) -> Value:
    """`dilations - 1` elements between neighbours, axis by axis."""
    if len(dilations) != input.rank or any(step < 1 for step in dilations):
        raise BadType(f"DILATE of {input.type} by {dilations}")
    result = input
    for axis, step in enumerate(dilations):
        if step > 1:
            before, after = result.shape[:axis], result.shape[axis + 1 :]
            size = result.shape[axis] * step
            pads = [0] * (2 * result.rank + 2)
            pads[2 * axis + 3] = step - 1
            wide = shape.pad(shape.unsqueeze(result, [axis + 1]), pads, padding_value)
            whole = shape.reshape_exact(wide, [*before, size, *after])
            result = index.slice_(whole, [axis], [0], [size - (step - 1)], [1])
    return result
