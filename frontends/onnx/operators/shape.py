"""ONNX operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from nnir import build
from nnir.broadcast import LONGEST, axes_of, axis_of, broadcast, contents, ints, length_of
from nnir.dim import Expr
from nnir.errors import BadType
from nnir.model import Index, Value
from nnir.ops import binary, compare, index, sort, unary
from nnir.ops import shape as ops
from nnir.recipes.shape import (
    broadcast_shapes,
    pixel_shuffle,
    pixel_unshuffle,
    split_evenly,
    split_pieces,
)
from nnir.types import PadMode, Precision

from ...table import REQUIRED, Ints, Table, Wanted

table = Table()
table.same({"Concat": ops.concat}, axis=1)
table.same({"Concat": ops.concat}, since=4, axis=REQUIRED)
table.convert("Reshape", attributes={"shape": ()})(ops.reshape)
table.convert("Squeeze", attributes={"axes": None})(ops.squeeze)
table.same({"Tile": ops.tile}, since=6)
table.same({"Transpose": ops.transpose})


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


@table.convert("Unsqueeze", attributes={"axes": REQUIRED})
@table.convert("Unsqueeze", since=13)
def unsqueeze(data: Value, axes: Index) -> Value:
    """ONNX counts axes in the result; the standard inserts one after the other."""
    known = ints(axes)
    if known is not None:
        return ops.unsqueeze(data, sorted(axes_of(known, data.rank + len(known))))
    count = length_of(axes)
    if count > 1:
        wrapped = axes + (data.rank + count)
        axes = compare.where(axes < 0, wrapped, axes)
        axes, _ = sort.top_k(axes, [count], axis=0, largest=False)
    return ops.unsqueeze(data, axes)


@table.convert("Flatten")
def flatten(input: Value, *, axis: int = 1) -> Value:
    """Two axes: what is before `axis` and the rest."""
    first = axis_of(axis, input.rank, extra=0) if axis != input.rank else input.rank
    if first in (0, input.rank):
        flat = ops.flatten(input, start_axis=0, end_axis=-1)
        return ops.unsqueeze(flat, [0 if first == 0 else 1])
    tail = ops.flatten(input, start_axis=first, end_axis=-1)
    return ops.flatten(tail, start_axis=0, end_axis=first - 1)


@table.convert("Split")
def split_2(
    input: Value,
    lengths: Value | None = None,
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
        return split_pieces(input, build.int64(split), axis)
    if num_outputs is None:
        return split_evenly(input, wanted, axis)
    if not wanted <= num_outputs <= LONGEST:
        raise BadType(f"Split into {num_outputs} pieces with {wanted} outputs")
    whole = build.size_of(input, axis_of(axis, input.rank))
    piece = build.over(build.plus(whole, num_outputs - 1), num_outputs)
    if isinstance(whole, int) and isinstance(piece, int):
        lengths = np.diff(np.minimum(np.arange(num_outputs + 1) * piece, whole)).tolist()
    else:
        last = build.minus(whole, build.times(piece, num_outputs - 1))
        lengths = [piece] * (num_outputs - 1) + [last]
    return split_pieces(input, lengths, axis)


@table.convert("Expand")
def expand(input: Value, shape: Index) -> Value:
    """ONNX broadcasts both ways; EXPAND only repeats axes of size 1."""
    target = contents(shape)
    if target is not None and broadcast(input.shape, target) == target:
        return ops.expand(input, shape)
    return ops.expand(input, broadcast_shapes(build.int64(shape), build.shape_of(input)))


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
    constant_value: Value | None = None,
    axes: Index | None = None,
    *,
    mode: Padding = "constant",
) -> Value:
    """ONNX has all begins, then all ends; the standard has a pair per axis."""
    count = data.rank if axes is None else length_of(axes)
    if length_of(pads) != 2 * count:
        raise BadType(f"Pad by {pads.type}, not a begin and an end for each of {count} axes")
    known, where = ints(pads), tuple(range(count)) if axes is None else ints(axes)
    rows = np.zeros((data.rank, 2), np.int64)
    if known is not None and where is not None:
        rows[list(axes_of(where, data.rank))] = np.reshape(known, (2, count)).T
        pairs = data.model.constant(rows.reshape(-1))
    else:
        given = ops.transpose(ops.reshape(build.int64(pads), [2, count]))
        if axes is not None:
            given = index.scatter_nd(pads.model.constant(rows), ops.unsqueeze(axes, [-1]), given)
        pairs = ops.reshape(given, [2 * data.rank])
    return ops.pad(data, pairs, constant_value, mode=PadMode[mode.upper()])


Order = Literal["DCR", "CRD"]


@table.each({"DepthToSpace": pixel_shuffle, "SpaceToDepth": pixel_unshuffle})
def move_blocks(
    move: Callable[..., Value], input: Value, *, blocksize: int, mode: Order = "DCR"
) -> Value:
    if input.rank != 4:
        raise BadType(f"blocks of an image {input.type}, not of rank 4")
    return move(input, blocksize, blocks_first=mode == "DCR")


@table.convert("CenterCropPad")
def center_crop_pad(input_data: Value, shape: Index, *, axes: Ints | None = None) -> Value:
    """Half of what is missing (or too much) goes in front, the larger half behind."""
    rank = input_data.rank
    where = tuple(range(rank)) if axes is None else axes_of(axes, rank)
    if length_of(shape) != len(where):
        raise BadType(f"CenterCropPad to {shape.type} on {len(where)} axes")
    pairs: list[build.Size] = [0] * (2 * rank)
    for axis, target in zip(where, build.elements(shape), strict=True):
        pairs[2 * axis : 2 * axis + 2] = _centre(build.size_of(input_data, axis), target)
    return ops.pad(input_data, build.vector(input_data.model, pairs, negative=True))


def _centre(size: build.Size, target: build.Size) -> list[build.Size]:
    """What is put before and after an axis so that its middle stays."""
    missing = build.minus(target, size)
    if isinstance(missing, int):
        front: build.Size = int(missing / 2)
    else:  # a quotient of sizes counts as one that is not negative
        front = binary.max_(missing, 0) / 2 - binary.max_(0 - missing, 0) / 2
    return [front, build.minus(missing, front)]
