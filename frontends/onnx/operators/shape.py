"""ONNX operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir import build
from nnir.broadcast import LONGEST, axes_of, axis_of, broadcast, contents, ints, length_of
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.ops import compare, index, sort, unary
from nnir.ops import shape as ops
from nnir.types import PadMode, Precision

from ...table import Table, Wanted

table = Table()
table.same({"Transpose": ops.transpose})


def int64(value: Value) -> Value:
    """Positions or sizes as int64."""
    if value.precision == Precision.INT64:
        return value
    return unary.cast(value, dtype=Precision.INT64)


@table.convert("Reshape", since=5)
def reshape(data: Value, shape: Index, *, allowzero: int = 0) -> Value:
    """With `allowzero` a 0 is a size; shapes without one mean the same either way."""
    target = contents(shape)
    is_exact = allowzero and (target is None or any(isinstance(d, Expr) or d == 0 for d in target))
    return ops.reshape_exact(data, shape) if is_exact else ops.reshape(data, shape)


@table.convert("Reshape")
def reshape_1(
    data: Value, *, shape: tuple[int, ...] = (), consumed_inputs: tuple[int, ...] = ()
) -> Value:
    return reshape(data, data.model.constant(shape, np.int64))


@table.convert("Squeeze")
def squeeze_1(data: Value, *, axes: tuple[int, ...] = ()) -> Value:
    return ops.squeeze(data, list(axes) or None)


@table.convert("Squeeze", since=13)
def squeeze(data: Value, axes: Index | None = None) -> Value:
    """No axes drop every 1, but an empty list of axes drops none."""
    if axes is not None and length_of(axes) == 0:
        return unary.assign(data)
    return ops.squeeze(data, axes)


@table.convert("Unsqueeze")
def unsqueeze_1(data: Value, *, axes: tuple[int, ...]) -> Value:
    return unsqueeze(data, data.model.constant(axes, np.int64))


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


@table.convert("Concat")
def concat_1(*inputs: Value, axis: int = 1) -> Value:
    return ops.concat(*inputs, axis=axis)


@table.convert("Concat", since=4)
def concat(*inputs: Value, axis: int) -> Value:
    return ops.concat(*inputs, axis=axis)


@table.convert("Split")
def split_1(
    input: Value,
    lengths: Value | None = None,
    *,
    axis: int = 0,
    split: tuple[int, ...] = (),
    wanted: Wanted,
) -> tuple[Value, ...]:
    """Opset 1 has the lengths as an input or as an attribute."""
    if lengths is not None:
        return cut(input, int64(lengths), axis)
    return split_2(input, axis=axis, split=split, wanted=wanted)


@table.convert("Split", since=2)
def split_2(
    input: Value, *, axis: int = 0, split: tuple[int, ...] = (), wanted: Wanted
) -> tuple[Value, ...]:
    lengths = input.model.constant(split, np.int64) if split else None
    return split_13(input, lengths, axis=axis, wanted=wanted)


@table.convert("Split", since=13)
def split_13(
    input: Value, split: Index | None = None, *, axis: int = 0, wanted: Wanted
) -> tuple[Value, ...]:
    size = input.shape[axis_of(axis, input.rank)]
    if split is None and isinstance(size, int) and size % wanted:
        raise BadType(f"Split of an axis of {size} into {wanted} equal pieces")
    return split_18(input, split, axis=axis, wanted=wanted)


@table.convert("Split", since=18)
def split_18(
    input: Value,
    split: Index | None = None,
    *,
    axis: int = 0,
    num_outputs: int | None = None,
    wanted: Wanted,
) -> tuple[Value, ...]:
    """Without lengths the pieces are equal, but for a smaller last one."""
    if split is not None:
        return cut(input, split, axis)
    count = num_outputs or wanted
    if not wanted <= count <= LONGEST:
        raise BadType(f"Split into {count} pieces with {wanted} outputs")
    whole = build.size_of(input, axis_of(axis, input.rank))
    if isinstance(whole, int):
        longest = -(-whole // count)
        lengths = [min(longest, max(whole - k * longest, 0)) for k in range(count)]
        return cut(input, build.vector(input.model, lengths), axis)
    piece = build.over(build.plus(whole, count - 1), count)
    last = build.minus(whole, build.times(piece, count - 1))
    return cut(input, build.vector(input.model, [piece] * (count - 1) + [last]), axis)


def cut(input: Value, lengths: Value, axis: int) -> tuple[Value, ...]:
    """SPLIT; pieces of a shape are cut by SLICE, which keeps what is known of their elements."""
    known = ints(lengths)
    if input.content is None or known is None or sum(known) != input.shape[axis]:
        return ops.split(input, lengths, axis=axis)
    ends = np.cumsum(known).tolist()
    return tuple(
        index.slice_(input, [axis], [end - n], [end]) for n, end in zip(known, ends, strict=True)
    )


@table.convert("Expand")
def expand(input: Value, shape: Index) -> Value:
    """ONNX broadcasts both ways; EXPAND only repeats axes of size 1."""
    target = contents(shape)
    if target is not None:
        both = broadcast(input.shape, target)
        if both == target:
            return ops.expand(input, shape)
        if not any(isinstance(d, Expr) for d in both):
            return ops.expand(input, list(both))
    missing = input.rank - length_of(shape)
    if missing > 0:
        shape = ops.concat([1] * missing, shape, axis=0)
    own = [1] * -missing + build.sizes_of(input)
    wanted = int64(shape)
    ones = compare.equal(wanted, [1])
    result = compare.where(ones, build.vector(input.model, own), wanted)
    if target is not None and result.content is None:
        result.content = np.array(broadcast(input.shape, target), object)
    return ops.expand(input, result)


@table.convert("Tile")
def tile_1(input: Value, tiles: Index, axis: int) -> Value:
    count = ops.reshape(int64(tiles), [1])
    rest = input.rank - 1 - axis_of(axis, input.rank)
    repeats = build.vector(input.model, [1] * (input.rank - 1 - rest) + [count] + [1] * rest)
    return ops.tile(input, repeats)


@table.convert("Tile", since=6)
def tile(input: Value, repeats: Index) -> Value:
    return ops.tile(input, repeats)


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


def pad_mode(mode: str, name: str = "Pad") -> PadMode:
    """The code of one of ONNX's padding modes."""
    match mode:
        case "constant":
            return PadMode.CONSTANT
        case "reflect":
            return PadMode.REFLECT
        case "edge":
            return PadMode.EDGE
        case "wrap":
            return PadMode.WRAP
    raise Unsupported(f"{name} with mode={mode!r}")


def pair_pads(pads: Value) -> Value:
    """ONNX has all begins, then all ends; the standard has a pair per axis."""
    rows = ops.reshape(pads, [2, -1]) if length_of(pads) else pads
    return ops.reshape(ops.transpose(rows), [-1]) if length_of(pads) else pads


@table.convert("Pad")
def pad_1(
    data: Value, *, paddings: tuple[int, ...], mode: str = "constant", value: float = 0.0
) -> Value:
    return pad_2(data, pads=paddings, mode=mode, value=value)


@table.convert("Pad", since=2)
def pad_2(
    data: Value, *, pads: tuple[int, ...], mode: str = "constant", value: float = 0.0
) -> Value:
    constant = data.model.constant(value, data.dtype)
    return pad(data, data.model.constant(pads, np.int64), constant, mode=mode)


@table.convert("Pad", since=11)
def pad(
    data: Value,
    pads: Index,
    constant_value: Value | None = None,
    axes: Index | None = None,
    *,
    mode: str = "constant",
) -> Value:
    known = ints(pads)
    if length_of(pads) % 2:
        raise BadType(f"Pad by {pads.type}, not a begin and an end per axis")
    if known is None or axes is not None:
        pairs = pair_pads(pads) if axes is None else _on_axes(pair_pads(pads), axes, data.rank)
    else:
        pairs = data.model.constant(np.reshape(known, (2, -1)).T.reshape(-1), np.int64)
    return ops.pad(data, pairs, constant_value, mode=pad_mode(mode))


def _on_axes(pairs: Value, axes: Value, rank: int) -> Value:
    """Pairs for some axes as pairs for all."""
    where = ints(axes)
    known = ints(pairs)
    if where is None or known is None:
        none = pairs.model.constant(np.zeros((rank, 2)), np.int64)
        rows = ops.reshape(int64(pairs), [-1, 2])
        placed = index.scatter_nd(none, ops.unsqueeze(axes, [-1]), rows)
        return ops.reshape(placed, [2 * rank])
    full = np.zeros((rank, 2), np.int64)
    full[list(axes_of(where, rank))] = np.reshape(known, (-1, 2))
    return pairs.model.constant(full.reshape(-1))


@table.convert("DepthToSpace")
def depth_to_space(input: Value, *, blocksize: int, mode: str = "DCR") -> Value:
    n, c, h, w = _image(input, "DepthToSpace")
    b, depth = blocksize, build.over(c, blocksize * blocksize)
    match mode:
        case "DCR":
            split, perm = [n, b, b, depth, h, w], (0, 3, 4, 1, 5, 2)
        case "CRD":
            split, perm = [n, depth, b, b, h, w], (0, 1, 4, 2, 5, 3)
        case _:
            raise Unsupported(f"DepthToSpace with mode={mode!r}")
    moved = ops.transpose(build.reshape(input, split), perm=perm)
    return build.reshape(moved, [n, depth, build.times(h, b), build.times(w, b)])


@table.convert("SpaceToDepth")
def space_to_depth(input: Value, *, blocksize: int, mode: str = "DCR") -> Value:
    n, c, h, w = _image(input, "SpaceToDepth")
    b = blocksize
    match mode:
        case "DCR":
            perm = (0, 3, 5, 1, 2, 4)
        case "CRD":
            perm = (0, 1, 3, 5, 2, 4)
        case _:
            raise Unsupported(f"SpaceToDepth with mode={mode!r}")
    rows, columns = build.over(h, b), build.over(w, b)
    moved = ops.transpose(build.reshape(input, [n, c, rows, b, columns, b]), perm=perm)
    return build.reshape(moved, [n, build.times(c, b * b), rows, columns])


def _image(input: Value, name: str) -> list[build.Size]:
    if input.rank != 4:
        raise BadType(f"{name} of {input.type}, not of rank 4")
    return build.sizes_of(input)


@table.convert("CenterCropPad")
def center_crop_pad(
    input_data: Value, shape: Index, *, axes: tuple[int, ...] | None = None
) -> Value:
    """Half of what is missing (or too much) goes in front, the larger half behind."""
    rank = input_data.rank
    where = tuple(range(rank)) if axes is None else axes_of(axes, rank)
    if length_of(shape) != len(where):
        raise BadType(f"CenterCropPad to {shape.type} on {len(where)} axes")
    targets = _elements(int64(shape))
    pairs: list[build.Size] = [0] * (2 * rank)
    for axis, target in zip(where, targets, strict=True):
        pairs[2 * axis : 2 * axis + 2] = _centre(build.size_of(input_data, axis), target)
    # Crops are negative: they must not get names, which stand for sizes.
    whole = [p if isinstance(p, Value) else input_data.model.constant([p], np.int64) for p in pairs]
    return ops.pad(input_data, ops.concat(*whole, axis=0) if whole else [])


def _elements(vector: Value) -> Sequence[build.Size]:
    """The elements of a vector one by one."""
    known = ints(vector)
    if known is not None:
        return known
    return [index.slice_(vector, [0], [i], [i + 1]) for i in range(length_of(vector))]


def _centre(size: build.Size, target: build.Size) -> list[build.Size]:
    missing = build.minus(target, size)
    front: build.Size = int(missing / 2) if isinstance(missing, int) else missing / 2
    return [front, build.minus(missing, front)]
