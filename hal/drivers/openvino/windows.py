"""The standard's sliding windows as OpenVINO's attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import windows
from nnir.types import AutoPad

from .emitter import Emitter, Ref


def padding(
    input: Value,
    auto_pad: AutoPad,
    pads: Sequence[int] | None,
    kernel: Sequence[int],
    strides: Sequence[int],
) -> dict[str, Any]:
    """OpenVINO's auto_pad, pads_begin and pads_end."""
    rank = len(kernel)
    match auto_pad:
        case AutoPad.SAME:
            sizes = [d for d in input.shape[2:] if not isinstance(d, Expr)]
            if len(sizes) < rank:
                return {"auto_pad": "same_upper", "pads_begin": [0] * rank, "pads_end": [0] * rank}
            pairs = windows.resolve_padding(auto_pad, None, sizes, kernel, strides)
        case AutoPad.VALID:
            pairs = windows.pair_pads(None, rank)
        case _:
            pairs = windows.pair_pads(pads, rank)
    begins, ends = [a for a, _ in pairs], [b for _, b in pairs]
    return {"auto_pad": "explicit", "pads_begin": begins, "pads_end": ends}


def whole(
    input: Value,
    pads: Sequence[int] | None,
    kernel: Sequence[int],
    strides: Sequence[int],
    *,
    inside: bool = False,
) -> list[tuple[int, int]] | None:
    """Pads (before, after) that make overhanging last windows whole; None for unknown sizes.

    With `inside` no window starts in the padding behind the data.
    """
    spatial = input.shape[2:]
    if any(isinstance(d, Expr) for d in spatial):
        return None
    found: list[tuple[int, int]] = []
    pairs = windows.pair_pads(pads, len(kernel))
    for size, k, s, (before, after) in zip(spatial, kernel, strides, pairs, strict=True):
        if inside:
            count = windows.slid_inside(size, k, s, (before, after))
        else:
            count = windows.slid(size, k, s, (before, after), ceil=True)
        need = (int(count) - 1) * s + k - int(size) - before  # type: ignore[arg-type]
        found.append((before, max(after, need)))
    return found


def sized(name: str, input: Value) -> list[int]:
    """The spatial sizes; NoLowering where they are not known."""
    sizes = [int(d) for d in input.shape[2:] if not isinstance(d, Expr)]
    if len(sizes) < input.rank - 2:
        raise NoLowering(f"{name} needs known sizes on openvino, not {input.type}")
    return sizes


def bordered(
    g: Emitter, x: Value | Ref, borders: Sequence[tuple[int, int]], value: float = 0
) -> Ref:
    """Grow (positive) or cut (negative) the spatial axes."""
    ref = g.ref(x)
    if ref is None:
        raise NoLowering("openvino: a border of nothing")
    first = ref.rank - len(borders)
    if any(a > 0 or b > 0 for a, b in borders):
        begins, ends = ([max(p[k], 0) for p in borders] for k in (0, 1))
        lead = [0] * first
        ref = g.node(
            "Pad",
            ref,
            g.ints(*lead, *begins),
            g.ints(*lead, *ends),
            g.number(value, ref),
            pad_mode="constant",
        )
    if any(a < 0 or b < 0 for a, b in borders):
        axes = [k + first for k, (a, b) in enumerate(borders) if a < 0 or b < 0]
        cut = [borders[k - first] for k in axes]
        starts = g.ints(*(max(-a, 0) for a, _ in cut))
        stops = g.ints(*(b if b < 0 else (1 << 31) - 1 for _, b in cut))
        ref = g.node("Slice", ref, starts, stops, g.ints(*[1] * len(axes)), g.ints(*axes))
    if ref is None:
        raise NoLowering("openvino: a border of nothing")
    return ref
