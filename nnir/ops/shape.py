"""Operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..broadcast import axes_of, axis_of, contents, ints, length_of, text
from ..dim import Dim, Expr, product
from ..errors import NotConstant, Unsupported
from ..model import Index, Value
from ..operator import Pattern, carry, operator, require
from ..types import PadMode, Precision, Row, TensorType
from .rules import Shape, carry_data, common_dim, common_type, fresh, require_integers

MODES = {PadMode.REFLECT: "reflect", PadMode.REPLICATE: "edge", PadMode.EDGE: "edge"}
MODES[PadMode.WRAP] = "wrap"


def _reshape(input: np.ndarray, shape: np.ndarray) -> np.ndarray:
    own = Row(input.shape)
    return _reshape_exact(input, [own[i] if d == 0 else d for i, d in enumerate(shape.flat)])


def _reshape_exact(input: np.ndarray, shape: np.ndarray | list[int]) -> np.ndarray:
    sizes = [int(d) for d in np.asarray(shape).flat]
    if min(sizes, default=0) < -1:  # NumPy takes any negative size for one that is inferred
        raise ValueError(f"cannot reshape into {sizes}")
    return input.reshape(sizes)


def _infer_target(input: Value, target: Shape) -> Shape:
    """`target` with its -1 worked out, checked against the number of elements."""
    unknown = [i for i, d in enumerate(target) if not isinstance(d, Expr) and d < 0]
    fits = all(isinstance(d, Expr) or d >= -1 for d in target) and len(unknown) < 2
    require(fits, f"reshape of {input.type} to {text(target)}")
    try:
        return _complete(input, target, unknown)
    except Unsupported:  # sizes whose product is too large an expression, so that nothing is known
        return tuple(input.model.fresh() if d == -1 else d for d in target)


def _complete(input: Value, target: Shape, unknown: Sequence[int]) -> Shape:
    count, known = product(input.shape), product(d for d in target if d != -1)
    if unknown:
        require(known != 0, f"reshape of {input.type} to {text(target)}: -1 beside a size 0")
        rest = count // known
        target = tuple(rest if i in unknown else d for i, d in enumerate(target))
        known = known * rest
    both = isinstance(count, int) and isinstance(known, int)
    require(not both or count == known, f"reshape of {input.type} to {text(target)}")
    return target


@operator(pattern=Pattern.MOVEMENT, code=67, reference=_reshape, content=carry_data(_reshape))
def reshape(input: Value, shape: Index) -> TensorType:
    """The same elements in the same order in a new shape.

    Types: any; `shape` holds integers.
    Shapes: one -1 is inferred from the number of elements, 0 copies the size of that input axis.
    Edges: RESHAPE_EXACT asks for a real size 0.
    """
    require_integers(shape, "the shape of reshape")
    target = contents(shape)
    if target is None:
        return input.type.with_shape(fresh(input, length_of(shape)))
    copied = [i for i, d in enumerate(target) if d == 0 and i >= input.rank]
    require(not copied, f"reshape of {input.type} to {text(target)}: no axis for the 0")
    copy = (input.shape[i] if d == 0 else d for i, d in enumerate(target))
    return input.type.with_shape(_infer_target(input, tuple(copy)))


@operator(
    pattern=Pattern.MOVEMENT,
    code=1250,
    reference=_reshape_exact,
    content=carry_data(_reshape_exact),
)
def reshape_exact(input: Value, shape: Index) -> TensorType:
    """RESHAPE where a 0 in `shape` means a size of 0.

    Types: any; `shape` holds integers.
    Shapes: one -1 is inferred unless another size is 0.
    """
    require_integers(shape, "the shape of reshape_exact")
    target = contents(shape)
    if target is None:
        return input.type.with_shape(fresh(input, length_of(shape)))
    return input.type.with_shape(_infer_target(input, target))


def _transpose(input: np.ndarray, *, perm: tuple[int, ...] | None) -> np.ndarray:
    return np.transpose(input, perm or None)


@operator(pattern=Pattern.MOVEMENT, code=89, reference=_transpose, content=carry(_transpose))
def transpose(input: Value, *, perm: tuple[int, ...] | None = None) -> TensorType:
    """Permute the axes: output axis i is input axis `perm[i]`.

    Types: any.
    Shapes: an absent or empty `perm` reverses the axes.
    """
    order = axes_of(perm, input.rank) if perm else tuple(reversed(range(input.rank)))
    require(len(order) == input.rank, "transpose of {} with perm {}", input.type, perm)
    return input.type.with_shape(tuple(input.shape[a] for a in order))


def _squeeze(input: np.ndarray, axes: np.ndarray | None = None) -> np.ndarray:
    wanted = None if axes is None or not axes.size else tuple(int(a) for a in axes.flat)
    return np.squeeze(input, wanted)


@operator(pattern=Pattern.MOVEMENT, code=81, reference=_squeeze, content=carry_data(_squeeze))
def squeeze(input: Value, axes: Index | None = None) -> TensorType:
    """Drop axes of size 1.

    Types: any; `axes` holds integers.
    Shapes: absent or empty `axes` drop every 1; the result may have rank 0.
    """
    require_integers(axes, "the axes of squeeze")
    known = ints(axes)
    if axes is not None and known is None and (count := length_of(axes)):
        return input.type.with_shape(fresh(input, input.rank - count))
    if not known:
        symbolic = any(isinstance(d, Expr) for d in input.shape)
        if symbolic:
            raise NotConstant(f"squeeze of {input.type} without axes: the rank is not known")
        known = tuple(i for i, d in enumerate(input.shape) if d == 1)
    dropped = axes_of(known, input.rank)
    fits = all(isinstance(input.shape[a], Expr) or input.shape[a] == 1 for a in dropped)
    require(fits, f"squeeze of {input.type} on axes {known}")
    return input.type.with_shape(tuple(d for i, d in enumerate(input.shape) if i not in dropped))


def _unsqueeze(input: np.ndarray, axes: np.ndarray) -> np.ndarray:
    for axis in axes.flat:
        input = np.expand_dims(input, int(axis))
    return input


@operator(pattern=Pattern.MOVEMENT, code=90, reference=_unsqueeze, content=carry_data(_unsqueeze))
def unsqueeze(input: Value, axes: Index) -> TensorType:
    """Insert axes of size 1.

    Types: any; `axes` holds integers.
    Shapes: one axis after the other in list order; a negative one adds the rank so far plus 1.
    Edges: empty `axes` insert nothing.
    """
    require_integers(axes, "the axes of unsqueeze")
    known = ints(axes)
    if known is None:
        return input.type.with_shape(fresh(input, input.rank + length_of(axes)))
    shape = list(input.shape)
    for axis in known:
        shape.insert(axis_of(axis, len(shape), extra=1), 1)
    return input.type.with_shape(tuple(shape))


def _flatten(input: np.ndarray, *, start_axis: int, end_axis: int) -> np.ndarray:
    rank = max(input.ndim, 1)
    first, last = axis_of(start_axis, rank), axis_of(end_axis, rank)
    head, tail = input.shape[:first], input.shape[last + 1 :]
    return input.reshape([*head, int(np.prod(input.shape[first : last + 1], dtype=int)), *tail])


@operator(pattern=Pattern.MOVEMENT, code=26, reference=_flatten)
def flatten(input: Value, *, start_axis: int, end_axis: int) -> TensorType:
    """Merge the axes from `start_axis` to `end_axis`, both included.

    Types: any.
    Shapes: a negative axis adds the rank; rank 0 becomes [1].
    """
    rank = max(input.rank, 1)
    first, last = axis_of(start_axis, rank), axis_of(end_axis, rank)
    require(first <= last, f"flatten from axis {start_axis} to {end_axis} of {input.type}")
    merged = product(input.shape[first : last + 1])
    return input.type.with_shape((*input.shape[:first], merged, *input.shape[last + 1 :]))


def _concat(*input: np.ndarray, axis: int) -> np.ndarray:
    return np.concatenate(input, axis)


@operator(pattern=Pattern.MOVEMENT, code=13, reference=_concat, content=carry(_concat))
def concat(*input: Value, axis: int = -1) -> TensorType:
    """Join tensors along an existing axis.

    Types: any, one for all.
    Shapes: equal but for `axis`, whose sizes add up; at least rank 1.
    """
    first = common_type(input, "concat")
    joined = axis_of(axis, first.rank)
    shape = [common_dim(dims, "concat") for dims in _columns(input, joined)]
    total: Dim = sum((v.shape[joined] for v in input[1:]), input[0].shape[joined])
    return first.with_shape((*shape[:joined], total, *shape[joined + 1 :]))


def _columns(values: Sequence[Value], skipped: int) -> list[Sequence[Dim]]:
    """The sizes of all values axis by axis; only the first one's on the axis `skipped`."""
    columns = zip(*(v.shape for v in values), strict=True)
    return [dims[:1] if i == skipped else dims for i, dims in enumerate(columns)]


def _stack(*input: np.ndarray, axis: int) -> np.ndarray:
    return np.stack(input, axis)


@operator(pattern=Pattern.MOVEMENT, code=82, reference=_stack, content=carry(_stack))
def stack(*input: Value, axis: int) -> TensorType:
    """Join tensors along a new axis.

    Types: any, one for all.
    Shapes: all equal; `axis` in [-rank - 1, rank] is the place of the new axis.
    """
    first = common_type(input, "stack")
    place = axis_of(axis, first.rank, extra=1)
    shape = [common_dim(dims, "stack") for dims in _columns(input, -1)]
    return first.with_shape((*shape[:place], len(input), *shape[place:]))


def _split(input: np.ndarray, split: np.ndarray, *, axis: int) -> list[np.ndarray]:
    sizes = [int(s) for s in split.flat]
    if sum(sizes) != input.shape[axis]:
        raise ValueError(f"pieces of {sizes} do not make up {input.shape[axis]}")
    return np.split(input, np.cumsum(sizes)[:-1].astype(int), axis)


def _unknown(input: Value, count: int) -> tuple[Dim, ...]:
    """Lengths of pieces, of which there may be more than a tensor has axes."""
    return tuple(input.model.fresh() for _ in range(count))


@operator(pattern=Pattern.MOVEMENT, code=79, reference=_split, order=("input", "axis", "split"))
def split(input: Value, split: Index, *, axis: int) -> tuple[TensorType, ...]:
    """Cut a tensor into pieces of the lengths `split` along an axis.

    Types: any; `split` holds integers.
    Shapes: as many outputs as `split` has elements; the lengths add up to the size of the axis.
    Edges: pieces of length 0 are allowed.
    """
    require_integers(split, "the lengths of split")
    place, size = axis_of(axis, input.rank), input.shape[axis]
    sizes = contents(split) or ints(split) or _unknown(input, length_of(split))
    require(len(sizes) > 0, f"split of {input.type} into nothing")
    total: Dim = sum(sizes[1:], sizes[0])
    both = isinstance(total, int) and isinstance(size, int)
    bad = any(not isinstance(s, Expr) and s < 0 for s in sizes)
    require(not bad and (not both or total == size), f"split of {input.type} into {text(sizes)}")
    head, tail = input.shape[:place], input.shape[place + 1 :]
    return tuple(input.type.with_shape((*head, s, *tail)) for s in sizes)


def _unstack(input: np.ndarray, *, axis: int, num: int) -> list[np.ndarray]:
    if input.shape[axis] != num:
        raise ValueError(f"{num} slices of an axis of {input.shape[axis]}")
    return list(np.moveaxis(input, axis, 0))


@operator(pattern=Pattern.MOVEMENT, code=91, reference=_unstack, since="v1.1")
def unstack(input: Value, *, axis: int, num: int) -> tuple[TensorType, ...]:
    """Cut a tensor into `num` slices along an axis, which is dropped.

    Types: any.
    Shapes: `num` is the size of the axis.
    """
    place = axis_of(axis, input.rank)
    size = input.shape[place]
    fits = num > 0 and (isinstance(size, Expr) or size == num)
    require(fits, f"unstack of {input.type} into {num} slices")
    return (input.type.with_shape(input.shape[:place] + input.shape[place + 1 :]),) * num


def _expand(input: np.ndarray, shape: np.ndarray) -> np.ndarray:
    target = [int(d) for d in shape.flat]
    own = (1,) * (len(target) - input.ndim) + input.shape
    return np.broadcast_to(input, [s if d == -1 else d for d, s in zip(target, own, strict=True)])


@operator(pattern=Pattern.MOVEMENT, code=23, reference=_expand, content=carry_data(_expand))
def expand(input: Value, shape: Index) -> TensorType:
    """Repeat axes of size 1 until the tensor has a shape.

    Types: any; `shape` holds integers.
    Shapes: aligned at the last axis; -1 keeps the size of the input.
    Edges: a size above 1 never becomes 1; use the broadcast shape.
    """
    require_integers(shape, "the shape of expand")
    target = contents(shape) or fresh(input, length_of(shape))
    lead = len(target) - input.rank
    require(lead >= 0, f"expand of {input.type} to {text(target)}")
    own = (1,) * lead + input.shape
    return input.type.with_shape(
        tuple(_expand_size(d, s, input, target) for d, s in zip(target, own, strict=True))
    )


def _expand_size(wanted: Dim, own: Dim, input: Value, target: Shape) -> Dim:
    if not isinstance(own, Expr) and own != 1:
        fits = isinstance(wanted, Expr) or wanted in (-1, own)
        require(fits, f"expand of {input.type} to {text(target)}")
        return own
    return own if wanted == -1 else wanted


def _tile(input: np.ndarray, repeats: np.ndarray) -> np.ndarray:
    return np.tile(input, [int(r) for r in repeats.flat])


@operator(pattern=Pattern.MOVEMENT, code=87, reference=_tile, content=carry_data(_tile))
def tile(input: Value, repeats: Index) -> TensorType:
    """Repeat the whole tensor along each axis.

    Types: any; `repeats` holds integers.
    Shapes: the shorter of the shape and `repeats` is filled with 1 in front.
    Edges: 0 copies give an empty tensor.
    """
    require_integers(repeats, "the repeats of tile")
    count = contents(repeats)
    if count is None:
        return input.type.with_shape(fresh(input, max(length_of(repeats), input.rank)))
    rank = max(input.rank, len(count))
    own = (1,) * (rank - input.rank) + input.shape
    times = (1,) * (rank - len(count)) + count
    return input.type.with_shape(tuple(d * r for d, r in zip(own, times, strict=True)))


def _shape(input: np.ndarray, *, dtype: Precision) -> np.ndarray:
    return np.array(input.shape, dtype.dtype)


def _dims(input: Value, *, dtype: Precision) -> np.ndarray:
    dims = np.empty(input.rank, object)
    dims[:] = input.shape
    return dims


@operator(pattern=Pattern.MOVEMENT, code=73, reference=_shape, content=_dims)
def shape(input: Value, *, dtype: Precision) -> TensorType:
    """The sizes of a tensor's axes as a vector.

    Types: any; the result is INT32 or INT64, as `dtype` says.
    """
    integers = dtype in (Precision.INT32, Precision.INT64)
    require(integers, f"shape as {dtype.name}, not INT32 or INT64")
    return TensorType(dtype, (input.rank,))


def _pad(
    input: np.ndarray, pads: np.ndarray, value: np.ndarray | None = None, *, mode: PadMode
) -> np.ndarray:
    pairs = [(int(b), int(e)) for b, e in pads.reshape(-1, 2)]
    widths = [(max(b, 0), max(e, 0)) for b, e in pairs]
    if mode != PadMode.CONSTANT:
        return np.pad(_crop(input, pairs), widths, MODES[mode])  # type: ignore[call-overload]
    shape = [b + n + e for (b, e), n in zip(widths, input.shape, strict=True)]
    result = np.full(shape, 0 if value is None else value.reshape(()), input.dtype)
    result[tuple(slice(b, b + n) for (b, _), n in zip(widths, input.shape, strict=True))] = input
    return _crop(result, pairs)


def _crop(input: np.ndarray, pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    sizes = zip(pairs, input.shape, strict=True)
    return input[tuple(slice(max(-b, 0), max(n + min(e, 0), 0)) for (b, e), n in sizes)]


@operator(
    pattern=Pattern.MOVEMENT, code=56, reference=_pad, order=("input", "pads", "mode", "value")
)
def pad(
    input: Value, pads: Index, value: Value | None = None, *, mode: PadMode = PadMode.CONSTANT
) -> TensorType:
    """Add elements in front of and behind every axis.

    Types: any; `pads` holds integers, `value` (one element, 0 when absent) has the input's type.
    Shapes: `pads` has a pair (front, behind) per axis.
    Edges: negative pads crop: behind CONSTANT, in front of the other modes. REFLECT mirrors
    without the border element, EDGE and REPLICATE repeat it, WRAP goes on from the other side.
    """
    require(mode == PadMode.CONSTANT or mode in MODES, f"pad with mode {mode.name}")
    require_integers(pads, "the pads of pad")
    if value is not None:
        require(value.precision == input.precision, f"pad of {input.type} with {value.type}")
    amounts = contents(pads)
    if amounts is None:
        return input.type.with_shape(fresh(input, input.rank))
    require(len(amounts) == 2 * input.rank, f"pad of {input.type} by {text(amounts)}")
    pairs = zip(amounts[::2], amounts[1::2], input.shape, strict=True)
    shape = tuple(b + n + e for b, e, n in pairs)
    fits = all(isinstance(d, Expr) or d >= 0 for d in shape)
    require(fits, f"pad of {input.type} by {text(amounts)}")
    return input.type.with_shape(shape)
