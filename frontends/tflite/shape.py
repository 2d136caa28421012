"""TFLite's operators that change how elements are arranged."""

from __future__ import annotations

from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import index, shape
from nnir.types import Precision

from ..table import Table, Wanted
from ..tensorflow import blocks, generate, padding
from ..tensorflow import shape as tensorflow
from .fused import NONE, activated

table = Table()
table.convert("BROADCAST_ARGS")(tensorflow.broadcast_args)
table.convert("BROADCAST_TO")(tensorflow.broadcast_to)
table.convert("EXPAND_DIMS")(tensorflow.expand_dims)
table.convert("FILL")(generate.fill)
table.convert("PAD")(padding.pad)
table.convert("PADV2")(padding.pad_v2)
table.convert("RANGE")(generate.range_)
table.convert("RANK")(tensorflow.rank)
table.convert("REVERSE_V2")(tensorflow.reverse_v2)
table.convert("TILE")(tensorflow.tile)
table.convert("TRANSPOSE")(tensorflow.transpose)
table.convert("BATCH_TO_SPACE_ND")(blocks.batch_to_space_nd)
table.convert("SPACE_TO_BATCH_ND")(blocks.space_to_batch_nd)


@table.convert("RESHAPE")
def reshape(input: Value, shape: Index | None = None, *, new_shape: tuple[int, ...] = ()) -> Value:
    """The sizes are an operand or, in old files, an option."""
    wanted = input.model.constant(list(new_shape), "int64") if shape is None else shape
    return tensorflow.reshape(input, wanted)


@table.convert("SQUEEZE")
def squeeze(input: Value, *, squeeze_dims: tuple[int, ...] = ()) -> Value:
    return tensorflow.squeeze(input, squeeze_dims=squeeze_dims)


@table.convert("SHAPE")
def shape_of(input: Value, *, out_type: Precision) -> Value:
    if out_type not in (Precision.INT32, Precision.INT64):
        raise BadType(f"SHAPE with out_type={out_type.name}: INT32 or INT64 is needed")
    return tensorflow.shape_of(input, out_type=out_type)


@table.convert("CONCATENATION")
def concatenation(*values: Value, axis: int = 0, fused_activation_function: str = NONE) -> Value:
    if not values:
        raise BadType("CONCATENATION of nothing")
    joined = shape.concat(*values, axis=axis) if len(values) > 1 else values[0]
    return activated(joined, fused_activation_function)


@table.convert("PACK")
def pack(*values: Value, axis: int = 0) -> Value:
    return shape.stack(*values, axis=axis)


@table.convert("UNPACK")
def unpack(input: Value, *, axis: int = 0, wanted: Wanted) -> tuple[Value, ...]:
    return tuple(tensorflow.unpack(input, num=wanted, axis=axis))


@table.convert("SPLIT")
def split(axis: int, value: Value, *, wanted: Wanted) -> tuple[Value, ...]:
    return tuple(tensorflow.split(axis, value, num_split=wanted))


@table.convert("SPLIT_V")
def split_v(value: Value, size_splits: Index, axis: int, *, wanted: Wanted) -> tuple[Value, ...]:
    return tuple(tensorflow.split_v(value, size_splits, axis, num_split=wanted))


@table.convert("MIRROR_PAD")
def mirror_pad(input: Value, paddings: Index, *, mode: str = "REFLECT") -> Value:
    return padding.mirror_pad(input, paddings, mode=mode)


@table.convert("SPACE_TO_DEPTH")
def space_to_depth(input: Value, *, block_size: int) -> Value:
    return blocks.space_to_depth(input, block_size=block_size)


@table.convert("DEPTH_TO_SPACE")
def depth_to_space(input: Value, *, block_size: int) -> Value:
    return blocks.depth_to_space(input, block_size=block_size)


@table.convert("REVERSE_SEQUENCE")
def reverse_sequence(
    input: Value, seq_lengths: Value, *, seq_dim: int, batch_dim: int = 0
) -> Value:
    return tensorflow.reverse_sequence(input, seq_lengths, seq_dim=seq_dim, batch_dim=batch_dim)


@table.convert("DILATE")
def dilate(input: Value, dilations: tuple[int, ...], padding_value: Value) -> Value:
    """`dilations - 1` elements between neighbours, axis by axis."""
    if len(dilations) != input.rank or min(dilations, default=1) < 1:
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
