"""Operators that select or place elements by position."""

from __future__ import annotations

from typing import Any

import torch

from nnir.broadcast import axis_of, length_of
from nnir.dim import Dim, product
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import index
from nnir.types import Precision

from ...lowering import Lowerings
from . import borders, cuda
from .emitter import Emitter, Result

table = Lowerings[Result]()


def wrap_positions(g: Emitter, indices: Value, size: Dim) -> Result:
    """Positions as int64, those from the end as from the beginning."""
    at, known = g.index_within(indices, size), indices.known
    if known is not None and (not known.size or known.min() >= 0):
        return at
    return torch.where(at < 0, at + g.size(size), at)


@table.lower(index.gather)
def gather(g: Emitter, input: Value, indices: Value, *, axis: int) -> Result:
    place, x, known = axis_of(axis, input.rank), g.bits(input), indices.known
    if known is not None and known.ndim == 0:
        return g.unbits(x.select(place, int(known)), input.precision)
    at = g.index_within(indices, g.axes(input)[place])
    if indices.rank == 1 and known is not None and (not known.size or known.min() >= 0):
        return g.unbits(torch.index_select(x, place, at), input.precision)
    return g.unbits(x[(slice(None),) * place + (at,)], input.precision)


@table.lower(index.roll)
def roll(g: Emitter, input: Value, shifts: Value, axes: Value | None) -> Result:
    amounts = g.sizes(shifts)
    if axes is None:
        return g.unbits(torch.roll(g.bits(input), amounts[0]), input.precision)
    result = g.bits(input)
    for amount, axis in zip(amounts, g.sizes(axes), strict=True):
        result = torch.roll(result, amount, axis)
    return g.unbits(result, input.precision)


@table.lower(index.slice_)
def slice_(
    g: Emitter, input: Value, axes: Value | None, starts: Value, ends: Value, steps: Value | None
) -> Result:
    count = length_of(starts)
    where = range(count) if axes is None else g.sizes(axes)
    by = [1] * count if steps is None else g.sizes(steps)
    result: Any = g.bits(input)
    for axis, start, end, step in zip(where, g.sizes(starts), g.sizes(ends), by, strict=True):
        place = axis_of(axis, input.rank) if isinstance(axis, int) else axis
        bounds = [start, end, step]
        if isinstance(place, int) and isinstance(step, int) and step > 0:
            result = result[(slice(None),) * place + (slice(*bounds),)]
        else:
            result = g.call(borders.slice_strided, result, place, *bounds)
    return g.unbits(result, input.precision)


@table.lower(index.gather_elements)
def gather_elements(g: Emitter, input: Value, indices: Value, *, axis: int) -> Result:
    at = wrap_positions(g, indices, g.axes(input)[axis])
    return g.unbits(torch.gather(g.bits(input), axis, at), input.precision)


REDUCTIONS = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


def _scatter(
    g: Emitter, x: Any, axis: int, at: Any, updates: Any, precision: Precision, reduction: str
) -> Result:
    """Positions along an axis are visited in order: of equal ones the last wins."""
    if reduction == "none":
        if g.on_cuda:
            return g.call(cuda.scatter_in_order, x, axis, at, updates)
        return torch.scatter(x, axis, at, updates)
    if precision == Precision.BOOL8:
        kind = "amax" if reduction in ("add", "max") else "amin"
        small = x.to(torch.uint8), updates.to(torch.uint8)
        return torch.scatter_reduce(small[0], axis, at, small[1], kind).to(torch.bool)
    if precision.dtype.kind == "c":
        if reduction != "add":
            raise NoLowering(f"torch scatters no {precision.name} with {reduction}")
        return torch.scatter_add(x, axis, at, updates)
    return torch.scatter_reduce(x, axis, at, updates, REDUCTIONS[reduction])


def _both(g: Emitter, input: Value, updates: Value, reduction: str) -> tuple[Any, Any]:
    form = g.bits if reduction == "none" else g.ordered
    return form(input), form(updates)


def _to_result(g: Emitter, result: Any, precision: Precision, reduction: str) -> Result:
    if reduction == "none":
        return g.unbits(result, precision)
    if precision == Precision.UINT64 and reduction not in ("max", "min"):
        raise NoLowering(f"torch scatters no UINT64 with {reduction}")
    return g.disordered(result, precision)


@table.lower(index.scatter_elements)
def scatter_elements(
    g: Emitter, input: Value, indices: Value, updates: Value, *, axis: int, reduction: str
) -> Result:
    at = wrap_positions(g, indices, g.axes(input)[axis])
    x, new = _both(g, input, updates, reduction)
    result = _scatter(g, x, axis, at, new, input.precision, reduction)
    return _to_result(g, result, input.precision, reduction)


@table.lower(index.scatter_nd)
def scatter_nd(
    g: Emitter, input: Value, indices: Value, updates: Value, *, reduction: str
) -> Result:
    """As rows: the vectors of positions become one position in the leading axes."""
    depth = int(indices.shape[-1])  # type: ignore[arg-type]  # checked by the rule
    own, at = g.axes(input), g.index(indices)
    lead, width = own[:depth], product(own[depth:])
    place: Any = None
    for k, size in enumerate(lead):
        part = at.select(-1, k)
        part = g.call(cuda.check_positions, part, g.size(size)) if g.on_cuda else part
        part = torch.where(part < 0, part + g.size(size), part)
        place = part if place is None else place * g.size(size) + part
    x, new = _both(g, input, updates, reduction)
    rows, columns = g.size(product(lead)), g.size(width)
    count = g.size(product(g.axes(indices)[:-1]))
    spread = place.reshape([count, 1]).expand([count, columns])
    flat = x.reshape([rows, columns])
    moved = new.reshape([count, columns])
    result = _scatter(g, flat, 0, spread, moved, input.precision, reduction)
    return _to_result(g, result.reshape(g.shape(input)), input.precision, reduction)


@table.lower(index.non_zero)
def non_zero(g: Emitter, input: Value) -> Result:
    x = g.of(input)
    return torch.nonzero(x).t()


@table.lower(index.channel_shuffle)
def channel_shuffle(g: Emitter, input: Value, *, group: int) -> Result:
    sizes = g.axes(input)
    split = [sizes[0], group, sizes[1] // group, *sizes[2:]]
    apart = g.raw(input).reshape([g.size(d) for d in split]).transpose(1, 2)
    return apart.reshape([g.size(d) for d in sizes])
