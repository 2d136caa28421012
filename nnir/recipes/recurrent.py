"""Weights of recurrent cells, gate by gate, as the operators take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import BadType, Unsupported
from ..model import Value
from ..operator import Operator
from ..ops import recurrent, shape
from ..records import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of layer: its operator, where its gates are, and how many states it has."""

    operator: Operator[tuple[Value, ...]]
    gates: tuple[int, ...]
    states: int
    attributes: tuple[tuple[str, Any], ...] = ()


LSTM = Kind(recurrent.lstm, (0, 3, 1, 2), 2)
GRU = Kind(recurrent.gru, (1, 0, 2), 1, (("linear_before_reset", True),))
TANH = Kind(recurrent.rnn, (0,), 1)
RELU = Kind(recurrent.rnn, (0,), 1, (("activations", ("Relu",)),))


def reorder_gates(weight: Value, gates: Sequence[int], axis: int = 0) -> Value:
    """The rows of each gate, which lie along an axis, in another order; of a constant now."""
    if len(gates) == 1:
        return weight
    if weight.constant is not None and weight.rank:
        parts = np.split(weight.constant, len(gates), axis)
        return weight.model.constant(np.concatenate([parts[g] for g in gates], axis))
    found = split_gates(weight, len(gates), axis)
    return shape.concat(*(found[g] for g in gates), axis=axis)


def split_gates(weight: Value, count: int, axis: int) -> Sequence[Value]:
    """The rows of each of `count` gates."""
    size = weight.shape[axis]
    if not isinstance(size, int):
        raise Unsupported(f"a recurrent layer with weights {weight.type}")
    return shape.split(weight, [size // count] * count, axis=axis)


def add_biases(bias: Value, gates: int, *, apart: bool) -> list[Value]:
    """The biases [D, 2 * gates * H] of the input and of the state added up, gate by gate; with
    `apart` the last gate's stay two."""
    parts = split_gates(bias, 2 * gates, 1)
    sums = [a + b for a, b in zip(parts[:gates], parts[gates:], strict=True)]
    return [*sums[:-1], parts[gates - 1], parts[-1]] if apart else sums


def join_gates(parts: Sequence[Value], axis: int) -> Value:
    """Values side by side; constants now."""
    arrays = [p.constant for p in parts if p.constant is not None]
    if len(arrays) == len(parts):
        return parts[0].model.constant(np.concatenate(arrays, axis))
    return parts[0] if len(parts) == 1 else shape.concat(*parts, axis=axis)


def stack_directions(parts: Sequence[Value]) -> Value:
    """One layer of each direction on a new first axis."""
    arrays = [p.constant for p in parts if p.constant is not None]
    if len(arrays) == len(parts):
        return parts[0].model.constant(np.stack(arrays))
    return join_gates([shape.unsqueeze(p, [0]) for p in parts], 0)


def cell_operands(kind: Kind, params: Sequence[Sequence[Value]]) -> list[Value | None]:
    """Weights and biases of a layer from the parameters of its directions."""
    types = {p.precision.name for row in params for p in row}
    if len(types) > 1:
        raise BadType(f"a recurrent layer with parameters of {', '.join(sorted(types))}")
    rows = [[reorder_gates(p, kind.gates) for p in row] for row in params]
    found: list[Value | None] = [stack_directions([row[k] for row in rows]) for k in (0, 1)]
    has_bias = len(rows[0]) > 2
    return [
        *found,
        stack_directions([join_gates(row[2:4], 0) for row in rows]) if has_bias else None,
    ]
