"""Reductions and running sums along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from nnir.broadcast import axes_of, ints
from nnir.dim import Dim, Expr
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import reduce
from nnir.recipes.reduce import mean_by_sum
from nnir.types import Precision

from . import folds
from .dtypes import PLAIN
from .emitter import Emitter, Formulas, Result, Results

table = Formulas()
table.decompose(reduce.reduce_mean, mean_by_sum)
Fold = Callable[..., Any]


def _places(g: Emitter, input: Value, axes: Value) -> list[Any]:
    """The axes to reduce; no axes mean all."""
    known = ints(axes)
    if known is None:
        return g.sizes(axes) or list(range(input.rank))
    return sorted(axes_of(known, input.rank)) or list(range(input.rank))


def _sum(g: Emitter, input: Value, places: list[int], keepdim: bool) -> Result:
    x = g.of(input)
    result = torch.sum(x, places, keepdim=keepdim, dtype=_kind(input)) if places else x
    return g.back(result, input.precision)


def _kind(input: Value) -> torch.dtype:
    """What `Emitter.of` computes in."""
    kinds = {Precision.UINT16: torch.int32, Precision.UINT32: torch.int64}
    kinds[Precision.UINT64] = torch.int64
    if input.is_float and input.precision != Precision.FLOAT64:
        return torch.float32
    return kinds.get(input.precision, PLAIN.get(input.precision, torch.float32))


def _mean(g: Emitter, input: Value, places: list[int], keepdim: bool) -> Result:
    if input.is_integer:
        raise NoLowering(f"torch has no mean of {input.type}")
    if not places:
        return g.raw(input)
    return g.back(torch.mean(g.of(input), places, keepdim=keepdim), input.precision)


def _prod(g: Emitter, input: Value, places: list[int], keepdim: bool) -> Result:
    made = g.call(folds.product, g.of(input), places, keepdim, _kind(input))
    return g.back(made, input.precision)


def _extreme(identity: Callable[[np.dtype], Any], *, largest: bool) -> Fold:
    function = torch.amax if largest else torch.amin

    def fold(g: Emitter, input: Value, places: list[int], keepdim: bool) -> Result:
        if not places:
            return g.raw(input)
        x = g.ordered(input)
        if all(isinstance(p, int) and _is_some(input.shape[p]) for p in places):
            return g.disordered(function(x, places, keepdim=keepdim), input.precision)
        if input.precision == Precision.UINT64:
            raise NoLowering(f"torch reduces no {input.type} that may be empty")
        nothing = g.constant(np.array(identity(input.dtype), input.dtype)).to(x.dtype)
        made = g.call(folds.extreme, x, places, keepdim, nothing, largest)
        return g.disordered(made, input.precision)

    return fold


def _is_some(size: Dim) -> bool:
    """Whether an axis surely has elements."""
    return not isinstance(size, Expr) and size > 0


def _log_sum_exp(g: Emitter, input: Value, places: list[int], keepdim: bool) -> Result:
    result = torch.logsumexp(g.of(input), places, keepdim=keepdim) if places else g.of(input)
    return g.back(result, input.precision)


def _xor(g: Emitter, input: Value, places: list[int], keepdim: bool) -> Result:
    """Bit by bit: whether the number of ones is odd."""
    if not places:
        return g.raw(input)
    fixed = [p % input.rank if isinstance(p, int) else p for p in places]
    if not all(isinstance(p, int) for p in fixed):
        raise NoLowering("an exclusive or along axes that are only known while running")
    bits = g.call(torch.arange, input.dtype.itemsize * 8, dtype=torch.int64)
    x = g.of(input).to(torch.int64).unsqueeze(-1)
    odd = (((x >> bits) & 1).sum(fixed, keepdim=keepdim) & 1) << bits
    total = odd.sum(-1)
    return g.back(total.to(_kind(input)), input.precision)


@table.each(
    {
        reduce.reduce_sum: _sum,
        reduce.reduce_mean: _mean,
        reduce.reduce_prod: _prod,
        reduce.reduce_max: _extreme(reduce.lowest, largest=True),
        reduce.reduce_min: _extreme(reduce.highest, largest=False),
        reduce.reduce_log_sum_exp: _log_sum_exp,
        reduce.reduce_xor: _xor,
    }
)
def _reduction(g: Emitter, fold: Fold, input: Value, axes: Value, *, keepdim: bool) -> Result:
    return fold(g, input, _places(g, input, axes), keepdim)


@table.each({reduce.arg_max: torch.argmax, reduce.arg_min: torch.argmin})
def _position(
    g: Emitter, function: Fold, input: Value, *, axis: int, keepdim: bool, dtype: Precision
) -> Result:
    x = g.ordered(input)
    x = x.to(torch.uint8) if input.precision == Precision.BOOL8 else x
    return function(x, axis, keepdim=keepdim).to(PLAIN[dtype])


def _running(operator: Operator, function: Fold, identity: int) -> None:
    @table.lower(operator)
    def lowering(
        g: Emitter, input: Value, axis: Value | None, *, exclusive: bool, reverse: bool
    ) -> Result:
        along = -1 if axis is None else g.sizes(axis)[0]
        x = g.of(input)
        x = x.flip([along]) if reverse else x
        if exclusive:
            x = g.call(folds.shift_along, x, along, identity)
        result = function(x, along, dtype=_kind(input))
        return g.back(result.flip([along]) if reverse else result, input.precision)


_running(reduce.cum_sum, torch.cumsum, 0)
_running(reduce.cum_prod, torch.cumprod, 1)


@table.each({reduce.cum_max: torch.cummax, reduce.cum_min: torch.cummin})
def _best_so_far(g: Emitter, function: Fold, input: Value, *, axis: int) -> Results:
    both = function(g.ordered(input), axis)
    return g.disordered(both[0], input.precision), both[1]


@table.formula(reduce.cum_log_sum_exp)
def cum_log_sum_exp(input: Result, *, axis: int) -> Result:
    return torch.logcumsumexp(input, axis)
