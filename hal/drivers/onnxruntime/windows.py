"""The standard's sliding windows as ONNX attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import windows
from nnir.types import AutoPad


def begins_ends(pads: Sequence[int]) -> list[int]:
    """(before, after) of each axis as all begins, then all ends."""
    return [*pads[::2], *pads[1::2]]


def padding(
    input: Value,
    auto_pad: AutoPad,
    pads: Sequence[int] | None,
    kernel: Sequence[int],
    strides: Sequence[int],
) -> tuple[str | None, list[int] | None]:
    """ONNX's auto_pad and pads."""
    rank = len(kernel)
    match auto_pad:
        case AutoPad.SAME:
            sizes = [d for d in input.shape[2:] if not isinstance(d, Expr)]
            if len(sizes) == rank:
                pairs = windows.resolve_padding(auto_pad, None, sizes, kernel, strides)
                return None, begins_ends([p for pair in pairs for p in pair])
            if any(s > k for s, k in zip(strides, kernel, strict=True)):
                raise NoLowering("auto_pad SAME with strides above the kernel needs known sizes")
            return "SAME_UPPER", None
        case AutoPad.VALID:
            return None, [0] * (2 * rank)
    return None, begins_ends(pads or (0,) * (2 * rank))


def whole(
    input: Value,
    pads: Sequence[int] | None,
    kernel: Sequence[int],
    strides: Sequence[int],
) -> list[int] | None:
    """Pads (before, after) that make overhanging last windows whole; None for unknown sizes."""
    spatial = input.shape[2:]
    if any(isinstance(d, Expr) for d in spatial):
        return None
    found: list[int] = []
    pairs = windows.pair_pads(pads, len(kernel))
    for size, k, s, (before, after) in zip(spatial, kernel, strides, pairs, strict=True):
        count = windows.slid(size, k, s, (before, after), ceil=True)
        need = (count - 1) * s + k - size - before
        found += [before, max(after, int(need))]  # type: ignore[arg-type]
    return found


def sized(name: str, input: Value) -> list[int]:
    """The spatial sizes; NoLowering where they are not known."""
    sizes = [int(d) for d in input.shape[2:] if not isinstance(d, Expr)]
    if len(sizes) < input.rank - 2:
        raise NoLowering(f"{name} needs known sizes on onnxruntime, not {input.type}")
    return sizes


def attributes(**given: Any) -> dict[str, Any]:
    """Tuples as lists."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in given.items()}
