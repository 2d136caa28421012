"""Runs cases of functions: who has a function for each operator needs no more than a table of what
it means.

The inputs of a case are the function's arguments in order: arrays at run time, `Const` constants of
the model, None absent ones. Attributes are keyword arguments. A worker answers with
`serve_functions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nnir.errors import Unsupported
from nnir.model import Model, Value
from nnir.passes import CLEAN, apply
from nnir.types import TensorType, precision_of

from ..case import Case, Const
from ..oracles.oracle import Oracle
from .engine import Answer, Engine
from .named import arrays_of, describe_argument

Converter = Callable[..., Value | tuple[Value, ...]]


class Functions(Engine[Case]):
    """Cases of the functions of a framework. `converters` say what each means in the standard: they
    take the case's arguments, arrays as values."""

    def __init__(self, worker: str, converters: Mapping[str, Converter]) -> None:
        self.worker, self.converters = worker, converters

    def ask(self, case: Case, oracle: Oracle) -> Answer:
        count = [0]
        args = [describe_argument(a, count) for a in case.inputs]
        kwargs = {k: describe_argument(a, count) for k, a in case.attrs.items()}
        arrays = [*arrays_of(case.inputs), *arrays_of(case.attrs)]
        return Answer(oracle.ask({"op": case.op, "args": args, "kwargs": kwargs}, arrays))

    def model(self, case: Case, answer: Answer) -> Model:
        if case.op not in self.converters:
            raise Unsupported(f"{case.op} has no converter; there are {', '.join(self.converters)}")
        model = Model(case.op)
        values = [_value(model, a) for a in case.inputs]
        attributes = {k: _value(model, a) for k, a in case.attrs.items()}
        made = self.converters[case.op](*values, **attributes)
        model.outputs = list(made) if isinstance(made, tuple) else [made]
        apply(model, CLEAN)
        return model

    def inputs(self, case: Case, model: Model) -> list[np.ndarray]:
        return arrays_of([*case.inputs, *case.attrs.values()], constants=False)


def _value(model: Model, given: Any) -> Any:
    """An argument of a converter."""
    if isinstance(given, Const):
        return model.constant(given.array)
    if isinstance(given, (list, tuple)):
        return type(given)(_value(model, g) for g in given)
    if not isinstance(given, np.ndarray):
        return given
    return model.input(f"x{len(model.inputs)}", TensorType(precision_of(given.dtype), given.shape))
