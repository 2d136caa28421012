"""ATen's numerical gradient: second-order differences inside, one-sided ones at the ends."""

from __future__ import annotations

from collections.abc import Sequence

from nnir.broadcast import axis_of, shapes_differ
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import binary, shape
from nnir.recipes.promotion import Number, promote_to_float, round_once

from ...table import Items, Table
from .cumulative import cut, diff

table = Table()
FAR = 1 << 62
Spacing = Number | Value


def _ends(x: Value, axis: int, order: int) -> tuple[Value, Value]:
    """The differences at the first and at the last place, for a spacing of 1."""
    steps = diff(x, dim=axis)
    first, last = cut(steps, axis, 0, 1), cut(steps, axis, -1, FAR)
    if order == 1:
        return first, last
    curves = diff(steps, dim=axis)
    half = x.scalar(0.5)
    bends = cut(curves, axis, 0, 1), cut(curves, axis, -1, FAR)
    start = first - bends[0] * half
    return start, last + bends[1] * half


def _evenly(x: Value, axis: int, spacing: float, order: int) -> Value:
    inner = cut(x, axis, 2, FAR) - cut(x, axis, 0, -2)
    inner = inner * 0.5
    first, last = _ends(x, axis, order)
    return shape.concat(first, inner, last, axis=axis) / spacing


def _at(x: Value, axis: int, points: Value, order: int) -> Value:
    """With coordinates: the slopes on both sides weighed by each other's lengths.

    With order 2 the ends continue the parabolas through the three outer points.
    """
    widths = diff(points, dim=0)
    trailing = list(range(1, x.rank - axis))
    widths = shape.unsqueeze(widths, trailing) if trailing else widths
    slopes = binary.div(*promote_to_float(diff(x, dim=axis), widths))
    side = axis - x.rank
    left, right = cut(widths, side + widths.rank, 0, -1), cut(widths, side + widths.rank, 1, FAR)
    before, after = cut(slopes, axis, 0, -1), cut(slopes, axis, 1, FAR)
    both = left + right
    inner = (before * right + after * left) / both
    first, last = cut(slopes, axis, 0, 1), cut(slopes, axis, -1, FAR)
    if order == 2:
        curves = (after - before) / both
        early, late = left * curves, right * curves
        first = first - cut(early, axis, 0, 1)
        last = last + cut(late, axis, -1, FAR)
    return shape.concat(first, inner, last, axis=axis)


def _along(x: Value, axis: int, spacing: Spacing, order: int) -> Value:
    if order not in (1, 2):
        raise Unsupported(f"gradient with edge_order={order!r}")
    size = x.shape[axis]
    if isinstance(size, int) and size <= order:
        raise BadType(f"gradient of {x.type} along axis {axis} with edge_order={order!r}")
    if isinstance(spacing, complex):
        raise Unsupported(f"gradient with spacing={spacing!r}")
    if isinstance(spacing, Value):
        return round_once(lambda y, p: _at(y, axis, p, order), *promote_to_float(x, spacing))
    return round_once(lambda y: _evenly(y, axis, float(spacing), order), *promote_to_float(x))


def _gradients(
    x: Value, spacing: Spacing | Sequence[Spacing], dim: Sequence[int] | None, order: int
) -> list[Value]:
    """Along axes, all of them without `dim`; one number is the spacing along each."""
    axes = range(x.rank) if dim is None else [axis_of(d, x.rank) for d in dim]
    steps = spacing if isinstance(spacing, (list, tuple)) else [spacing] * len(axes)
    if len(set(axes)) < len(axes):
        raise BadType(f"gradient along the axes {tuple(axes)}")
    if len(steps) != len(axes):
        raise BadType(f"gradient with {len(steps)} spacings along {len(axes)} axes")
    for axis, step in zip(axes, steps, strict=True):
        if (
            isinstance(step, Value)
            and step.rank == 1
            and shapes_differ(step.shape, (x.shape[axis],))
        ):
            raise BadType(f"gradient of {x.type} along axis {axis} with points {step.type}")
    return [_along(x, a, s, order) for a, s in zip(axes, steps, strict=True)]


def _one(dim: int | None) -> tuple[int, ...] | None:
    return None if dim is None else (dim,)


@table.convert("aten.gradient.scalarint")
def gradient(
    self: Value, *, spacing: Number | None = None, dim: int | None = None, edge_order: int = 1
) -> list[Value]:
    return _gradients(self, 1 if spacing is None else spacing, _one(dim), edge_order)


@table.convert("aten.gradient.scalararray")
def gradient_axes(
    self: Value, *, spacing: Number, dim: tuple[int, ...], edge_order: int = 1
) -> list[Value]:
    return _gradients(self, spacing, dim, edge_order)


@table.convert("aten.gradient.array")
def gradient_plain(self: Value, *, dim: tuple[int, ...], edge_order: int = 1) -> list[Value]:
    return _gradients(self, 1, dim, edge_order)


@table.convert("aten.gradient.scalarrayint")
def gradient_spacings(
    self: Value, *, spacing: tuple[float, ...], dim: int | None = None, edge_order: int = 1
) -> list[Value]:
    return _gradients(self, spacing, _one(dim), edge_order)


@table.convert("aten.gradient.scalarrayarray")
def gradient_spacings_axes(
    self: Value, *, spacing: tuple[float, ...], dim: tuple[int, ...], edge_order: int = 1
) -> list[Value]:
    return _gradients(self, spacing, dim, edge_order)


@table.convert("aten.gradient.tensorarrayint")
def gradient_points(
    self: Value, *, spacing: Items, dim: int | None = None, edge_order: int = 1
) -> list[Value]:
    return _gradients(self, spacing, _one(dim), edge_order)


@table.convert("aten.gradient.tensorarray")
def gradient_points_axes(
    self: Value, *, spacing: Items, dim: tuple[int, ...], edge_order: int = 1
) -> list[Value]:
    return _gradients(self, spacing, dim, edge_order)
