"""Random graphs of operations that are exact, and a device that takes a random part of them."""

from __future__ import annotations

import numpy as np

from hal.drivers.builtin import Builtin
from nnir.model import Model, Value
from nnir.ops import binary, reduce, shape, sort, unary
from nnir.types import Precision, TensorType

SIZE = 4


def random_graph(rng: np.random.Generator) -> Model:
    """Between 3 and 40 operations on square matrices of integers that never grow large."""
    model = Model("random")
    kind = TensorType(Precision.INT32, (SIZE, SIZE))
    values = [model.input(f"x{k}", kind) for k in range(rng.integers(1, 4))]
    values.append(model.constant(rng.integers(-9, 9, (SIZE, SIZE)), np.int32))
    for _ in range(rng.integers(3, 40)):
        values += _made(rng, values)
    wanted = rng.choice(len(values), rng.integers(1, 5))
    model.outputs = [values[k] for k in wanted]
    return model


def _made(rng: np.random.Generator, values: list[Value]) -> list[Value]:
    """One more operation on values that are there; an operand may be any of them."""
    a, b = (values[k] for k in rng.integers(len(values), size=2))
    model = values[0].model
    match rng.integers(6):
        case 0:
            return [binary.min_(a, b)] if a.constant is None or b.constant is None else []
        case 1 if a.constant is None:
            return [shape.transpose(a, perm=(1, 0))]
        case 2 if a.constant is None:
            return [binary.max_(unary.abs_(a), model.constant(3, np.int32))]
        case 3 if a.constant is None:
            return list(shape.split(shape.concat(a, a, axis=0), [SIZE, SIZE], axis=0))
        case 4 if a.constant is None:
            return [sort.top_k(a, SIZE, axis=1)[0]]
        case 5 if a.constant is None:
            row = reduce.reduce_max(a, [0], keepdim=True)
            return [binary.min_(row, b)]
    return []


class Picky(Builtin):
    """Runs what is in `takes`, by position in the model."""

    def __init__(self, name: str, takes: set[int]) -> None:
        self.name = name  # type: ignore[misc]
        self.takes = takes

    def validate_program(self, context: bool, model: Model) -> list[bool]:
        return [k in self.takes for k in range(len(model.operations))]
