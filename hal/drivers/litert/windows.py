"""The standard's sliding windows as TFLite has them: SAME, VALID, or a border added before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nnir.dim import Expr
from nnir.errors import NoLowering
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


def pairs_of(name: str, input: Ref, how: Window, *, inside: bool = False) -> Pairs | None:
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


def padding_of(input: Ref, pairs: Pairs | None, how: Window) -> int | None:
    """SAME or VALID where one of them is this padding."""
    if pairs is not None and not any(map(any, pairs)):
        return VALID
    return SAME if is_same(input, pairs, how) else None


def is_same(input: Ref, pairs: Pairs | None, how: Window) -> bool:
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


def along(field: str, numbers: Sequence[int]) -> dict[str, int]:
    """The fields of a kernel that have a number for each spatial axis, `stride_{}` for one."""
    letters = "dhw"[-len(numbers) :]
    return {field.format(a): n for a, n in zip(letters, numbers, strict=True)}


def steps(how: Window, padding: int) -> dict[str, int]:
    """The fields of a kernel that say where its windows lie."""
    return {"padding": padding, **along("stride_{}", how.strides)}


def crop(g: Emitter, ref: Ref, cuts: Pairs) -> Ref:
    """Take elements away in front of and behind the axes as they are stored."""
    shape = tuple(n - a - b for n, (a, b) in zip(ref.tensor.shape, cuts, strict=True))
    if any(isinstance(n, Expr) and any(pair) for n, pair in zip(shape, cuts, strict=True)):
        raise NoLowering("litert cuts a border of known sizes only")
    sizes = [-1 if isinstance(n, Expr) else n for n in shape]
    starts = g.ints(*(a for a, _ in cuts))
    return g.move("SLICE", [ref], starts, g.ints(*sizes), shape=shape, order=ref.order)


def pad_for_kernel(g: Emitter, name: str, image: Ref, how: Window) -> tuple[Ref, int]:
    """The image with its border, and how the kernel is to pad."""
    pairs = pairs_of(name, image, how)
    padding = padding_of(image, pairs, how)
    if padding is None:
        return add_border(g, image, pairs or ()), VALID
    return image, padding
