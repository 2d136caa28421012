"""How much memory the values of a model take, from their types and the order of execution."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from ..dim import Dim, evaluate, product, symbols_of
from ..errors import NNAdapterError
from ..model import Model, Operation, Value
from ..records import dataclass

OPEN = 1
"""What a size counts as that nobody gives."""


@dataclass(frozen=True)
class Peak:
    """The most bytes of activations at once, and the operation that runs then."""

    nbytes: int
    operation: Operation | None


def sizes_of(model: Model, given: Mapping[str, int]) -> dict[str, int]:
    """A number for every open size: the given one, else the smallest one that holds something."""
    lows = {name: max(low, OPEN) for name, (low, _) in model.symbols.items()}
    mentioned = (d for v in model.values() for d in v.shape if not isinstance(d, int))
    return lows | {n: lows.get(n, OPEN) for d in mentioned for n in symbols_of(d)} | dict(given)


def evaluate_dim(dim: Dim, sizes: Mapping[str, int]) -> int | None:
    """A number for a dimension; None where a size in it is not known."""
    if isinstance(dim, int):
        return dim
    try:
        found = evaluate(dim, sizes)
    except (NNAdapterError, ArithmeticError):
        return None
    return found if isinstance(found, int) else None


def bytes_of(value: Value) -> Dim | None:
    """The bytes of a value, an element as NumPy holds it."""
    try:
        return product(value.shape) * value.dtype.itemsize
    except NNAdapterError:  # an expression that grows too long
        return None


def numeric_bytes(value: Value, sizes: Mapping[str, int]) -> int:
    """The bytes of a value at some sizes; 0 where one is only known while running."""
    numbers = [evaluate_dim(d, sizes) for d in value.shape]
    known = [n for n in numbers if n is not None]
    return math.prod(known) * value.dtype.itemsize if len(known) == len(numbers) else 0


def peak(model: Model, sizes: Mapping[str, int]) -> Peak:
    """The most bytes of activations that live at once when operations run in the model's order.

    A value lives from the operation that makes it to the last one that reads it, inputs from the
    start, outputs to the end; nothing shares memory and weights do not count. While a sub-model
    runs, the larger of its branches lives too.
    """
    operations = model.sorted()
    last = _last_reads(model, operations)
    alive = sum(numeric_bytes(v, sizes) for v in model.inputs)
    worst = Peak(alive, None)
    for place, operation in enumerate(operations):
        alive += sum(numeric_bytes(v, sizes) for v in operation.outputs)
        inner = max((peak(m, sizes).nbytes for m in operation.models), default=0)
        if alive + inner > worst.nbytes:
            worst = Peak(alive + inner, operation)
        ending = (v for v in _activations(operation) if last.get(v, place) == place)
        alive -= sum(numeric_bytes(v, sizes) for v in ending)
    return worst


def _activations(operation: Operation) -> Iterable[Value]:
    """What an operation reads or makes and no constant is, each once."""
    mentioned = (*operation.inputs, *operation.outputs)
    return dict.fromkeys(v for v in mentioned if v is not None and v.constant is None)


def _last_reads(model: Model, operations: list[Operation]) -> dict[Value, int]:
    """The place of the last operation that reads a value; outputs are read behind all of them."""
    last: dict[Value, int] = {}
    for place, operation in enumerate(operations):
        last.update((v, place) for v in operation.inputs if v is not None)
    last.update((v, len(operations)) for v in model.outputs)
    return last
