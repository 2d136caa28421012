"""Padding by modes, of any rank, also by rows (front, behind) for each axis."""

from __future__ import annotations

import numpy as np

from .. import build
from ..broadcast import axes_of, contents, ints, length_of
from ..dim import Dim, Expr
from ..errors import BadType, NotConstant, Unsupported
from ..model import Index, Value
from ..ops import binary, index, shape
from ..types import PadMode
from .promotion import Number, to_value

MODES = {
    "constant": PadMode.CONSTANT,
    "reflect": PadMode.REFLECT,
    "replicate": PadMode.EDGE,
    "circular": PadMode.WRAP,
}


def pad_by_mode(x: Value, pad: Value, mode: PadMode, value: Number = 0) -> Value:
    """`x` with elements around it: the pairs in `pad` begin with the last axis.

    Negative amounts crop: in front of circular padding, behind the others, which mirror and
    repeat what is cropped.
    """
    amounts = contents(pad)
    if amounts is None:
        raise Unsupported(f"pad of {x.type} by amounts that are only known while running")
    if len(amounts) % 2 or len(amounts) > 2 * x.rank:
        raise BadType(f"pad of {x.type} by {amounts}")
    if all(n == 0 for n in amounts):
        return x
    _check(x, amounts, mode)
    pairs = _by_axis(x, pad, amounts)
    single = to_value(value, x.precision, x.model) if value else None
    known = ints(pairs)
    if mode in (PadMode.CONSTANT, PadMode.WRAP) or known is None:
        return shape.pad(x, pairs, single, mode=mode)
    return _then_cropped(x, known, mode)


def _by_axis(x: Value, pad: Value, amounts: tuple[Dim, ...]) -> Value:
    """A pair (front, behind) for every axis, from the first one on."""
    count = len(amounts) // 2
    if all(isinstance(n, int) for n in amounts):
        pairs = [amounts[2 * k : 2 * k + 2] for k in reversed(range(count))]
        return x.model.constant(np.array([(0, 0)] * (x.rank - count) + pairs, np.int64).reshape(-1))
    order = [2 * k + side for k in reversed(range(count)) for side in (0, 1)]
    turned = index.gather(pad, order, axis=0)
    if count == x.rank:
        return turned
    zeros = x.model.constant(np.zeros(2 * (x.rank - count), np.int64))
    return shape.concat(zeros, turned, axis=0)


def _check(x: Value, amounts: tuple[Dim, ...], mode: PadMode) -> None:
    """PyTorch mirrors and wraps at most once."""
    for k in range(len(amounts) // 2):
        size = x.shape[-1 - k]
        for n in amounts[2 * k : 2 * k + 2]:
            if isinstance(n, Expr) or isinstance(size, Expr):
                continue
            farthest = {PadMode.REFLECT: size - 1, PadMode.WRAP: size}.get(mode, n)
            if n > farthest or (mode != PadMode.CONSTANT and n > 0 and not size):
                raise BadType(f"pad of {x.type} by {amounts} with mode {mode.name}")


def _then_cropped(x: Value, pairs: tuple[int, ...], mode: PadMode) -> Value:
    result = x
    if any(n > 0 for n in pairs):
        result = shape.pad(x, [max(n, 0) for n in pairs], mode=mode)
    axes = [k for k in range(x.rank) if min(pairs[2 * k : 2 * k + 2]) < 0]
    if not axes:
        return result
    starts = [max(-pairs[2 * k], 0) for k in axes]
    ends = [min(pairs[2 * k + 1], 0) or np.iinfo(np.int64).max for k in axes]
    return index.slice_(result, axes, starts, ends)


def flat_pads(x: Value, paddings: Value) -> Value:
    """A row (front, behind) for each axis as the standard has them: one after the other."""
    if paddings.rank != 2:
        raise BadType(f"paddings {paddings.type}, not a row for each axis")
    known = ints(paddings)
    if known is not None:
        return x.model.constant(list(known), "int64")
    return shape.reshape(build.int64(paddings), [2 * x.rank])


def pad_by_rows(x: Value, paddings: Value, value: Value | None) -> Value:
    """PAD with one element, 0 where it is None."""
    pads = flat_pads(x, paddings)
    known = ints(pads)
    if known is not None and not any(known):
        return x
    return shape.pad(x, pads, value)


def pad_mirrored(input: Value, paddings: Index, *, mode: str) -> Value:
    """Padding that repeats what lies beside the edge; with mode SYMMETRIC also the edge."""
    match mode:
        case "REFLECT":
            return shape.pad(input, flat_pads(input, paddings), mode=PadMode.REFLECT)
        case "SYMMETRIC":
            known = ints(flat_pads(input, paddings))
            if known is None:
                raise NotConstant("symmetric paddings that are only known while running")
            return pad_symmetric(input, known)
    raise Unsupported(f"MirrorPad with mode={mode!r}")


def pad_symmetric(x: Value, pads: tuple[int, ...]) -> Value:
    """Each axis goes on backwards from its first and from its last element."""
    for axis in range(x.rank):
        front, behind = pads[2 * axis : 2 * axis + 2]
        size = x.shape[axis]
        if isinstance(size, int) and max(front, behind) > size:
            raise BadType(f"symmetric paddings {front} and {behind} of an axis of {size}")
        parts = [x]
        if front:
            parts.insert(0, index.slice_(x, [axis], [front - 1], [build.FRONT], [-1]))
        if behind:
            parts.append(index.slice_(x, [axis], [-1], [-1 - behind], [-1]))
        x = shape.concat(*parts, axis=axis) if len(parts) > 1 else x
    return x


def pad_sides(
    x: Value, pads: Index, value: Value | None, axes: Index | None, mode: PadMode
) -> Value:
    """PAD by all that is in front, then all that is behind, of every axis or of those named."""
    count = x.rank if axes is None else length_of(axes)
    if length_of(pads) != 2 * count:
        raise BadType(f"padding {pads.type}, not before and after each of {count} axes")
    known, where = ints(pads), tuple(range(count)) if axes is None else ints(axes)
    rows = np.zeros((x.rank, 2), np.int64)
    if known is not None and where is not None:
        rows[list(axes_of(where, x.rank))] = np.reshape(known, (2, count)).T
        return shape.pad(x, x.model.constant(rows.reshape(-1)), value, mode=mode)
    given = shape.transpose(shape.reshape(build.int64(pads), [2, count]))
    if axes is not None:
        given = index.scatter_nd(pads.model.constant(rows), shape.unsqueeze(axes, [-1]), given)
    return shape.pad(x, shape.reshape(given, [2 * x.rank]), value, mode=mode)


def centre(x: Value, sizes: Index, axes: tuple[int, ...]) -> Value:
    """`x` cut or filled with zeros to sizes along axes, so that its middle stays: half of what is
    missing (or too much) goes in front, the larger half behind."""
    if length_of(sizes) != len(axes):
        raise BadType(f"sizes {sizes.type} of {len(axes)} axes")
    pairs: list[build.Size] = [0] * (2 * x.rank)
    for axis, target in zip(axes_of(axes, x.rank), build.elements(sizes), strict=True):
        pairs[2 * axis : 2 * axis + 2] = _centre(build.size_of(x, axis), target)
    return shape.pad(x, build.vector(x.model, pairs, negative=True))


def _centre(size: build.Size, target: build.Size) -> list[build.Size]:
    """What is put before and after an axis so that its middle stays."""
    missing = build.minus(target, size)
    if isinstance(missing, int):
        front: build.Size = int(missing / 2)
    else:  # a quotient of sizes counts as one that is not negative
        front = binary.max_(missing, 0) / 2 - binary.max_(0 - missing, 0) / 2
    return [front, build.minus(missing, front)]
