"""Type rules against references: every operation that a model runs must have the inferred type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nnir.dim import Dim, Expr, evaluate, symbol, symbols_of
from nnir.errors import NNAdapterError
from nnir.evaluate import run_operation
from nnir.model import CONTENT_LIMIT, Model, Operation, Value
from nnir.types import TensorType

Arrays = list[np.ndarray | None]


def trace(model: Model, inputs: Sequence[np.ndarray]) -> Iterator[tuple[Operation, Arrays, Arrays]]:
    """Every operation of a model with what goes in and what its reference gives."""
    memory = dict(zip(model.inputs, inputs, strict=True))
    for operation in model.sorted():
        arrays: Arrays = []
        for value in operation.inputs:
            if value is None:
                arrays.append(None)
            else:
                arrays.append(memory[value] if value.constant is None else value.constant)
        results: Arrays = list(run_operation(operation, arrays))
        made = zip(operation.outputs, results, strict=True)
        memory.update((value, result) for value, result in made if result is not None)
        yield operation, arrays, results


def problem(operation: Operation, arrays: Arrays, results: Arrays) -> str | None:
    """What is wrong with the types of an operation, with known and with symbolic sizes."""
    sizes: dict[str, int] = {}
    for value, array in zip(operation.outputs, results, strict=True):
        wrong = _difference(value.type, array, sizes)
        if wrong:
            return f"{operation.operator.name}: {wrong}"
    return _symbolic_problem(operation, arrays, results)


def _difference(type: TensorType, array: np.ndarray | None, sizes: dict[str, int]) -> str | None:
    if array is None:
        return "the reference gives nothing"
    if array.dtype != type.dtype:
        return f"inferred {type}, the reference gives {array.dtype}"
    if array.ndim != type.rank:
        return f"inferred {type}, the reference gives shape {list(array.shape)}"
    for dim, size in zip(type.shape, array.shape, strict=True):
        known = evaluate(dim, sizes)
        if isinstance(known, int) and known != size:
            return f"inferred {type}, the reference gives shape {list(array.shape)}"
    return None


def _symbolic_problem(operation: Operation, arrays: Arrays, results: Arrays) -> str | None:
    """The rule on symbols: put in the real sizes, and the real shape must come out.

    Sizes above 1 become symbols, equal ones the same. A rule may refuse symbols, or answer with
    new ones.
    """
    model, sizes = Model(), {}
    stand_ins: list[Value | None] = []
    for value, array in zip(operation.inputs, arrays, strict=True):
        if value is None or array is None:
            stand_ins.append(None)
            continue
        is_data = array.size <= CONTENT_LIMIT and array.ndim <= 1 and value.is_integer
        shape: list[Dim] = []
        for size in array.shape:
            name = f"n{size}"
            sizes[name] = size
            shape.append(size if size <= 1 or is_data else symbol(name))
        stand_in = model.input("x", value.type.with_shape(tuple(shape)))
        if value.constant is not None:
            stand_in.constant = value.constant
            stand_in.type = value.type
        stand_ins.append(stand_in)
    try:
        stated = [v.type for v in operation.outputs]
        types = operation.operator.infer(tuple(stand_ins), operation.attributes, stated)
    except NNAdapterError:
        return None
    for type, array in zip(types, results, strict=True):
        new = {n for d in type.shape if isinstance(d, Expr) for n in symbols_of(d)} - sizes.keys()
        known = tuple(d if symbols_of(d) & new else evaluate(d, sizes) for d in type.shape)
        wrong = _difference(type.with_shape(known), array, {})
        if wrong:
            return f"{operation.operator.name} on symbols: {wrong}"
    return None
