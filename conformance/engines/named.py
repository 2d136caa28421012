"""Runs cases of frameworks whose arguments have names: convert, infer, run, compare.

The inputs of a case are the arguments of the operator in the order of its signature: arrays are
inputs at run time, `Const` are constants of the model, `Made` is what another operator gives, lists
may hold any of them; everything else is an argument as it is. Attributes are arguments by name; an
element type is a `Precision`.
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

from ..case import Case, Const, Made, has_several, type_of
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
    if isinstance(argument, Made):
        inner = [*argument.case.inputs, *argument.case.attrs.values()]
        return arrays_of(inner, constants=constants)
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
        results = self._results(case, oracle)
        return Answer(results[: case.read], made=len(results))

    def _results(self, case: Case, oracle: Oracle) -> list[np.ndarray]:
        """What the origin says to a case, after the operators that give its inputs."""

        def known(argument: Any) -> Any:
            match argument:
                case list() | tuple():
                    return [known(a) for a in argument]
                case Made():
                    return self._results(argument.case, oracle)[argument.result]
            return argument

        inputs = [known(a) for a in case.inputs]
        attrs = {k: known(a) for k, a in case.attrs.items()}
        count = [0]
        args = [describe_argument(a, count) for a in inputs]
        kwargs = {k: describe_argument(a, count) for k, a in attrs.items()}
        names = self.names(case)
        head = {"op": case.op, "args": args, "kwargs": kwargs, "names": names}
        return oracle.ask(head, [*arrays_of(inputs), *arrays_of(attrs)])

    def source(self, case: Case, types: Types) -> SourceModel:
        """The case's operator as a reader gives it; `types` are those of its results."""
        reading = Reading(self, is_shared=has_several(case))
        outputs = reading.add(case, types, "y")
        graph = reading.graph
        if case.is_open:
            graph.inputs[0].type = type_of(run_inputs(case)[0], is_open=True)
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


class Reading:
    """The graph of a case as a reader gives it; of several operators one array is one input."""

    def __init__(self, engine: NamedEngine, *, is_shared: bool) -> None:
        self.graph = SourceGraph("case")
        self._engine = engine
        self._is_shared = is_shared
        self._names: dict[int, str] = {}

    def add(self, case: Case, types: Types, prefix: str | None = None) -> list[str]:
        """Add the node of a case behind those of its inputs, and name its results."""
        values = [self._argument(a) for a in case.inputs]
        given = list(zip(self._engine.names(case), values, strict=False))
        given += [(k, self._argument(a)) for k, a in case.attrs.items()]
        before = prefix or f"made{len(self.graph.nodes)}_"
        outputs = [f"{before}{k}" for k in range(len(types))]
        self.graph.nodes.append(self._engine.dialect.node(case.op, given, outputs, types))
        return outputs

    def _argument(self, argument: Any) -> Any:
        """An argument as the reader gives it; arrays become inputs or weights of the graph."""
        if isinstance(argument, (list, tuple)):
            return [self._argument(a) for a in argument]
        if isinstance(argument, Made):
            inner = argument.case
            return Ref(self.add(inner, [None] * inner.outputs)[argument.result])
        if not isinstance(argument, (Const, np.ndarray)):
            return argument
        if self._is_shared and id(argument) in self._names:
            return Ref(self._names[id(argument)])
        name = f"x{len(self.graph.inputs) + len(self.graph.weights)}"
        self._names[id(argument)] = name
        if isinstance(argument, Const):
            self.graph.weights[name] = argument.array
        else:
            type = TensorType(precision_of(argument.dtype), argument.shape)
            self.graph.inputs.append(SourceValue(name, type))
        return Ref(name)


def run_inputs(case: Case) -> list[np.ndarray]:
    """The arrays that go in at run time."""
    found = arrays_of(case.inputs, constants=False)
    found += arrays_of(case.attrs, constants=False)
    return list({id(a): a for a in found}.values()) if has_several(case) else found
