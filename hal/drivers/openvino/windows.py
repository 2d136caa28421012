"""The standard's sliding windows as OpenVINO's attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value

from ...attributes import Window
from .emitter import Emitter, Ref


class Border(TypedDict):
    """OpenVINO's attributes of padding."""

    auto_pad: str
    pads_begin: list[int]
    pads_end: list[int]


def explicit(pairs: Sequence[tuple[int, int]]) -> Border:
    """OpenVINO's attributes of (before, after) of each axis."""
    begins, ends = ([pair[k] for pair in pairs] for k in (0, 1))
    return {"auto_pad": "explicit", "pads_begin": begins, "pads_end": ends}


def padding(input: Value, how: Window) -> Border:
    """OpenVINO's auto_pad, pads_begin and pads_end."""
    if not how.is_same:
        return explicit(how.pairs)
    sizes = [d for d in input.shape[2:] if not isinstance(d, Expr)]
    if len(sizes) < how.rank:
        return explicit([(0, 0)] * how.rank) | {"auto_pad": "same_upper"}
    return explicit(how.resolve_padding(sizes))


def spatial_sizes(name: str, input: Value) -> list[int]:
    """The spatial sizes; NoLowering where they are not known."""
    sizes = [int(d) for d in input.shape[2:] if not isinstance(d, Expr)]
    if len(sizes) < input.rank - 2:
        raise NoLowering(f"{name} needs known sizes on openvino, not {input.type}")
    return sizes


def add_border(
    g: Emitter, x: Value | Ref, borders: Sequence[tuple[int, int]], value: float = 0
) -> Ref:
    """Grow (positive) or cut (negative) the spatial axes."""
    ref = g.take(x)
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
    return ref
