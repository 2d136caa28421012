"""Operators that move elements, and what they do to sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....errors import NoLowering
from ..elements import TYPES, Type
from ..graph import End, Output
from ..operands import Axes, Vector
from ..schema import Table
from ..shapes import OPEN, Dimension, PartialShape, broadcast_size, merge, of, span
from ..values import INTERVALS, move, move_first, sizes_of
from .elementwise import same_type

table = Table()
I64 = TYPES["i64"]


def axis_of(axis: int, rank: int, what: str) -> int:
    """An axis counted from the front."""
    if not -rank <= axis < rank:
        raise NoLowering(f"openvino: {what} along axis {axis} of {rank}")
    return axis % rank


def axes_in(output: Output, rank: int, what: str) -> list[int] | None:
    """The axes that an output holds, where they are known."""
    known = output.values()
    return None if known is None else [axis_of(a, rank, what) for a in known]


def length(vector: Output, what: str) -> int:
    """How many elements a vector has, which must be known."""
    if len(vector.shape) > 1:
        raise NoLowering(f"openvino: {what} by a tensor of rank {len(vector.shape)}")
    return vector.shape[0].get_length() if vector.shape else 1


def sizes_in(vector: Output, what: str) -> list[Dimension]:
    """The sizes that a vector holds, open where nobody knows."""
    held = vector.sizes()
    if held is None:
        return [OPEN] * length(vector, what)
    return [of(s) for s in held]


@table.kind("ShapeOf", since=3, value=sizes_of)
def shape_of(data: Output, *, output_type: Type = I64) -> End:
    return output_type, PartialShape([len(data.shape)])


def _reshape(data: np.ndarray, target: np.ndarray, *, special_zero: bool) -> np.ndarray:
    sizes = [int(t) for t in target.reshape(-1)]
    if special_zero:
        sizes = [data.shape[k] if t == 0 else t for k, t in enumerate(sizes)]
    return data.reshape(sizes)


@table.kind("Reshape", value=_reshape)
def reshape(data: Output, target: Vector, *, special_zero: bool) -> End:
    held = target.sizes()
    if held is None:
        return data.type, PartialShape([OPEN] * length(target, "Reshape"))
    if special_zero and 0 in held[len(data.shape) :]:
        raise NoLowering(f"openvino: Reshape of [{data.shape}] to {held}, whose 0 copies nothing")
    sizes = [data.shape[k] if special_zero and s == 0 else s for k, s in enumerate(held)]
    return data.type, _fill_shape(data.shape, sizes)


def _fill_shape(shape: PartialShape, sizes: list[Any]) -> PartialShape:
    """Sizes whose -1 is what is left."""
    if sizes.count(-1) > 1 or any(isinstance(s, int) and s < -1 for s in sizes):
        raise NoLowering(f"openvino: Reshape to {sizes}")
    made = PartialShape(OPEN if isinstance(s, int) and s == -1 else s for s in sizes)
    rest = PartialShape(s for s in sizes if not (isinstance(s, int) and s == -1)).count()
    whole = shape.count()
    if -1 not in sizes:
        if made.is_static and shape.is_static and rest != whole:
            raise NoLowering(f"openvino: Reshape of [{shape}] to [{made}]")
        return made
    left, right = _without_equal(shape, made, sizes)
    if not (left.is_static and right.is_static) or (right.low == 0 and left.low):
        return made
    if right.low and left.low % right.low:
        raise NoLowering(f"openvino: Reshape of [{shape}] to {sizes}")
    size = left.low // right.low if right.low else 0
    return PartialShape(size if isinstance(s, int) and s == -1 else s for s in sizes)


def _without_equal(
    shape: PartialShape, made: PartialShape, sizes: list[Any]
) -> tuple[Dimension, Dimension]:
    """The products of the sizes of both sides, without open ones that are copied: those that are
    the same object, which `OPEN` is for any size."""
    before = list(shape)
    after = [m for m, s in zip(made, sizes, strict=True) if not (isinstance(s, int) and s == -1)]
    for size in [s for s in sizes if isinstance(s, Dimension) and s.is_dynamic and s is not OPEN]:
        places = _place_of(size, before), _place_of(size, after)
        if places[0] is not None and places[1] is not None:
            del before[places[0]], after[places[1]]
    return PartialShape(before).count(), PartialShape(after).count()


def _place_of(size: Dimension, sizes: list[Dimension]) -> int | None:
    """Where a size stands, as the same object."""
    return next((k for k, other in enumerate(sizes) if other is size), None)


def _transpose(data: np.ndarray, order: np.ndarray) -> np.ndarray:
    return data.transpose([int(k) for k in order])


@table.kind("Transpose", value=_transpose)
def transpose(data: Output, order: Vector) -> End:
    rank = len(data.shape)
    if length(order, "Transpose") != rank:
        raise NoLowering(f"openvino: Transpose of {rank} axes by {order.shape}")
    known = axes_in(order, rank, "Transpose")
    if known is None:
        return data.type, PartialShape([OPEN] * rank)
    if sorted(order.values() or ()) != list(range(rank)):
        raise NoLowering(f"openvino: Transpose by {order.values()}")
    return data.type, PartialShape(data.shape[k] for k in known)


def _squeeze(data: np.ndarray, axes: np.ndarray, *, allow_axis_skip: bool) -> np.ndarray:
    return np.squeeze(data, tuple(int(a) for a in axes.reshape(-1)))


@table.kind("Squeeze", since=15, value=_squeeze)
def squeeze(data: Output, axes: Axes, *, allow_axis_skip: bool = False) -> End:
    known = axes_in(axes, len(data.shape), "Squeeze")
    if known is None:
        raise NoLowering("openvino: Squeeze of axes that are only known while running")
    for k in known:
        if not data.shape[k].holds(1):
            raise NoLowering(f"openvino: Squeeze of axis {k} of [{data.shape}]")
    return data.type, PartialShape(d for k, d in enumerate(data.shape) if k not in known)


def _unsqueeze(data: np.ndarray, axes: np.ndarray) -> np.ndarray:
    return np.expand_dims(data, tuple(int(a) for a in axes.reshape(-1)))


@table.kind("Unsqueeze", value=_unsqueeze)
def unsqueeze(data: Output, axes: Axes) -> End:
    rank = len(data.shape) + length(axes, "Unsqueeze")
    known = axes_in(axes, rank, "Unsqueeze")
    if known is None:
        return data.type, PartialShape([OPEN] * rank)
    if len(set(known)) < len(known):
        raise NoLowering(f"openvino: Unsqueeze of axes {known}, of which some are the same")
    rest = iter(data.shape)
    return data.type, PartialShape(1 if k in known else next(rest) for k in range(rank))


def _concat(*parts: np.ndarray, axis: int) -> np.ndarray:
    return np.concatenate(parts, axis)


@table.kind("Concat", value=_concat)
def concat(*parts: Output, axis: int) -> End:
    kind, first = same_type("Concat", *parts), parts[0].shape
    place = axis_of(axis, len(first), "Concat")
    made = list(first)
    for part in parts[1:]:
        if len(part.shape) != len(made):
            raise NoLowering(f"openvino: Concat of [{first}] and [{part.shape}]")
        for k, size in enumerate(part.shape):
            made[k] = made[k] + size if k == place else merge(made[k], size, "parts of Concat")
    return kind, PartialShape(made)


def _split(data: np.ndarray, axis: np.ndarray, *, num_splits: int) -> list[np.ndarray]:
    return np.split(data, num_splits, int(axis))


@table.kind("Split", value=_split)
def split(data: Output, axis: Axes, *, num_splits: int) -> list[End]:
    known = axes_in(axis, len(data.shape), "Split")
    if known is None:
        raise NoLowering("openvino: Split along an axis that is only known while running")
    size = data.shape[known[0]]
    if size.is_static and size.low % num_splits:
        raise NoLowering(f"openvino: Split of {size} into {num_splits}")
    part = span(-(-size.low // num_splits), size.high // num_splits)
    return [(data.type, _replace_size(data.shape, known[0], part))] * num_splits


def _replace_size(shape: PartialShape, axis: int, size: Dimension | int) -> PartialShape:
    return PartialShape(size if k == axis else d for k, d in enumerate(shape))


def _variadic_split(data: np.ndarray, axis: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    sizes = [int(n) for n in lengths]
    if -1 in sizes:
        sizes[sizes.index(-1)] = data.shape[int(axis)] - sum(sizes) - 1
    return np.split(data, np.cumsum(sizes)[:-1], int(axis))


@table.kind("VariadicSplit", value=_variadic_split)
def variadic_split(data: Output, axis: Axes, lengths: Vector) -> list[End]:
    known = axes_in(axis, len(data.shape), "VariadicSplit")
    if known is None:
        raise NoLowering("openvino: VariadicSplit along an axis that is only known while running")
    size, held = data.shape[known[0]], lengths.sizes()
    if held is None:
        return [(data.type, _replace_size(data.shape, known[0], OPEN))] * length(lengths, "a split")
    rest = PartialShape(s for s in held if s != -1)
    total = sum(rest, Dimension(0))
    if -1 not in held:
        merge(size, total, "VariadicSplit and its parts")
    left = size - total
    return [(data.type, _replace_size(data.shape, known[0], left if s == -1 else s)) for s in held]


def _tile(data: np.ndarray, repeats: np.ndarray) -> np.ndarray:
    return np.tile(data, [int(r) for r in repeats])


@table.kind("Tile", value=_tile)
def tile(data: Output, repeats: Vector) -> End:
    counts = sizes_in(repeats, "Tile")
    rank = max(len(counts), len(data.shape))
    if repeats.bounds is None:
        return data.type, PartialShape([OPEN] * rank)
    if (repeats.bounds[0] < 0).any() and (repeats.bounds[0] == repeats.bounds[1]).all():
        raise NoLowering(f"openvino: Tile by {repeats.bounds[0].tolist()}")
    ones = [Dimension(1)]
    left = ones * (rank - len(data.shape)) + list(data.shape)
    right = ones * (rank - len(counts)) + counts
    return data.type, PartialShape(a * b for a, b in zip(left, right, strict=True))


def _broadcast(data: np.ndarray, target: np.ndarray, *, mode: str) -> np.ndarray:
    sizes = tuple(int(t) for t in target)
    if mode == "bidirectional":
        sizes = np.broadcast_shapes(data.shape, sizes)
    return np.broadcast_to(data, sizes)


@table.kind("Broadcast", since=3, value=_broadcast)
def broadcast(data: Output, target: Vector, *, mode: str = "numpy") -> End:
    sizes = sizes_in(target, "Broadcast")
    if mode == "numpy":
        if len(data.shape) > len(sizes):
            raise NoLowering(f"openvino: Broadcast of [{data.shape}] to {sizes}")
        for own, wanted in zip(data.shape[::-1], sizes[::-1], strict=False):
            if own.is_static and wanted.is_static and own.low not in (1, wanted.low):
                raise NoLowering(f"openvino: Broadcast of [{data.shape}] to {sizes}")
        return data.type, PartialShape(sizes)
    rank = max(len(sizes), len(data.shape))
    left = [Dimension(1)] * (rank - len(data.shape)) + list(data.shape)
    right = [Dimension(1)] * (rank - len(sizes)) + sizes
    pairs = zip(left, right, strict=True)
    return data.type, PartialShape(broadcast_size(a, b, "sides of Broadcast") for a, b in pairs)


@table.kind("Pad", since=12)
def pad(
    data: Output, begins: Vector, ends: Vector, value: Output | None = None, *, pad_mode: str
) -> End:
    if value is not None:
        same_type("Pad", data, value)
    for vector in (begins, ends):
        if length(vector, "Pad") != len(data.shape):
            raise NoLowering(f"openvino: Pad of [{data.shape}] by {vector.shape}")
    if pad_mode == "edge" and any(d.high == 0 for d in data.shape):
        raise NoLowering(f"openvino: Pad of [{data.shape}], which has no edge to repeat")
    before, after = begins.sizes(), ends.sizes()
    if before is None or after is None:
        return data.type, PartialShape([OPEN] * len(data.shape))
    rows = list(zip(data.shape, before, after, strict=True))
    if pad_mode == "reflect" and not all(_reaches(size, a, b) for size, a, b in rows):
        raise NoLowering(f"openvino: Pad of [{data.shape}], which has less to mirror")
    return data.type, PartialShape(_grow(_grow(size, a), b) for size, a, b in rows)


def _reaches(size: Dimension, *borders: Dimension | int) -> bool:
    """Whether an axis has as many elements behind its first as known borders mirror."""
    known = [b for b in borders if isinstance(b, int)]
    return size.is_dynamic or not any(b >= size.low for b in known)


def _grow(size: Dimension, border: Dimension | int) -> Dimension:
    """A size with a border, which is cut off where it is below 0."""
    return size - -border if isinstance(border, int) and border < 0 else size + border


_LEADING = (_reshape, _transpose, _squeeze, _unsqueeze, _split, _variadic_split, _tile, _broadcast)
INTERVALS.update(dict.fromkeys(_LEADING, move_first))
INTERVALS[_concat] = move


@table.kind("ShuffleChannels")
def shuffle(data: Output, *, axis: int = 1, group: int = 1) -> End:
    channels = data.shape[axis_of(axis, len(data.shape), "ShuffleChannels")]
    if channels.is_static and channels.low % group:
        raise NoLowering(f"openvino: ShuffleChannels of [{data.shape}] in {group} groups")
    return data.type, data.shape
