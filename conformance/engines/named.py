"""Runs cases of frameworks whose arguments have names: convert, infer, run, compare.

The inputs of a case are the arguments of the operator in the order of its signature: arrays are
inputs at run time, `Const` are constants of the model, lists may hold either; everything else is
an argument as it is. Attributes are arguments by name; an element type is a `Precision`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from frontends.source import Contents, Ref, SourceGraph, SourceModel, SourceNode, SourceValue
from nnir.model import Model
from nnir.types import Precision, TensorType, precision_of

from ..case import Case, Const, type_of
from ..oracles.oracle import Oracle
from .engine import Answer, Engine

Types = Sequence[TensorType | None]
Named = list[tuple[str, Any]]


def arrays_of(argument: Any, *, constants: bool = True) -> list[np.ndarray]:
    """The arrays among arguments, in order."""
    if isinstance(argument, Const):
        return [argument.array] if constants else []
    if isinstance(argument, np.ndarray):
        return [argument]
    if isinstance(argument, Contents):
        return [argument.keys, argument.values] if constants else []
    if isinstance(argument, dict):
        argument = list(argument.values())
    if isinstance(argument, (list, tuple)):
        return [a for part in argument for a in arrays_of(part, constants=constants)]
    return []


def describe_argument(argument: Any, count: list[int]) -> Any:
    """An argument as JSON; arrays by their number."""
    match argument:
        case Const() | np.ndarray():
            count[0] += 1
            return {"tensor": count[0] - 1}
        case Contents():
            count[0] += 2
            return {"table": count[0] - 2}
        case Precision():
            return {"dtype": argument.dtype.name}
        case float() if not math.isfinite(argument):
            return {"float": str(argument)}
        case complex():
            return {"complex": [str(argument.real), str(argument.imag)]}
        case list() | tuple():
            return [describe_argument(a, count) for a in argument]
    return argument


def argument_of(argument: Any, graph: SourceGraph) -> Any:
    """An argument as the reader gives it; arrays become inputs or weights of the graph."""
    if isinstance(argument, (list, tuple)):
        return [argument_of(a, graph) for a in argument]
    if not isinstance(argument, (Const, np.ndarray)):
        return argument
    name = f"x{len(graph.inputs) + len(graph.weights)}"
    if isinstance(argument, Const):
        graph.weights[name] = argument.array
    else:
        type = TensorType(precision_of(argument.dtype), argument.shape)
        graph.inputs.append(SourceValue(name, type))
    return Ref(name)


@dataclass(frozen=True)
class Dialect:
    """What differs between frameworks: names of arguments, the node, how a graph is finished."""

    framework: str
    translate: Callable[[SourceModel], Model]
    names: Callable[[Case], list[str]]
    node: Callable[[str, Named, list[str], Types], SourceNode]
    finish: Callable[[SourceGraph], Any] = lambda graph: None


class NamedEngine(Engine[Case]):
    """Cases of one operator of a framework, which is called by name."""

    def __init__(self, worker: str, dialect: Dialect) -> None:
        self.worker, self.dialect = worker, dialect

    def names(self, case: Case) -> list[str]:
        """The operator's arguments in order."""
        return self.dialect.names(case)

    def ask(self, case: Case, oracle: Oracle) -> Answer:
        count = [0]
        args = [describe_argument(a, count) for a in case.inputs]
        kwargs = {k: describe_argument(a, count) for k, a in case.attrs.items()}
        arrays = [*arrays_of(case.inputs), *arrays_of(case.attrs)]
        names = self.names(case)
        head = {"op": case.op, "args": args, "kwargs": kwargs, "names": names}
        results = oracle.ask(head, arrays)
        return Answer(results[: case.read], made=len(results))

    def source(self, case: Case, types: Types) -> SourceModel:
        """The case's operator as a reader gives it; `types` are those of its results."""
        graph = SourceGraph("case")
        values = [argument_of(a, graph) for a in case.inputs]
        given = list(zip(self.names(case), values, strict=False))
        given += [(k, argument_of(a, graph)) for k, a in case.attrs.items()]
        if case.is_open:
            graph.inputs[0].type = type_of(run_inputs(case)[0], is_open=True)
        outputs = [f"y{k}" for k in range(len(types))]
        graph.nodes.append(self.dialect.node(case.op, given, outputs, types))
        graph.outputs = [SourceValue(n) for n in outputs[: case.read]]
        self.dialect.finish(graph)
        return SourceModel(self.dialect.framework, graph, {"": 1})

    def convert(self, case: Case, types: Types) -> Model:
        """The case's operator through the frontend."""
        return self.dialect.translate(self.source(case, types))

    def model(self, case: Case, answer: Answer) -> Model:
        return self.convert(case, [None] * answer.made)

    def inputs(self, case: Case, model: Model) -> list[np.ndarray]:
        return run_inputs(case)

    def refused(self, case: Case, device: str, oracle: Oracle) -> list[np.ndarray]:
        return self.run(case, device)

    def run(self, case: Case, device: str) -> list[np.ndarray]:
        """Convert and run without an origin, for cases that must fail."""
        return self.results(case, device, Answer([], made=case.outputs))


def run_inputs(case: Case) -> list[np.ndarray]:
    """The arrays that go in at run time."""
    inputs = arrays_of(case.inputs, constants=False)
    return [*inputs, *arrays_of(case.attrs, constants=False)]
