"""Padding that lists a row (front, behind) for each axis, as TensorFlow and TFLite have it."""

from __future__ import annotations

from .. import build
from ..broadcast import ints
from ..errors import BadType, NotConstant, Unsupported
from ..model import Index, Value
from ..ops import index, shape
from ..types import PadMode


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
