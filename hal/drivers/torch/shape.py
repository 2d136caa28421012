"""Operators that rearrange, join, cut or count elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from nnir.broadcast import axis_of, contents, ints, length_of
from nnir.dim import Dim, Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import shape
from nnir.types import PadMode, Precision

from ...attributes import Ints
from ...lowering import Lowerings
from . import borders
from .dtypes import dtype_of
from .emitter import Emitter, Result, Results

table = Lowerings[Result]()


@table.lower(shape.reshape)
def reshape(g: Emitter, input: Value, shape: Value) -> Result:
    known = contents(shape)
    if known is None:
        sizes = g.sizes(shape)
        return g.call(borders.reshape_to, g.raw(input), sizes)
    own = g.axes(input)
    return _reshape(g, input, shape, [own[k] if d == 0 else d for k, d in enumerate(known)])


@table.lower(shape.reshape_exact)
def reshape_exact(g: Emitter, input: Value, shape: Value) -> Result:
    return _reshape(g, input, shape, contents(shape))


def _reshape(g: Emitter, input: Value, shape: Value, target: Sequence[Dim] | None) -> Result:
    """A size that follows from nothing else is read from the operand."""
    if target is None:
        return g.raw(input).reshape(g.sizes(shape))
    sizes: list[Any] = []
    for position, dim in enumerate(target):
        try:
            sizes.append(g.size(dim))
        except NoLowering:
            sizes.append(g.call(borders.to_list, g.raw(shape))[position])
    return g.raw(input).reshape(sizes)


@table.lower(shape.transpose)
def transpose(g: Emitter, input: Value, *, perm: Ints | None) -> Result:
    order = [axis_of(a, input.rank) for a in perm] if perm else range(input.rank)[::-1]
    return g.raw(input).permute(list(order))


@table.lower(shape.squeeze)
def squeeze(g: Emitter, input: Value, axes: Value | None) -> Result:
    known = ints(axes)
    if axes is not None and known is None and length_of(axes):
        return g.call(borders.squeeze_axes, g.raw(input), g.sizes(axes))
    gone = known or [k for k, d in enumerate(input.shape) if d == 1]
    dropped = {axis_of(a, input.rank) for a in gone}
    return g.raw(input).squeeze(sorted(dropped)) if dropped else g.raw(input)


@table.lower(shape.unsqueeze)
def unsqueeze(g: Emitter, input: Value, axes: Value) -> Result:
    result = g.raw(input)
    for axis in g.sizes(axes):
        result = result.unsqueeze(axis)
    return result


@table.lower(shape.flatten)
def flatten(g: Emitter, input: Value, *, start_axis: int, end_axis: int) -> Result:
    if not input.rank:
        return g.raw(input).reshape([1])
    return g.raw(input).flatten(start_axis, end_axis)


@table.lower(shape.concat)
def concat(g: Emitter, *input: Value, axis: int) -> Result:
    return g.unbits(g.call(torch.cat, [g.bits(v) for v in input], axis), input[0].precision)


@table.lower(shape.stack)
def stack(g: Emitter, *input: Value, axis: int) -> Result:
    return g.unbits(g.call(torch.stack, [g.bits(v) for v in input], axis), input[0].precision)


@table.lower(shape.split)
def split(g: Emitter, input: Value, split: Value, *, axis: int) -> Results:
    pieces = torch.split(g.raw(input), g.sizes(split), axis_of(axis, input.rank))
    return tuple(pieces[k] for k in range(length_of(split)))


@table.lower(shape.unstack)
def unstack(g: Emitter, input: Value, *, axis: int, num: int) -> Results:
    pieces = g.raw(input).unbind(axis)
    return tuple(pieces[k] for k in range(num))


@table.lower(shape.expand)
def expand(g: Emitter, input: Value, shape: Value) -> Result:
    return g.raw(input).expand(g.sizes(shape))


@table.lower(shape.tile)
def tile(g: Emitter, input: Value, repeats: Value) -> Result:
    counts = g.sizes(repeats)
    whole = g.bits(input).repeat([*[1] * (input.rank - len(counts)), *counts])
    return g.unbits(whole, input.precision)


@table.lower(shape.shape)
def shape_(g: Emitter, input: Value, *, dtype: Precision) -> Result:
    if input.is_static:
        return g.constant(np.array(input.shape, dtype.dtype))
    return g.call(torch.tensor, g.shape(input), dtype=dtype_of(dtype))


MODES = {
    PadMode.REFLECT: "reflect",
    PadMode.EDGE: "edge",
    PadMode.REPLICATE: "edge",
    PadMode.WRAP: "wrap",
}


MOST_EXACT = 1 << 53
"""The largest integer of those that PyTorch fills with as they are: it takes them for floats."""


@table.lower(shape.pad)
def pad(g: Emitter, input: Value, pads: Value, value: Value | None, *, mode: PadMode) -> Result:
    amounts = g.sizes(pads)
    if mode != PadMode.CONSTANT:
        return _add_border(g, input, amounts, MODES[mode])
    fill = 0 if value is None or value.known is None else _fill(value)
    is_long = isinstance(fill, int) and abs(fill) > MOST_EXACT
    if value is not None and (value.known is None or is_long):
        return _fill_border(g, input, amounts, value)
    flat, bits = flat_pads(amounts), g.bits(input)
    if crops_border(flat):
        bits = functional.pad(bits, [max(n, 0) for n in flat], value=fill)
        flat = [min(n, 0) for n in flat]
    return g.unbits(functional.pad(bits, flat, value=fill), input.precision)


def crops_border(flat: Sequence[int]) -> bool:
    """Whether one end of an axis grows and the other is cropped: torch crops first, and no more
    than there is."""
    pairs = zip(flat[::2], flat[1::2], strict=True)
    return any(type(a) is type(b) is int and min(a, b) < 0 < max(a, b) for a, b in pairs)


def flat_pads(amounts: Sequence[int]) -> list[int]:
    """torch names the last axis first."""
    pairs = [amounts[k : k + 2] for k in range(0, len(amounts), 2)]
    while pairs and all(isinstance(n, int) and n == 0 for n in pairs[0]):
        pairs.pop(0)
    return [n for pair in reversed(pairs) for n in pair]


def _fill(value: Value) -> Any:
    """The element as torch sees it among bits."""
    known = np.asarray(value.known).reshape(-1)[:1]
    kind = value.dtype
    if kind.kind == "u" and kind.itemsize > 1:
        return int(known.view(kind.str.replace("u", "i"))[0])
    if kind.isbuiltin != 1 and kind.itemsize == 1:
        return int(known.view(np.uint8)[0])
    return float(known[0]) if kind.kind == "V" else known[0].item()


def _fill_border(g: Emitter, input: Value, amounts: Any, value: Value) -> Result:
    """Zeros around a mask say where the value belongs, which is a tensor."""
    x = g.bits(input)
    flat = flat_pads(amounts)
    inside = functional.pad(torch.ones_like(x, dtype=torch.bool), flat, value=False)
    result = torch.where(inside, functional.pad(x, flat), g.bits(value).reshape([]))
    return g.unbits(result, input.precision)


def _add_border(g: Emitter, input: Value, amounts: Any, mode: str) -> Result:
    """Axis by axis, by the positions that the border repeats."""
    x = g.bits(input)
    own: tuple[Dim, ...] = g.axes(input)
    for axis in range(input.rank):
        pair = amounts[2 * axis : 2 * axis + 2]
        if any(not isinstance(n, int) or n for n in pair):
            size = own[axis]
            if size == 0 and any(isinstance(n, int) and n > 0 for n in pair):
                raise NoLowering(f"torch repeats no edge of {input.type}")
            if not isinstance(size, Expr) and all(isinstance(n, int) for n in pair):
                places = borders.places_of(size, pair[0], pair[1], mode)
                x = torch.index_select(x, axis, g.constant(places))
            else:
                x = g.call(borders.add_border, x, axis, *pair, mode)
    return g.unbits(x, input.precision)
