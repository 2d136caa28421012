"""The standard's sliding windows as OpenVINO's attributes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NotRequired, TypedDict

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import pool

from ...attributes import Ints, Window
from ...quirks import report_met
from .emitter import Emitter, Ref
from .quirks import BORDER_BEFORE_SAME, is_behind_border

Pair = tuple[int, int]
"""Before and after an axis."""


class Border(TypedDict):
    """OpenVINO's attributes of padding."""

    auto_pad: str
    pads_begin: list[int]
    pads_end: list[int]
    output_padding: NotRequired[list[int]]


class Pooling(Border):
    """OpenVINO's attributes of a pool."""

    kernel: Ints
    strides: Ints
    rounding_type: str


def explicit(pairs: Sequence[Pair]) -> Border:
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


def keep_apart(g: Emitter, input: Value, x: Ref, border: Border) -> Ref:
    """What a window reads, with nothing put on where OpenVINO would join a border in front of it
    with a window that finds its own: that one is lost then."""
    if border["auto_pad"] == "explicit" or not is_behind_border(input):
        return x
    report_met(BORDER_BEFORE_SAME)
    nothing = g.dims(x) * 0
    return g.node("Pad", x, nothing, nothing, g.number(0, x), pad_mode="constant")


def spatial_sizes(input: Value) -> list[int]:
    """The spatial sizes; NoLowering where they are not known."""
    sizes = [int(d) for d in input.shape[2:] if not isinstance(d, Expr)]
    if len(sizes) < input.rank - 2:
        raise NoLowering(f"openvino needs known sizes of a filter, or a result, of {input.type}")
    return sizes


def split_border(pairs: Iterable[Pair]) -> tuple[list[Pair], list[Pair]]:
    """What of a border cuts, and what of it grows."""
    whole = list(pairs)
    cut = [(min(a, 0), min(b, 0)) for a, b in whole]
    return cut, [(max(a, 0), max(b, 0)) for a, b in whole]


def add_border(g: Emitter, x: Value | Ref, borders: Sequence[Pair], value: float = 0) -> Ref:
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


def pooling(g: Emitter, input: Value, how: Window) -> Pooling:
    """Kernel, strides and padding of a pool, in which overhanging last windows are whole; those of
    the operators over any axes do not start behind the data."""
    inside = g.operation.operator in (pool.average_pool, pool.max_pool)
    border, rounding = padding(input, how), "floor"
    if how.ceil_mode:
        pairs = how.fit_padding(input.shape[2:], inside=inside)
        is_open = any(isinstance(d, Expr) for d in input.shape[2:])
        if is_open and not (inside or how.starts_in_data(input.shape[2:])):
            raise NoLowering(f"openvino: {g.operation.operator.name} of {input.type}, rounded up")
        if pairs is None or is_open:
            rounding = "ceil_torch" if inside else "ceil"
        else:
            border = explicit(pairs)
    sides = zip((*border["pads_begin"], *border["pads_end"]), how.kernel_shape * 2, strict=True)
    if border["auto_pad"] == "explicit" and not all(0 <= p < k for p, k in sides):
        raise NoLowering("openvino pools with padding smaller than the kernel only")
    return {"kernel": how.kernel_shape, "strides": how.strides, "rounding_type": rounding, **border}
