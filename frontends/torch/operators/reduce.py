"""ATen reductions along axes."""

from __future__ import annotations

from collections.abc import Callable

from nnir import build
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.operator import Operator
from nnir.ops import binary, compare, reduce, shape, unary
from nnir.recipes.promotion import Number, category, promote_to_float, round_once
from nnir.recipes.reduce import Axes, arg_extreme, reduce_axes, reduce_extreme, variance
from nnir.recipes.unary import is_nan
from nnir.types import Precision

from ...table import Table
from . import cumulative as running
from . import distance, gradient, statistics

table = Table.merge([distance.table, gradient.table, running.table, statistics.table])


def summand(self: Value, dtype: Precision | None) -> Value:
    """What is added up: integers and truth values as int64."""
    if dtype is None and category(self.precision) < 2:
        dtype = Precision.INT64
    return self if dtype is None else self.cast(dtype)


@table.convert("aten.sum.default")
def sum_(self: Value, *, dtype: Precision | None = None) -> Value:
    return reduce_axes(reduce.reduce_sum, summand(self, dtype), None, keepdim=False)


@table.convert("aten.sum.dim_IntList")
def sum_dim(
    self: Value,
    dim: tuple[int, ...] | None,
    keepdim: bool = False,
    *,
    dtype: Precision | None = None,
) -> Value:
    return reduce_axes(reduce.reduce_sum, summand(self, dtype), dim, keepdim)


@table.convert("aten.mean.default")
def mean(self: Value, *, dtype: Precision | None = None) -> Value:
    return mean_dim(self, None, dtype=dtype)


@table.convert("aten.mean.dim")
def mean_dim(
    self: Value,
    dim: tuple[int, ...] | None,
    keepdim: bool = False,
    *,
    dtype: Precision | None = None,
) -> Value:
    x = self if dtype is None else self.cast(dtype)
    if category(x.precision) < 2:
        raise BadType(f"the mean of {x.type}")
    return reduce_axes(reduce.reduce_mean, x, dim, keepdim)


@table.convert("aten.prod.default")
def prod(self: Value, *, dtype: Precision | None = None) -> Value:
    return reduce_axes(reduce.reduce_prod, summand(self, dtype), None, keepdim=False)


@table.convert("aten.prod.dim_int")
def prod_dim(
    self: Value, dim: int, keepdim: bool = False, *, dtype: Precision | None = None
) -> Value:
    return reduce_axes(reduce.reduce_prod, summand(self, dtype), (dim,), keepdim)


@table.convert("aten.amax.default")
def amax(self: Value, dim: tuple[int, ...] = (), keepdim: bool = False) -> Value:
    return reduce_extreme(reduce.reduce_max, self, dim, keepdim)


@table.convert("aten.amin.default")
def amin(self: Value, dim: tuple[int, ...] = (), keepdim: bool = False) -> Value:
    return reduce_extreme(reduce.reduce_min, self, dim, keepdim)


@table.convert("aten.aminmax.default")
def aminmax(self: Value, *, dim: int | None = None, keepdim: bool = False) -> tuple[Value, Value]:
    axes = () if dim is None else (dim,)
    return amin(self, axes, keepdim), amax(self, axes, keepdim)


def _extreme(name: str, largest: Operator, position: Operator) -> None:
    @table.convert(f"aten.{name}.default")
    def whole(self: Value) -> Value:
        return reduce_extreme(largest, self, None, keepdim=False)

    @table.convert(f"aten.{name}.dim")
    def along(self: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
        place = arg_extreme(position, self, dim, keepdim)
        return reduce_axes(largest, self, (dim,), keepdim), place

    @table.convert(f"aten.arg{name}.default")
    def where(self: Value, dim: int | None = None, keepdim: bool = False) -> Value:
        if dim is not None:
            return arg_extreme(position, self, dim, keepdim)
        place = arg_extreme(position, shape.reshape(self, [-1]), 0, keepdim=False)
        return (
            build.reshape_to(place, build.vector(place.model, [1] * self.rank))
            if keepdim
            else place
        )


_extreme("max", reduce.reduce_max, reduce.arg_max)
_extreme("min", reduce.reduce_min, reduce.arg_min)


def _truths(name: str, operator: Operator) -> None:
    """Whether all or any elements are not 0; uint8 stays what it is."""

    def find_position(self: Value, dim: Axes, keepdim: bool) -> Value:
        result = (
            self.cast(Precision.BOOL8)
            if dim == ()
            else reduce_axes(operator, self.cast(Precision.BOOL8), dim, keepdim)
        )
        return result.cast(self.precision) if self.precision == Precision.UINT8 else result

    @table.convert(f"aten.{name}.default")
    def whole(self: Value) -> Value:
        return find_position(self, None, keepdim=False)

    @table.convert(f"aten.{name}.dim")
    def along(self: Value, dim: int, keepdim: bool = False) -> Value:
        return find_position(self, (dim,), keepdim)

    @table.convert(f"aten.{name}.dims")
    def along_some(self: Value, dim: tuple[int, ...] | None = None, keepdim: bool = False) -> Value:
        return find_position(self, dim, keepdim)


_truths("all", reduce.reduce_min)
_truths("any", reduce.reduce_max)


Spread = Callable[[Value, Axes, Number | None, bool], object]


def _overloads(name: str, spread: Spread) -> None:
    @table.convert(f"aten.{name}.default")
    def default(self: Value, unbiased: bool = True) -> object:
        return spread(self, None, int(unbiased), False)

    @table.convert(f"aten.{name}.dim")
    def along(
        self: Value, dim: tuple[int, ...] | None, unbiased: bool = True, keepdim: bool = False
    ) -> object:
        return spread(self, dim, int(unbiased), keepdim)

    @table.convert(f"aten.{name}.correction")
    def corrected(
        self: Value,
        dim: tuple[int, ...] | None = None,
        *,
        correction: Number | None = None,
        keepdim: bool = False,
    ) -> object:
        return spread(self, dim, correction, keepdim)


def _spreads(name: str, finish: Callable[[Value], Value]) -> None:
    """A variance or standard deviation, alone and with the mean."""

    def alone(self: Value, dim: Axes, correction: Number | None, keepdim: bool) -> Value:
        return round_once(lambda x: finish(variance(x, dim, correction, keepdim)), self)

    def with_mean(
        self: Value, dim: Axes, correction: Number | None, keepdim: bool
    ) -> tuple[Value, Value]:
        middle = reduce_axes(reduce.reduce_mean, self, dim, keepdim)
        return alone(self, dim, correction, keepdim), middle

    _overloads(name, alone)
    _overloads(f"{name}_mean", with_mean)


_spreads("std", lambda x: unary.sqrt(x))
_spreads("var", lambda x: x)


@table.convert("aten.logsumexp.default")
def logsumexp(self: Value, dim: tuple[int, ...], keepdim: bool = False) -> Value:
    (x,) = promote_to_float(self)
    if not x.is_float:
        raise Unsupported(f"logsumexp of {x.type}")
    return reduce_axes(reduce.reduce_log_sum_exp, x, dim, keepdim)


def _without_nan(x: Value) -> Value:
    return compare.where(is_nan(x), 0, x)


@table.convert("aten.nansum.default")
def nansum(
    self: Value,
    dim: tuple[int, ...] | None = None,
    keepdim: bool = False,
    *,
    dtype: Precision | None = None,
) -> Value:
    x = summand(self, dtype)
    return reduce_axes(reduce.reduce_sum, _without_nan(x) if x.is_float else x, dim, keepdim)


@table.convert("aten.nanmean.default")
def nanmean(
    self: Value,
    dim: tuple[int, ...] | None = None,
    keepdim: bool = False,
    *,
    dtype: Precision | None = None,
) -> Value:
    def body(x: Value) -> Value:
        there = compare.equal(x, x).cast(x.precision)
        parts = (reduce_axes(reduce.reduce_sum, v, dim, keepdim) for v in (_without_nan(x), there))
        return binary.div(*parts)

    return round_once(body, self if dtype is None else self.cast(dtype))


@table.convert("aten.count_nonzero.default")
def count_nonzero(self: Value, dim: int | None = None) -> Value:
    return count_nonzero_dims(self, () if dim is None else (dim,))


@table.convert("aten.count_nonzero.dim_IntList")
def count_nonzero_dims(self: Value, dim: tuple[int, ...]) -> Value:
    return reduce_axes(
        reduce.reduce_sum, self.cast(Precision.BOOL8).cast(Precision.INT64), dim, keepdim=False
    )


@table.convert("aten.hash_tensor.default")
def hash_tensor(
    self: Value, dim: tuple[int, ...] = (), *, keepdim: bool = False, mode: int = 0
) -> Value:
    """The bits of all elements, as float64 or int64, joined by exclusive or."""
    if mode != 0:
        raise Unsupported(f"hash_tensor with mode={mode!r}")
    wide = Precision.FLOAT64 if self.is_float else Precision.INT64
    bits = unary.bit_cast(self.cast(wide), dtype=Precision.UINT64)
    return reduce_axes(reduce.reduce_xor, bits, dim, keepdim)


@table.convert("aten.sum_to_size.default")
def sum_to_size(self: Value, size: Index) -> Value:
    """The sum over the axes that a broadcast from `size` would add or repeat."""
    length = size.shape[0]
    known = size.content
    if isinstance(length, Expr) or known is None:
        raise Unsupported("sum_to_size to sizes that are only known while running")
    lead = self.rank - length
    if lead < 0:
        raise BadType(f"sum_to_size of {self.type} to {length} axes")
    pairs = list(zip(self.shape[lead:], known.flat, strict=True))
    wrong = [d for mine, d in pairs if not isinstance(mine, Expr) and d not in (1, mine)]
    if any(isinstance(d, int) for d in wrong):
        raise BadType(f"sum_to_size of {self.type} to {list(known.flat)}")
    repeated = [lead + k for k, (mine, d) in enumerate(pairs) if d == 1 and mine != 1]
    x = summand(self, None) if lead or repeated or not length else self
    if repeated:
        x = reduce.reduce_sum(x, repeated)
    return reduce.reduce_sum(x, list(range(lead)), keepdim=False) if lead else x
