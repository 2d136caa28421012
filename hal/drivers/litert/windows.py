"""The standard's sliding windows as TFLite has them: SAME, VALID, or a border added before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
from nnir.formats.tflite import schema
from nnir.model import Value
from nnir.ops import windows

from ...attributes import Window
from .emitter import Emitter, Ref

SAME, VALID = 0, 1


Pairs = Sequence[tuple[int, int]]


def spatial_sizes(name: str, input: Value | Ref) -> list[int]:
    """The spatial sizes; NoLowering where they are not known."""
    sizes = [int(d) for d in input.shape[2:] if not isinstance(d, Expr)]
    if len(sizes) < input.rank - 2:
        raise NoLowering(
            f"{name} needs known sizes on litert, not {list(map(str, input.shape))}: "
            "fix them with --dim NAME=SIZE"
        )
    return sizes


def pairs_of(name: str, input: Ref, how: Window, *, inside: bool) -> Pairs | None:
    """(before, after) of each axis, by which last windows are whole; `inside` says that none starts
    behind the data. None for SAME of sizes that are only known while running."""
    if how.is_same:
        is_open = any(isinstance(d, Expr) for d in input.shape[2:])
        return None if is_open else how.resolve_padding(spatial_sizes(name, input))
    pairs = how.fit_padding(input.shape[2:], inside=inside) if how.ceil_mode else how.pairs
    if pairs is None:
        raise NoLowering(
            f"{name} of {list(map(str, input.shape))} with ceil_mode, whose last windows may start "
            "behind the data, needs known sizes on litert"
        )
    return pairs


def padding_of(
    name: str, input: Ref, how: Window, *, inside: bool = False
) -> tuple[Pairs | None, int | None]:
    """What `pairs_of` says, and SAME or VALID where one of them is this padding."""
    pairs = pairs_of(name, input, how, inside=inside)
    if pairs is not None and not any(map(any, pairs)):
        return pairs, VALID
    return pairs, SAME if is_same(input, pairs, how) else None


def is_same(input: Value | Ref, pairs: Pairs | None, how: Window) -> bool:
    """Whether TFLite's SAME is this padding."""
    if pairs is None:
        return True
    for n, pair, e, s in zip(input.shape[2:], pairs, how.extents, how.strides, strict=True):
        if isinstance(n, Expr):
            alike = s == 1 and tuple(pair) == ((e - 1) // 2, e // 2)
        else:
            alike = tuple(pair) == windows.same_pads(n, e, s)
        if not alike:
            return False
    return True


def grow(g: Emitter, ref: Ref, pairs: Sequence[Sequence[int]], fill: Ref | None = None) -> Ref:
    """`fill` or zeros before and behind the axes as they are stored."""
    if not any(map(any, pairs)):
        return ref
    shape = tuple(n + a + b for n, (a, b) in zip(ref.tensor.shape, pairs, strict=True))
    rest = [g.constant(np.array(pairs, np.int32)), *([] if fill is None else [fill])]
    return g.move("PAD" if fill is None else "PADV2", [ref], *rest, shape=shape, order=ref.order)


def add_border(g: Emitter, ref: Ref, pairs: Pairs, value: float | None = None) -> Ref:
    """Grow (positive) or cut (negative) the spatial axes of a tensor with channels last."""
    grown = [(0, 0), *((max(a, 0), max(b, 0)) for a, b in pairs), (0, 0)]
    ref = grow(g, ref, grown, None if value is None else g.number(value, ref))
    cuts = [(0, 0), *((max(-a, 0), max(-b, 0)) for a, b in pairs), (0, 0)]
    return crop(g, ref, cuts) if any(map(any, cuts)) else ref


def fields(kernel: str, how: Window, padding: int | None) -> dict[str, int]:
    """Where the windows of a kernel lie, as far as its options have it; a border that is neither
    SAME nor VALID is there already."""
    letters, sides = "dhw"[-how.rank :], ("filter_height", "filter_width")
    told = {"padding": VALID if padding is None else padding}
    told |= zip([f"stride_{a}" for a in letters], how.strides, strict=True)
    told |= zip([f"dilation_{a}_factor" for a in letters], how.dilations, strict=True)
    told |= zip(sides, how.kernel_shape[-2:], strict=True)
    return {name: told[name] for name in schema.defaults_of(kernel) if name in told}


def crop(g: Emitter, ref: Ref, cuts: Pairs) -> Ref:
    """Take elements away in front of and behind the axes as they are stored."""
    shape = tuple(n - a - b for n, (a, b) in zip(ref.tensor.shape, cuts, strict=True))
    if any(isinstance(n, Expr) and any(pair) for n, pair in zip(shape, cuts, strict=True)):
        raise NoLowering("litert cuts a border of known sizes only")
    sizes = [-1 if isinstance(n, Expr) else n for n in shape]
    starts = g.ints(*(a for a, _ in cuts))
    return g.move("SLICE", [ref], starts, g.ints(*sizes), shape=shape, order=ref.order)


def pad_for_kernel(g: Emitter, name: str, image: Ref, how: Window) -> tuple[Ref, int | None]:
    """The image with its border, and how the kernel is to pad."""
    pairs, padding = padding_of(name, image, how)
    return (add_border(g, image, pairs or ()) if padding is None else image), padding
