"""ONNX operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from nnir import build
from nnir.broadcast import LONGEST, broadcast, contents, length_of
from nnir.dim import Expr
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import index, unary
from nnir.ops import shape as ops
from nnir.recipes import padding
from nnir.recipes import shape as recipes
from nnir.types import PadMode, Precision

from ...table import REQUIRED, Ints, Maybe, Table, Wanted

table = Table()
table.same({"Concat": ops.concat}, axis=1)
table.same({"Concat": ops.concat}, since=4, axis=REQUIRED)
table.convert("Reshape", attributes={"shape": ()})(ops.reshape)
table.convert("Squeeze", attributes={"axes": None})(ops.squeeze)
table.same({"Flatten": recipes.flatten_to_matrix}, axis=1)
table.same({"Tile": ops.tile}, since=6)
table.same({"Transpose": ops.transpose})
table.same({"Unsqueeze": recipes.insert_axes}, since=13)
table.convert("Unsqueeze", attributes={"axes": REQUIRED})(recipes.insert_axes)


@table.convert("Reshape", since=5)
def reshape(data: Value, shape: Index, *, allowzero: bool = False) -> Value:
    """With `allowzero` a 0 is a size; shapes without one mean the same either way."""
    target = contents(shape)
    is_exact = allowzero and (target is None or any(isinstance(d, Expr) or d == 0 for d in target))
    return ops.reshape_exact(data, shape) if is_exact else ops.reshape(data, shape)


@table.convert("Squeeze", since=13)
def squeeze(data: Value, axes: Index | None = None) -> Value:
    """No axes drop every 1, but an empty list of axes drops none."""
    if axes is not None and length_of(axes) == 0:
        return unary.assign(data)
    return ops.squeeze(data, axes)


@table.convert("Split")
def split_2(
    input: Value,
    lengths: Maybe = None,
    *,
    axis: int = 0,
    split: Ints = (),
    wanted: Wanted,
) -> list[Value]:
    """The lengths are an attribute; opset 1 has them as an input too."""
    given = input.model.constant(split, np.int64) if split and lengths is None else lengths
    return split_13(input, given, axis=axis, wanted=wanted)


@table.convert("Split", since=13)
def split_13(
    input: Value,
    split: Index | None = None,
    *,
    axis: int = 0,
    num_outputs: int | None = None,
    wanted: Wanted,
) -> list[Value]:
    """Without lengths the pieces are equal, with `num_outputs` but for a smaller last one."""
    if split is not None:
        return recipes.split_pieces(input, build.int64(split), axis)
    if num_outputs is None:
        return recipes.split_evenly(input, wanted, axis)
    if not wanted <= num_outputs <= LONGEST:
        raise BadType(f"Split into {num_outputs} pieces with {wanted} outputs")
    return recipes.split_up(input, num_outputs, axis)


@table.convert("Expand")
def expand(input: Value, shape: Index) -> Value:
    """ONNX broadcasts both ways; EXPAND only repeats axes of size 1."""
    target = contents(shape)
    if target is not None and broadcast(input.shape, target) == target:
        return ops.expand(input, shape)
    return ops.expand(input, recipes.broadcast_shapes(build.int64(shape), build.shape_of(input)))


@table.convert("Tile")
def tile_1(input: Value, tiles: Index, axis: int) -> Value:
    repeats: list[build.Size] = [1] * input.rank
    repeats[axis] = build.int64(tiles)
    return ops.tile(input, build.vector(input.model, repeats))


@table.convert("Shape")
def shape(data: Value, *, start: int = 0, end: int | None = None) -> Value:
    dims = ops.shape(data, dtype=Precision.INT64)
    if start == 0 and end is None:
        return dims
    first, last, _ = slice(start, end).indices(data.rank)
    return index.slice_(dims, [0], [first], [max(last, first)])


@table.convert("Size")
def size(data: Value) -> Value:
    count = build.product(build.sizes_of(data))
    if isinstance(count, int):
        return data.model.constant(count, np.int64)
    return ops.squeeze(count, [0])


Padding = Literal["constant", "edge", "reflect", "wrap"]


@table.convert("Pad")
def pad_1(
    data: Value,
    *,
    mode: Padding = "constant",
    paddings: Ints = (),
    pads: Ints = (),
    value: float = 0.0,
) -> Value:
    """Opset 1 calls the pads paddings."""
    amounts = data.model.constant(pads or paddings, np.int64)
    return pad(data, amounts, data.scalar(value), mode=mode)


@table.convert("Pad", since=11)
def pad(
    data: Value,
    pads: Index,
    constant_value: Maybe = None,
    axes: Index | None = None,
    *,
    mode: Padding = "constant",
) -> Value:
    return padding.pad_sides(data, pads, constant_value, axes, PadMode[mode.upper()])


Order = Literal["DCR", "CRD"]


@table.each({"DepthToSpace": recipes.pixel_shuffle, "SpaceToDepth": recipes.pixel_unshuffle})
def move_blocks(
    move: Callable[..., Value], input: Value, *, blocksize: int, mode: Order = "DCR"
) -> Value:
    if input.rank != 4:
        raise BadType(f"blocks of an image {input.type}, not of rank 4")
    return move(input, blocksize, blocks_first=mode == "DCR")


@table.convert("CenterCropPad")
def center_crop_pad(input_data: Value, shape: Index, *, axes: Ints | None = None) -> Value:
    return padding.centre(
        input_data, shape, tuple(range(input_data.rank)) if axes is None else axes
    )
