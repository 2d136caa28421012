"""Extensions written in the operators that a target has."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import NNAdapterError
from ..model import Model, Operation
from .rewrite import Pass, sweep


def legalise(supported: Callable[[Operation], bool], name: str = "legalise") -> Pass:
    """A pass that decomposes every operation that is not `supported`, as far as it can be.

    Ensures: what is left unsupported has no decomposition for its operands.
    """

    def rewrite(model: Model) -> bool:
        modified = False
        waiting = [o for o in model.sorted() if not supported(o)]
        while waiting:
            operation = waiting.pop()
            before = len(model.operations)
            if _decompose(model, operation):
                modified = True
                waiting += [o for o in model.operations[before:] if not supported(o)]
        return sweep(model) or modified

    return Pass(name, rewrite, lambda model: not rewrite(model))


def _decompose(model: Model, operation: Operation) -> bool:
    decomposition = operation.operator.decomposition
    if decomposition is None:
        return False
    model.origin, before = operation.origin, len(model.operations)
    try:
        results = decomposition(*operation.inputs, **operation.attributes)
    except NNAdapterError:
        model.remove(model.operations[before:])
        return False
    finally:
        model.origin = None
    made = results if isinstance(results, tuple) else (results,)
    for old, new in zip(operation.outputs, made, strict=True):
        model.replace(old, new)
    return True


to_standard = legalise(lambda operation: operation.operator.since != "ext", "to_standard")
"""Decompose extension operators to the standard's wherever that is exact."""
