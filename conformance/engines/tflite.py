"""TFLite cases: LiteRT's own schema writes a file of one operator, LiteRT and we run it.

The inputs of a case are the operator's in order, None where one is absent; `Scaled` are quantised,
`State` begin with zeros. Attributes are the fields of the operator's options. `results` are the
types of the results: a dtype, `Scaled` for the scale, or an array of the shape where the file must
say it; by default there is one, of the type of the first input.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from frontends import tflite as frontend
from nnir.model import Model
from nnir.types import Precision

from ..case import Case, Const
from ..oracles.oracle import Oracle
from .engine import Answer, Engine
from .tflite_files import FileEngine


@dataclass(frozen=True)
class Scaled:
    """Integers with what they stand for: (q - zero_point) * scale, along `axis` where several."""

    array: np.ndarray
    scale: float | tuple[float, ...]
    zero_point: int | tuple[int, ...] = 0
    axis: int = 0
    constant: bool = False


@dataclass(frozen=True)
class Blocked:
    """Constant integers with a scale for each `size` elements along the last axis."""

    array: np.ndarray
    scales: np.ndarray
    size: int


@dataclass(frozen=True)
class Sparse:
    """A constant matrix of which the file holds the blocks, of these sizes, that are not all 0.

    `turned` goes through the columns first.
    """

    array: np.ndarray
    block: tuple[int, int] = (1, 1)
    turned: bool = False


INSIDE = "intermediates"
"""The attribute that says the types of what an operator makes inside, which a file says too."""

Fixed = (Const, Blocked, Sparse)
"""Inputs that are constants of the file."""


@dataclass(frozen=True)
class State:
    """A tensor that a layer keeps from run to run; it begins with zeros.

    Integers have a scale.
    """

    array: np.ndarray
    scale: float | None = None
    zero_point: int = 0


@dataclass(frozen=True)
class Body:
    """A graph of one operator on so many inputs; without an operator it gives its last input.

    `inputs` say types and shapes; `result` the type of the result.
    """

    op: str
    inputs: tuple[np.ndarray, ...]
    result: Any
    options: dict[str, Any] = field(default_factory=dict)
    reads: tuple[int, ...] | None = None


def describe_tensor(given: Any) -> dict[str, Any]:
    """A tensor of the file for the oracle; its data is sent apart."""
    if isinstance(given, Const):
        return {"dtype": given.array.dtype.name, "constant": True}
    if isinstance(given, State):
        head = {"dtype": given.array.dtype.name, "variable": True}
        if given.scale is None:
            return head
        return {**head, "scale": [given.scale], "zero_point": [given.zero_point], "axis": 0}
    if isinstance(given, Sparse):
        how = {"block": list(given.block), "turned": given.turned}
        return {"dtype": given.array.dtype.name, "constant": True, "sparse": how}
    if isinstance(given, Blocked):
        blocks = {"scales": given.scales.tolist(), "kind": given.scales.dtype.name}
        head = {"dtype": given.array.dtype.name, "constant": True}
        return {**head, "blocks": {**blocks, "size": given.size}}
    if not isinstance(given, Scaled):
        return {"dtype": given.dtype.name}
    numbers = {"scale": given.scale, "zero_point": given.zero_point}
    spread = {k: list(v) if isinstance(v, tuple) else [v] for k, v in numbers.items()}
    head = {"dtype": given.array.dtype.name, "constant": given.constant, "axis": given.axis}
    return {**head, **spread}


def array_of(given: Any) -> np.ndarray:
    """The data of an input."""
    found: np.ndarray = given.array if isinstance(given, (*Fixed, Scaled, State)) else given
    return found


def run_inputs(case: Case) -> list[np.ndarray]:
    """The arrays that go in at run time."""
    given = [g for g in case.inputs if g is not None and not isinstance(g, (*Fixed, State))]
    return [array_of(g) for g in given if not (isinstance(g, Scaled) and g.constant)]


def _results(case: Case) -> list[dict[str, Any]]:
    if case.results:
        return [_result(r) for r in case.results]
    return [describe_tensor(np.empty(0, array_of(case.inputs[0]).dtype))] * case.outputs


def _result(given: Any) -> dict[str, Any]:
    if isinstance(given, np.ndarray):
        return {**describe_tensor(given), "shape": list(given.shape)}
    return describe_tensor(given if isinstance(given, Scaled) else np.empty(0, given))


def ask_litert(case: Case, oracle: Oracle, *, run: bool = True) -> tuple[bytes, list[np.ndarray]]:
    """The file, and LiteRT's results where it is to run."""
    given = [g for g in case.inputs if g is not None]
    places = iter(range(len(given)))
    graphs: list[dict[str, Any]] = []
    attrs = dict(case.attrs)
    inside = [describe_tensor(t) for t in attrs.pop(INSIDE, ())]
    head = {
        "op": case.op,
        "version": case.opset or 1,
        "tensors": [describe_tensor(g) for g in given],
        "inputs": [-1 if g is None else next(places) for g in case.inputs],
        "options": {k: _plain(v, graphs) for k, v in attrs.items()},
        "graphs": graphs,
        INSIDE: inside,
        "results": _results(case),
        "run": run,
    }
    content, *results = oracle.ask(head, [array_of(g) for g in given])
    return content.tobytes(), results


def _plain(value: Any, graphs: list[dict[str, Any]]) -> Any:
    """A value of an option as JSON; graphs by their number."""
    if isinstance(value, Precision):
        return {"type": "BOOL" if value == Precision.BOOL8 else value.name}
    if isinstance(value, Body):
        graphs.append(
            {
                "op": value.op,
                "tensors": [{**describe_tensor(a), "shape": list(a.shape)} for a in value.inputs],
                "inputs": list(value.reads or range(len(value.inputs))),
                "options": {k: _plain(v, graphs) for k, v in value.options.items()},
                "results": [describe_tensor(np.empty(0, value.result))],
            }
        )
        return len(graphs)
    return [_plain(v, graphs) for v in value] if isinstance(value, tuple) else value


class LiteEngine(Engine[Case]):
    """Cases of one operator in a file that LiteRT's schema writes."""

    worker = "conformance.oracles.litert"

    def ask(self, case: Case, oracle: Oracle) -> Answer:
        content, results = ask_litert(case, oracle)
        return Answer(results, (content,), case.read)

    def model(self, case: Case, answer: Answer) -> Model:
        return frontend.load(answer.files[0])

    def inputs(self, case: Case, model: Model) -> list[np.ndarray]:
        return run_inputs(case)

    def refused(self, case: Case, device: str, oracle: Oracle) -> list[np.ndarray]:
        content, _ = ask_litert(case, oracle, run=False)
        return self.results(case, device, Answer([], (content,)))


ENGINE = LiteEngine()
WHOLE = FileEngine()
run = ENGINE.refused
