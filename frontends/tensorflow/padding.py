"""TensorFlow's padding."""

from __future__ import annotations

from nnir import build
from nnir.broadcast import ints
from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Value
from nnir.ops import index, shape
from nnir.types import PadMode

from ..table import Table

table = Table()


def pads_of(x: Value, paddings: Value) -> Value:
    """A row (front, behind) for each axis as the standard has them: one after the other."""
    if paddings.rank != 2:
        raise BadType(f"paddings {paddings.type}, not a row for each axis")
    known = ints(paddings)
    if known is not None:
        return x.model.constant(list(known), "int64")
    return shape.reshape(build.int64(paddings), [2 * x.rank])


@table.convert("Pad")
def pad(input: Value, paddings: Index) -> Value:
    return padded(input, paddings, None)


@table.convert("PadV2")
def pad_v2(input: Value, paddings: Index, constant_values: Value) -> Value:
    return padded(input, paddings, constant_values)


def padded(x: Value, paddings: Value, value: Value | None) -> Value:
    """PAD with one element, 0 where it is None."""
    pads = pads_of(x, paddings)
    known = ints(pads)
    if known is not None and not any(known):
        return x
    return shape.pad(x, pads, value)


@table.convert("MirrorPad")
def mirror_pad(input: Value, paddings: Index, *, mode: str) -> Value:
    match mode:
        case "REFLECT":
            return shape.pad(input, pads_of(input, paddings), mode=PadMode.REFLECT)
        case "SYMMETRIC":
            known = ints(pads_of(input, paddings))
            if known is None:
                raise NotConstant("symmetric paddings that are only known while running")
            return symmetric(input, known)
    raise Unsupported(f"MirrorPad with mode={mode!r}")


def symmetric(x: Value, pads: tuple[int, ...]) -> Value:
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
