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

from frontends.source import Ref, SourceGraph, SourceModel, SourceNode, SourceValue
from hal.runtime.program import Program
from nnir.dim import Expr
from nnir.errors import DeviceError
from nnir.model import Model
from nnir.types import Precision, TensorType, precision_of

from .case import Case, Const
from .compare import compare
from .oracle import Oracle

Types = Sequence[TensorType | None]
Named = list[tuple[str, Any]]


def arrays_of(argument: Any, *, constants: bool = True) -> list[np.ndarray]:
    """The arrays among arguments, in order."""
    if isinstance(argument, Const):
        return [argument.array] if constants else []
    if isinstance(argument, np.ndarray):
        return [argument]
    if isinstance(argument, dict):
        argument = list(argument.values())
    if isinstance(argument, (list, tuple)):
        return [a for part in argument for a in arrays_of(part, constants=constants)]
    return []


def described(argument: Any, count: list[int]) -> Any:
    """An argument as JSON; arrays by their number."""
    match argument:
        case Const() | np.ndarray():
            count[0] += 1
            return {"tensor": count[0] - 1}
        case Precision():
            return {"dtype": argument.dtype.name}
        case float() if not math.isfinite(argument):
            return {"float": str(argument)}
        case complex():
            return {"complex": [str(argument.real), str(argument.imag)]}
        case list() | tuple():
            return [described(a, count) for a in argument]
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
class Engine:
    """What differs between frameworks: names of arguments, the node, what the oracle is asked."""

    framework: str
    translate: Callable[[SourceModel], Model]
    names: Callable[[Case], list[str]]
    node: Callable[[str, Named, list[str], Types], SourceNode]
    finish: Callable[[SourceGraph], Any] = lambda graph: None

    def expected(self, case: Case, oracle: Oracle) -> list[np.ndarray]:
        """What the framework gives."""
        count = [0]
        args = [described(a, count) for a in case.inputs]
        kwargs = {k: described(a, count) for k, a in case.attrs.items()}
        arrays = [*arrays_of(case.inputs), *arrays_of(case.attrs)]
        head = {"op": case.op, "args": args, "kwargs": kwargs, "names": self.names(case)}
        return oracle.ask(head, arrays)

    def source(self, case: Case, types: Types) -> SourceModel:
        """The case's operator as a reader gives it; `types` are those of its results."""
        graph = SourceGraph("case")
        values = [argument_of(a, graph) for a in case.inputs]
        given = list(zip(self.names(case), values, strict=False))
        given += [(k, argument_of(a, graph)) for k, a in case.attrs.items()]
        outputs = [f"y{k}" for k in range(len(types))]
        graph.nodes.append(self.node(case.op, given, outputs, types))
        graph.outputs = [SourceValue(n) for n in outputs[: case.read]]
        self.finish(graph)
        return SourceModel(self.framework, graph, {"": 1})

    def convert(self, case: Case, types: Types) -> Model:
        """The case's operator through the frontend."""
        return self.translate(self.source(case, types))

    def check(self, case: Case, device: str, oracle: Oracle) -> None:
        """AssertionError when the case does not do what it says."""
        want = self.expected(case, oracle)
        model = self.convert(case, [None] * len(want))
        want = want[: case.read]
        assert len(model.outputs) == len(want), "number of outputs"
        for value, array in zip(model.outputs, want, strict=True):
            assert value.dtype == array.dtype, f"inferred {value.type}, not {array.dtype}"
            fits = len(value.shape) == array.ndim and all(
                isinstance(d, Expr) or d == n for d, n in zip(value.shape, array.shape, strict=True)
            )
            assert fits, f"inferred {value.type}, not {array.shape}"
        got = Program(model, device)(*run_inputs(case))
        for position, (mine, theirs) in enumerate(zip(got, want, strict=True)):
            known = mine if case.random and mine.shape == theirs.shape else theirs
            difference = compare(mine, known, case.tolerance(theirs.dtype))
            assert difference.problem is None, f"output {position}: {difference.problem}"

    def run(self, case: Case, device: str) -> list[np.ndarray]:
        """Convert and run without an origin, for cases that must fail."""
        results = Program(self.convert(case, [None] * case.outputs), device)(*run_inputs(case))
        if not isinstance(results, list):
            raise DeviceError("a program returns a list")
        return results


def run_inputs(case: Case) -> list[np.ndarray]:
    """The arrays that go in at run time."""
    inputs = arrays_of(case.inputs, constants=False)
    return [*inputs, *arrays_of(case.attrs, constants=False)]
