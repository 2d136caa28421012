"""The ways in which an operator may be written in others: all of them give what it gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nnir.errors import NNAdapterError, describe
from nnir.evaluate import evaluate
from nnir.model import Model, Value

from ..case import Tolerance
from ..judging.compare import compare, first_problem
from ..judging.tolerance import is_random

LOOSE = {"float16": Tolerance(1e-2, 1e-2), "bfloat16": Tolerance(5e-2, 5e-2)}
NEAR = Tolerance(1e-4, 1e-4)
"""What a sum in another order, or a polynomial, may be off by."""


def list_ways(case: Any) -> Iterator[tuple[str, Model]]:
    """The decompositions that take the operands of a case of one operation, whose results are its
    outputs, by name: models of what they make."""
    for number in range(len(case.operator.decompositions)):
        model = case.model()
        if len(model.operations) != 1 or is_random(model.operations[0]):
            return
        (operation,) = model.operations
        if [*map(id, model.outputs)] != [*map(id, operation.outputs)]:
            return
        way = operation.operator.decompositions[number]
        try:
            made = way(*operation.inputs, **operation.attributes)
        except NNAdapterError:
            continue
        model.outputs = [made] if isinstance(made, Value) else [*made]
        yield way.function.__name__, model


def find_wrong_way(case: Any, want: Sequence[np.ndarray]) -> str | None:
    """A decomposition that takes the operands of a case, and gives something else."""
    for name, model in list_ways(case):
        try:
            found = evaluate(model, case.arrays())
        except NNAdapterError as error:
            return f"{name}: {describe(error)}"
        pairs = list(zip(found, want, strict=False))
        near = [compare(a, b, _tolerance(case, b)) for a, b in pairs]
        problem = first_problem(near)
        if problem is not None:
            return f"{name}: {problem}"
    return None


def _tolerance(case: Any, array: np.ndarray) -> Tolerance:
    own = case.tolerance(array.dtype)
    if array.dtype.kind in "iub":
        return own
    near = LOOSE.get(array.dtype.name, NEAR)
    return Tolerance(max(own.relative, near.relative), max(own.absolute, near.absolute))
