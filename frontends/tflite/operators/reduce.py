"""TFLite's reductions."""

from __future__ import annotations

from collections.abc import Callable

from nnir.errors import BadType, Unsupported
from nnir.model import Index, Value
from nnir.operator import Operator
from nnir.ops import binary, logic, reduce
from nnir.recipes.reduce import reduce_along, reduce_bools

from ...table import Table
from .windows import Windows, reduce_windows

table = Table()
REDUCTIONS = {
    "MEAN": reduce.reduce_mean,
    "REDUCE_MAX": reduce.reduce_max,
    "REDUCE_MIN": reduce.reduce_min,
    "REDUCE_PROD": reduce.reduce_prod,
    "SUM": reduce.reduce_sum,
}


def _reduction(operator: Operator[Value]) -> Callable[..., Value]:
    def convert(input: Value, axis: Index, *, keep_dims: bool) -> Value:
        if axis.rank > 1:
            raise BadType(f"a reduction of {input.type} along {axis.type}")
        return reduce_along(operator, input, axis, keep_dims)

    return convert


for _name, _operator in REDUCTIONS.items():
    table.convert(_name)(_reduction(_operator))


@table.convert("REDUCE_ALL")
def reduce_all(input: Value, axis: Index, *, keep_dims: bool) -> Value:
    return reduce_bools(reduce.reduce_min, input, axis, keep_dims)


@table.convert("REDUCE_ANY")
def reduce_any(input: Value, axis: Index, *, keep_dims: bool) -> Value:
    return reduce_bools(reduce.reduce_max, input, axis, keep_dims)


WINDOWS = {
    "ADD": binary.add,
    "MUL": binary.mul,
    "MINIMUM": binary.min_,
    "MAXIMUM": binary.max_,
    "ALL": logic.and_,
    "ANY": logic.or_,
}


@table.convert("REDUCE_WINDOW")
def reduce_window(
    input: Value,
    init_value: Value,
    window_shape: tuple[int, ...],
    window_strides: tuple[int, ...],
    window_dilations: tuple[int, ...],
    *,
    reduce_function: str,
) -> Value:
    if reduce_function not in WINDOWS:
        raise Unsupported(f"REDUCE_WINDOW with reduce_function={reduce_function!r}")
    rank = input.rank
    how = Windows(window_shape, window_strides, (1,) * rank, window_dilations, ((0, 0),) * rank)
    return reduce_windows(input, init_value, WINDOWS[reduce_function], how)
