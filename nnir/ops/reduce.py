"""Reductions and running sums along axes."""

from __future__ import annotations

import functools
import operator as python_operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..broadcast import Shape, axes_of, axis_of, ints, length_of
from ..decomposition import Level
from ..dim import Dim, Expr, maximum, minimum
from ..errors import NotConstant, Unsupported
from ..model import Index, Value
from ..numeric import is_half, wide
from ..operator import Operator, operator, require
from ..types import Precision, TensorType
from . import compare, shape
from .unary import COMPLEX, is_number

NUMBERS = frozenset(p for p in Precision if is_number(p))
BOOL = frozenset({Precision.BOOL8})
FIELD = NUMBERS | frozenset(COMPLEX)
"""What can be added up and multiplied."""


def reduced_shape(input: Value, axes: Value, keepdim: bool) -> Shape:
    """The shape after a reduction; no axes at all stand for every axis.

    Axes that are only known while running give fresh symbols; NotConstant where even their number
    is unknown and the rank of the result depends on it.
    """
    rank = input.rank
    known = ints(axes)
    if known is None and not keepdim and any(isinstance(d, Expr) for d in axes.shape):
        raise NotConstant(f"the number of axes {axes.type} to reduce is not known")
    if known is None:
        static = all(isinstance(d, int) for d in axes.shape)
        count = length_of(axes) if static else -1
        if count in (0, rank):
            known = ()
        elif keepdim:
            return tuple(d if d == 1 else input.model.fresh() for d in input.shape)
        else:
            return tuple(input.model.fresh() for _ in range(rank - count))
    gone = set(axes_of(known, rank)) or set(range(rank))
    if keepdim:
        return tuple(1 if k in gone else d for k, d in enumerate(input.shape))
    return tuple(d for k, d in enumerate(input.shape) if k not in gone)


def reduction(
    name: str,
    function: Callable[..., Any],
    code: int,
    summary: str,
    *,
    edges: str,
    kinds: frozenset[Precision] = NUMBERS,
    dims: Callable[[Dim, Dim], Dim] | None = None,
    empty: int | None = None,
) -> Operator:
    """An operator that folds `function(array, axis=, keepdims=)` over some axes.

    `dims` folds two dimensions, `empty` is the result for none: both for small tensors of sizes.
    """

    @wide
    def reference(input: np.ndarray, axes: np.ndarray, *, keepdim: bool) -> np.ndarray:
        axis = tuple(int(a) for a in np.asarray(axes).flat) or None
        result = function(input, axis=axis, keepdims=keepdim)
        return np.asarray(result, input.dtype)

    def rule(input: Value, axes: Index, *, keepdim: bool = True) -> TensorType:
        require(input.precision in kinds, f"{name} of {input.type}")
        require(axes.is_integer, f"{name} needs integer axes, not {axes.type}")
        return input.type.with_shape(reduced_shape(input, axes, keepdim))

    def content(input: Value, axes: Value, *, keepdim: bool) -> np.ndarray | None:
        sizes = input.precision in (Precision.INT32, Precision.INT64) and input.rank == 1
        if dims is None or not sizes or input.content is None or ints(axes) is None:
            return None
        found = list(input.content.flat)
        if not found and empty is None:
            return None
        total = _fold_dims(dims, found if empty is None else [empty, *found])
        return np.array([total] if keepdim else total, object)

    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: {_names(kinds)}; the result has the type of `input`.\n"
        "    Shapes: `axes` become 1, without `keepdim` they are dropped; no axes mean all.\n"
        f"    Edges: {edges}\n    "
    )
    return operator(code=code, reference=reference, content=content if dims else None)(rule)


def _fold_dims(dims: Callable[[Dim, Dim], Dim], found: list[Dim]) -> Dim:
    return functools.reduce(dims, found)


def _names(kinds: frozenset[Precision]) -> str:
    floats = "any float" if Precision.INT32 not in kinds else "any float or integer"
    floats += " or BOOL8" if Precision.BOOL8 in kinds else ""
    return floats + (" or complex" if Precision.COMPLEX64 in kinds else "")


def lowest(dtype: np.dtype) -> Any:
    """The identity of the maximum."""
    match dtype.kind:
        case "b":
            return False
        case "i" | "u":
            return np.iinfo(dtype).min
    return dtype.type(-np.inf)


def highest(dtype: np.dtype) -> Any:
    """The identity of the minimum."""
    match dtype.kind:
        case "b":
            return True
        case "i" | "u":
            return np.iinfo(dtype).max
    return dtype.type(np.inf)


def _sum(input: np.ndarray, **where: Any) -> np.ndarray:
    return np.sum(input, dtype=input.dtype, **where)


def _prod(input: np.ndarray, **where: Any) -> np.ndarray:
    return np.prod(input, dtype=input.dtype, **where)


def _max(input: np.ndarray, **where: Any) -> np.ndarray:
    return np.max(input, initial=lowest(input.dtype), **where)


def _min(input: np.ndarray, **where: Any) -> np.ndarray:
    return np.min(input, initial=highest(input.dtype), **where)


def _mean(input: np.ndarray, **where: Any) -> np.ndarray:
    kind = input.dtype.kind
    wide = {"i": np.dtype(np.int64), "u": np.dtype(np.uint64)}.get(kind, input.dtype)
    total = np.asarray(np.sum(input, dtype=wide, **where))
    count = total.dtype.type(input.size // total.size if total.size else 0)
    if kind not in "iu":
        return np.divide(total, count)
    if not count:
        return np.zeros_like(total, input.dtype)
    quotient = total // count
    quotient += (total < 0) & (quotient * count != total)
    return quotient.astype(input.dtype)


def _log_sum_exp(input: np.ndarray, *, axis: tuple[int, ...] | None, keepdims: bool) -> np.ndarray:
    top = _max(input, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, input.dtype.type(0))
    total = np.log(np.sum(np.exp(input - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis)


FLOATS = frozenset(p for p in Precision if p.is_float)
reduce_mean = reduction(
    "reduce_mean",
    _mean,
    62,
    "The mean.",
    edges="Of nothing NaN; integers add up in 64 bits and truncate toward zero, of nothing 0.",
    kinds=FIELD,
)
reduce_max = reduction(
    "reduce_max",
    _max,
    63,
    "The largest element.",
    edges="NaN wins; of nothing the lowest value, -inf.",
    kinds=NUMBERS | BOOL,
    dims=maximum,
)
reduce_sum = reduction(
    "reduce_sum",
    _sum,
    64,
    "The sum.",
    edges="Of nothing 0; integers wrap.",
    kinds=FIELD,
    dims=python_operator.add,
    empty=0,
)
reduce_min = reduction(
    "reduce_min",
    _min,
    1200,
    "The smallest element.",
    edges="NaN wins; of nothing the highest value, inf.",
    kinds=NUMBERS | BOOL,
    dims=minimum,
)
reduce_prod = reduction(
    "reduce_prod",
    _prod,
    1201,
    "The product.",
    edges="Of nothing 1; integers wrap.",
    kinds=FIELD,
    dims=python_operator.mul,
    empty=1,
)
reduce_log_sum_exp = reduction(
    "reduce_log_sum_exp",
    _log_sum_exp,
    1203,
    "The logarithm of the sum of e to the power of the elements, without overflow.",
    edges="Of nothing -inf.",
    kinds=FLOATS,
)


def _xor(input: np.ndarray, **where: Any) -> np.ndarray:
    return np.bitwise_xor.reduce(input, **where)


INTEGERS = frozenset(p for p in NUMBERS if p.is_integer)
reduce_xor = reduction(
    "reduce_xor",
    _xor,
    1223,
    "The exclusive or of all bits.",
    edges="Of nothing 0.",
    kinds=INTEGERS,
)


def position(name: str, function: Callable[..., Any], code: int, summary: str) -> Operator:
    """An operator that finds one element along an axis."""

    def reference(input: np.ndarray, *, axis: int, keepdim: bool, dtype: Precision) -> np.ndarray:
        sortable = input if input.dtype.isbuiltin == 1 else input.astype(np.float32)
        return np.asarray(function(sortable, axis=axis, keepdims=keepdim), dtype.dtype)

    def rule(
        input: Value, *, axis: int, keepdim: bool, dtype: Precision = Precision.INT64
    ) -> TensorType:
        require(input.precision in NUMBERS | BOOL, f"{name} of {input.type}")
        whole = dtype in (Precision.INT32, Precision.INT64)
        require(whole, f"{name} gives INT32 or INT64, not {dtype.name}")
        k = axis_of(axis, input.rank)
        require(input.shape[k] != 0, f"{name} along axis {axis} of {input.type}, which is empty")
        kept = ((1,) if keepdim else ()) + input.shape[k + 1 :]
        return TensorType(dtype, input.shape[:k] + kept)

    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: any number; the result is INT32 or INT64.\n"
        "    Shapes: `axis` becomes 1, without `keepdim` it is dropped.\n"
        "    Edges: of equal ones the first; NaN counts as the one that is looked for.\n    "
    )
    return operator(code=code, reference=reference)(rule)


arg_max = position("arg_max", np.argmax, 5, "Where the largest element along an axis is.")
arg_min = position("arg_min", np.argmin, 6, "Where the smallest element along an axis is.")


def running(
    name: str, function: Callable[..., Any], code: int, summary: str, *, identity: int
) -> Operator:
    """An operator that folds all elements up to each one along an axis."""

    @wide
    def reference(
        input: np.ndarray,
        axis: np.ndarray | None = None,
        *,
        exclusive: bool,
        reverse: bool,
    ) -> np.ndarray:
        along = -1 if axis is None else int(np.asarray(axis).reshape(-1)[0])
        moved = np.moveaxis(input, along, -1)
        moved = moved[..., ::-1] if reverse else moved
        if exclusive:
            first = np.full((*moved.shape[:-1], min(1, moved.shape[-1])), identity, input.dtype)
            moved = np.concatenate([first, moved[..., :-1]], axis=-1)
        result = function(moved, axis=-1, dtype=input.dtype)
        return np.moveaxis(result[..., ::-1] if reverse else result, -1, along)

    def rule(
        input: Value,
        axis: Index | None = -1,  # type: ignore[assignment]  # becomes a constant
        *,
        exclusive: bool = False,
        reverse: bool = False,
    ) -> TensorType:
        require(input.precision in FIELD, f"{name} of {input.type}")
        require(input.rank > 0, f"{name} of {input.type}, which has no axis")
        known = ints(axis)
        if known is not None:
            require(len(known) == 1, f"{name} needs one axis, not {known}")
            axis_of(known[0], input.rank)
        return input.type

    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: any number; the result has the type and shape of `input`.\n"
        "    Edges: `exclusive` leaves the element itself out, `reverse` starts at the end;\n"
        "    integers wrap.\n    "
    )
    return operator(code=code, reference=reference)(rule)


cum_sum = running("cum_sum", np.cumsum, 17, "The sum of all elements so far.", identity=0)
cum_prod = running("cum_prod", np.cumprod, 1202, "The product of all elements so far.", identity=1)


def extreme(
    name: str, ufunc: Any, better: Callable[..., Any], code: int, summary: str
) -> Operator[tuple[Value, Value]]:
    """An operator that keeps the best element so far, and where it is."""

    def reference(input: np.ndarray, *, axis: int) -> tuple[np.ndarray, np.ndarray]:
        plain = input.astype(np.float32) if is_half(input.dtype) else input
        moved = np.moveaxis(plain, axis, -1)
        values = ufunc.accumulate(moved, axis=-1) if moved.size else moved.copy()
        is_it = better(moved, values) | (moved != moved)
        places = np.where(is_it, np.arange(moved.shape[-1]), 0)
        last = np.maximum.accumulate(places, axis=-1) if moved.size else places
        results = values.astype(input.dtype), last.astype(np.int64)
        return np.moveaxis(results[0], -1, axis), np.moveaxis(results[1], -1, axis)

    def rule(input: Value, *, axis: int) -> tuple[TensorType, TensorType]:
        require(input.precision in NUMBERS | BOOL, f"{name} of {input.type}")
        axis_of(axis, input.rank)
        return input.type, input.type.with_precision(Precision.INT64)

    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: any number or BOOL8; the positions are INT64.\n"
        "    Shapes: both results have that of `input`.\n"
        "    Edges: of equal ones the last counts; NaN wins, the last of them too.\n    "
    )
    return operator(code=code, reference=reference)(rule)


cum_max = extreme(
    "cum_max", np.maximum, np.equal, 1220, "The largest element so far, and where it is."
)
cum_min = extreme(
    "cum_min", np.minimum, np.equal, 1221, "The smallest element so far, and where it is."
)


@wide
def _cum_log_sum_exp(input: np.ndarray, *, axis: int) -> np.ndarray:
    return np.logaddexp.accumulate(input, axis=axis) if input.size else input.copy()


@operator(code=1222, reference=_cum_log_sum_exp)
def cum_log_sum_exp(input: Value, *, axis: int) -> TensorType:
    """The logarithm of the sum of e to the power of all elements so far, without overflow.

    Types: any float; the result has the type and shape of `input`.
    Edges: NaN stays until the end.
    """
    require(input.is_float, f"cum_log_sum_exp of {input.type}")
    axis_of(axis, input.rank)
    return input.type


LONGEST = 256
"""So many elements are decomposed: it takes their square."""


@cum_log_sum_exp.decomposes(level=Level.ROUNDING)
def _cum_log_sum_exp_parts(input: Value, *, axis: int) -> Value:
    """The sum over all elements, those that come later replaced by -infinity."""
    place = axis_of(axis, input.rank)
    size = input.shape[place]
    if isinstance(size, Expr) or size > LONGEST:
        raise Unsupported(f"cum_log_sum_exp of {input.type} along {place}, over {LONGEST} elements")
    so_far = np.tri(size, dtype=np.bool_).reshape(size, size, *(1,) * (input.rank - place - 1))
    model = input.model
    spread = shape.unsqueeze(input, [place])
    nothing = model.constant(-np.inf, input.dtype)
    masked = compare.where(model.constant(so_far), spread, nothing)
    return reduce_log_sum_exp(masked, [place + 1], keepdim=False)
