"""TFLite's reductions."""

from __future__ import annotations

from collections.abc import Callable

from nnir.errors import Unsupported
from nnir.model import Index, Value
from nnir.ops import binary, logic

from ..table import Table
from ..tensorflow import reduce as tensorflow
from .windows import Windows, reduced

table = Table()
NAMES = {
    "MEAN": "Mean",
    "REDUCE_ALL": "All",
    "REDUCE_ANY": "Any",
    "REDUCE_MAX": "Max",
    "REDUCE_MIN": "Min",
    "REDUCE_PROD": "Prod",
    "SUM": "Sum",
}


def _reduction(name: str) -> Callable[..., Value]:
    """TFLite's reduction by TensorFlow's of another name."""
    (converter,) = tensorflow.table.entries[name].values()

    def convert(input: Value, axis: Index, *, keep_dims: bool = False) -> Value:
        result: Value = converter.function(input, axis, keep_dims=keep_dims)
        return result

    return convert


for mine, theirs in NAMES.items():
    table.convert(mine)(_reduction(theirs))


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
    reduce_function: str = "UNSUPPORTED",
) -> Value:
    if reduce_function not in WINDOWS:
        raise Unsupported(f"REDUCE_WINDOW with reduce_function={reduce_function!r}")
    rank = input.rank
    how = Windows(window_shape, window_strides, (1,) * rank, window_dilations, ((0, 0),) * rank)
    return reduced(input, init_value, WINDOWS[reduce_function], how)
