"""ATen sums, products, maxima and differences along an axis, and integrals made of them."""

from __future__ import annotations

from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import binary, compare, index, reduce, shape
from nnir.recipes.promotion import Number, Operand, category, promote, promote_to_float
from nnir.types import Precision

from ...table import Table

table = Table()
FAR = 1 << 62
MOST_TIMES = 1000
"""So many differences of differences are written out at most."""


def _running(name: str, operator: Operator) -> None:
    @table.convert(f"aten.{name}.default")
    def convert(self: Value, dim: int, *, dtype: Precision | None = None) -> Value:
        if dtype is None and category(self.precision) < 2:
            dtype = Precision.INT64
        x = self if dtype is None else self.cast(dtype)
        axis = axis_of(dim, max(x.rank, 1))
        return operator(x, axis) if x.rank else x


_running("cumsum", reduce.cum_sum)
_running("cumprod", reduce.cum_prod)


def _best(name: str, operator: Operator[tuple[Value, Value]]) -> None:
    @table.convert(f"aten.{name}.default")
    def convert(self: Value, dim: int) -> tuple[Value, Value]:
        axis = axis_of(dim, max(self.rank, 1))
        if not self.rank:
            return self, self.model.constant(0)
        return operator(self, axis=axis)


_best("cummax", reduce.cum_max)
_best("cummin", reduce.cum_min)


@table.convert("aten.logcumsumexp.default", "aten._logcumsumexp.default")
def logcumsumexp(self: Value, dim: int) -> Value:
    (x,) = promote_to_float(self)
    axis = axis_of(dim, max(x.rank, 1))
    return reduce.cum_log_sum_exp(x, axis=axis) if x.rank else x


def cut(x: Value, axis: int, start: int, end: int) -> Value:
    """The elements from `start` to `end` along an axis."""
    return index.slice_(x, [axis], [start], [end])


@table.convert("aten.diff.default")
def diff(
    self: Value,
    n: int = 1,
    dim: int = -1,
    prepend: Value | None = None,
    append: Value | None = None,
) -> Value:
    if n < 0:
        raise BadType(f"diff with n={n!r}")
    axis = axis_of(dim, self.rank)
    parts = [v for v in (prepend, self, append) if v is not None]
    x = shape.concat(*promote(*parts), axis=axis) if len(parts) > 1 and n else self
    operator = compare.not_equal if x.precision == Precision.BOOL8 else binary.sub
    size = x.shape[axis]
    times = n if isinstance(size, Expr) else min(n, size)
    if times > MOST_TIMES:
        raise Unsupported(f"diff with n={n!r}, more than {MOST_TIMES}")
    for _ in range(times):
        x = operator(cut(x, axis, 1, FAR), cut(x, axis, 0, -1))
    return x


def _middles(y: Value, axis: int) -> Value:
    """The sums of neighbours along an axis."""
    return cut(y, axis, 1, FAR) + cut(y, axis, 0, -1)


def _areas(y: Value, widths: Operand, axis: int) -> Value:
    """The areas of the trapezoids between neighbours, twice."""
    middles = _middles(y, axis)
    return binary.mul(*promote(middles, widths))


def _halve(x: Value) -> Value:
    (whole,) = promote_to_float(x)
    return whole * 0.5


def _widths(y: Value, x: Value, dim: int) -> tuple[Value, int]:
    """The distances of the points, laid along the axis of y, and that axis."""
    axis = axis_of(dim, y.rank)
    if x.rank == 1 and y.rank != 1:
        if isinstance(x.shape[0], int) and x.shape[0] != y.shape[axis] != 1:
            raise BadType(f"{x.type} points for {y.type} along axis {dim}")
        widths = diff(x, dim=0)
        trailing = list(range(1, y.rank - axis))
        return (shape.unsqueeze(widths, trailing) if trailing else widths), axis
    lead = x.rank - y.rank
    return diff(x, dim=axis + lead if dim >= 0 else dim), axis


def _total(areas: Value, dim: int) -> Value:
    if category(areas.precision) < 2:
        areas = areas.cast(Precision.INT64)
    return _halve(reduce.reduce_sum(areas, [dim], keepdim=False))


def _so_far(areas: Value, dim: int) -> Value:
    if category(areas.precision) < 2:
        areas = areas.cast(Precision.INT64)
    return _halve(reduce.cum_sum(areas, dim))


def _from_end(y: Value, dim: int) -> int:
    """An axis counted from the end, so that it stays when y is broadcast."""
    return axis_of(dim, y.rank) - y.rank


@table.convert("aten.trapezoid.x", "aten.trapz.x")
def trapezoid(y: Value, x: Value, *, dim: int = -1) -> Value:
    widths, axis = _widths(y, x, dim)
    return _total(_areas(y, widths, axis), _from_end(y, dim))


@table.convert("aten.trapezoid.dx")
def trapezoid_dx(y: Value, *, dx: Number = 1, dim: int = -1) -> Value:
    """All of y less half of its two ends, which are added in their own type."""
    axis = axis_of(dim, y.rank)
    if y.shape[axis] == 0:
        return _total(_areas(y, dx, axis), _from_end(y, dim))
    wide = y.cast(Precision.INT64) if category(y.precision) < 2 else y
    whole = reduce.reduce_sum(wide, [axis], keepdim=False)
    ends = shape.squeeze(cut(y, axis, 0, 1) + cut(y, axis, -1, FAR), [axis])
    return binary.mul(*promote(binary.sub(*promote(whole, _halve(ends))), dx))


@table.convert("aten.trapz.dx")
def trapz_dx(y: Value, *, dx: float = 1.0, dim: int = -1) -> Value:
    return trapezoid_dx(y, dx=dx, dim=dim)


@table.convert("aten.cumulative_trapezoid.x")
def cumulative_trapezoid(y: Value, x: Value, *, dim: int = -1) -> Value:
    widths, axis = _widths(y, x, dim)
    return _so_far(_areas(y, widths, axis), _from_end(y, dim))


@table.convert("aten.cumulative_trapezoid.dx")
def cumulative_trapezoid_dx(y: Value, *, dx: Number = 1, dim: int = -1) -> Value:
    return _so_far(_areas(y, dx, axis_of(dim, y.rank)), _from_end(y, dim))
