"""Paddle's operators that turn, shift, interleave or repeat elements."""

from __future__ import annotations

from functools import partial

from nnir.broadcast import axis_of
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import index, shape
from nnir.recipes import shape as shape_recipes
from nnir.recipes.layout import with_channels_first
from nnir.recipes.shape import repeat_all, repeat_each
from nnir.recipes.strided import strided_positions
from nnir.types import Precision

from ...table import Ints, Table

table = Table()
table.named(
    {
        "flip reverse": (shape_recipes.flip, "x axis"),
        "roll": (shape_recipes.roll, "x shifts axis"),
    }
)


@table.convert("channel_shuffle")
def channel_shuffle(x: Value, groups: int, data_format: str) -> Value:
    return with_channels_first(x, data_format, lambda v: index.channel_shuffle(v, group=groups))


@table.convert("shuffle_channel")
def shuffle_channel(x: Value, group: int) -> Value:
    if x.precision != Precision.FLOAT32:
        raise Unsupported(f"shuffle_channel of {x.type}, half of which Paddle leaves unset")
    return index.channel_shuffle(x, group=group)


@table.convert("pixel_shuffle")
def pixel_shuffle(x: Value, upscale_factor: int, data_format: str) -> Value:
    shuffle = partial(shape_recipes.pixel_shuffle, upscale_factor=upscale_factor)
    return with_channels_first(x, data_format, shuffle)


@table.convert("pixel_unshuffle")
def pixel_unshuffle(x: Value, downscale_factor: int, data_format: str) -> Value:
    unshuffle = partial(shape_recipes.pixel_unshuffle, downscale_factor=downscale_factor)
    return with_channels_first(x, data_format, unshuffle)


@table.convert("repeat_interleave")
def repeat_interleave(x: Value, repeats: int, axis: int, output_size: int) -> Value:
    count, size = x.model.constant(repeats, "int64"), x.shape[axis_of(axis, x.rank)]
    if output_size > 0 and isinstance(size, int) and output_size != repeats * size:
        raise BadType(f"repeat_interleave of {x.type} {repeats} times into {output_size}")
    return repeat_all(x, count, axis)


@table.convert("repeat_interleave_with_tensor_index")
def repeat_interleave_with_tensor_index(
    x: Value, repeats: Value, axis: int, output_size: int
) -> Value:
    """`output_size` only spares a sum."""
    return repeat_each(x, repeats, axis)


@table.convert("as_strided")
def as_strided(input: Value, dims: Ints, stride: Ints, offset: int) -> Value:
    """`offset` counts bytes."""
    width = input.dtype.itemsize
    if offset % width:
        raise BadType(f"as_strided of {input.type} with offset={offset}")
    size, step, start = (
        input.model.constant(list(v), "int64") for v in (dims, stride, [offset // width])
    )
    where = strided_positions(input, size, step, start, None)
    flat = input if input.rank == 1 else shape.flatten(input, start_axis=0, end_axis=-1)
    return index.gather(flat, where, axis=0)
