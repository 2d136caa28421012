"""The standard's sliding windows as ONNX attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nnir.dim import Dim, Expr
from nnir.errors import NoLowering
from nnir.model import Value

from ...attributes import Window
from . import proto
from .emitter import Emitter, Operand, Ref


def begins_ends(pads: Sequence[int]) -> list[int]:
    """(before, after) of each axis as all begins, then all ends."""
    return [*pads[::2], *pads[1::2]]


def slide(
    g: Emitter, op: str, how: Window, *operands: Operand, **attributes: proto.Attribute
) -> Ref:
    """A node whose windows lie as `how` says, as far as the attributes do not say otherwise."""
    where = {"dilations": how.dilations, "pads": begins_ends(how.pads), "strides": how.strides}
    said: dict[str, Any] = where | attributes
    return g.node(op, *operands, **said)


def padding(input: Value, how: Window) -> tuple[str | None, list[int] | None]:
    """ONNX's auto_pad and pads."""
    if not how.is_same:
        return None, begins_ends(how.pads)
    pairs = how.same_padding(input.shape[2:])
    if pairs is not None:
        return None, begins_ends([p for pair in pairs for p in pair])
    axes = zip(input.shape[2:], how.extents, how.strides, strict=True)
    if any(stride > extent and leaves_out(n, extent, stride) for n, extent, stride in axes):
        raise NoLowering("auto_pad SAME with strides above the kernel needs known sizes")
    return "SAME_UPPER", None


def leaves_out(size: Dim, extent: int, stride: int) -> bool:
    """Whether elements may lie behind the last window, which ONNX Runtime takes for a padding below
    zero."""
    return isinstance(size, Expr) or (size - 1) // stride * stride + extent < size


def spatial_sizes(name: str, input: Value) -> list[int]:
    """The spatial sizes; NoLowering where they are not known."""
    sizes = [int(d) for d in input.shape[2:] if not isinstance(d, Expr)]
    if len(sizes) < input.rank - 2:
        raise NoLowering(f"{name} needs known sizes on onnxruntime, not {input.type}")
    return sizes


def add_border(g: Emitter, x: Ref, borders: Sequence[tuple[int, int]]) -> Ref:
    """Grow (positive) or cut (negative) the spatial axes."""
    if not any(map(any, borders)):
        return x
    pads = [0, 0, *(a for a, _ in borders), 0, 0, *(b for _, b in borders)]
    return g.node("Pad", x, g.ints(*pads))
