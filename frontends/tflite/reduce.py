"""TFLite's reductions."""

from __future__ import annotations

from collections.abc import Callable

from nnir.model import Index, Value

from ..table import Table
from ..tensorflow import reduce as tensorflow

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
