"""Whole TFLite files as rows: several operators and graphs, names, signatures and variables."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from frontends import tflite as frontend
from hal.runtime.program import Program
from nnir.errors import NNAdapterError
from nnir.model import Model
from nnir.stateful import user_inputs, user_outputs

from ..case import EXACT, Const, Tolerance
from ..judging.compare import compare, first_problem
from ..oracles.oracle import Oracle
from .engine import Answer, Convert, Engine, Outcome


@dataclass(frozen=True)
class Entry:
    """A tensor: an array of its type and sizes, which a `Const` fills, or the name of a type.

    Of `open` sizes the axes are not known.
    """

    given: np.ndarray | Const | str
    name: str = ""
    open: tuple[int, ...] = ()
    scale: float | None = None
    zero_point: int = 0


@dataclass(frozen=True)
class Node:
    """An operator, with the numbers of its tensors; -1 is an operand that is absent."""

    op: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    version: int = 1


@dataclass(frozen=True)
class Graph:
    """A graph with the numbers of its ends."""

    tensors: tuple[Entry, ...]
    nodes: tuple[Node, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    name: str = "main"


@dataclass(frozen=True)
class Signature:
    """What is called `key`: a graph, with names for the numbers of its ends."""

    key: str
    inputs: Mapping[str, int]
    outputs: Mapping[str, int]
    graph: int = 0


@dataclass(frozen=True)
class FileCase:
    """A file that is called with `inputs` so many times; `why` it exists is its name.

    `asked` is the key of the signature that is called, by default none is named.
    """

    op: str
    graphs: tuple[Graph, ...]
    inputs: tuple[np.ndarray, ...]
    why: str
    signatures: tuple[Signature, ...] = ()
    asked: str | None = None
    calls: int = 1
    tol: Tolerance = EXACT
    raises: type[NNAdapterError] | None = None
    description: str = "case"

    def __str__(self) -> str:
        return f"{self.op}-file-{self.why}"

    def tolerance(self, dtype: np.dtype) -> Tolerance:
        """Of every result."""
        return self.tol

    def calls_of(self) -> Iterator[list[np.ndarray]]:
        """What goes in, call by call."""
        for call in range(self.calls):
            yield [np.roll(a, call, -1) if a.ndim else a for a in self.inputs]


def ask_file(case: FileCase, oracle: Oracle, *, run: bool = True) -> tuple[bytes, list[np.ndarray]]:
    """The file; where it runs, what LiteRT calls its ends and the results of all calls."""
    chosen = next((s for s in case.signatures if s.key == case.asked), None)
    held = [t.given for graph in case.graphs for t in graph.tensors]
    constants = [given.array for given in held if isinstance(given, Const)]
    head = {
        "description": case.description,
        "graphs": [_describe_graph(g) for g in case.graphs],
        "signatures": [
            {"key": s.key, "graph": s.graph, "inputs": {**s.inputs}, "outputs": {**s.outputs}}
            for s in case.signatures
        ],
        "signature": case.asked,
        "inputs": [] if chosen is None else [*chosen.inputs],
        "outputs": [] if chosen is None else [*chosen.outputs],
        "constants": len(constants),
        "calls": case.calls,
        "run": run,
    }
    content, *results = oracle.ask(head, [*constants, *case.inputs])
    return content.tobytes(), results


def _describe_graph(graph: Graph) -> dict[str, Any]:
    return {
        "name": graph.name,
        "inputs": [*graph.inputs],
        "outputs": [*graph.outputs],
        "tensors": [_describe_tensor(t, k) for k, t in enumerate(graph.tensors)],
        "nodes": [_describe_node(n) for n in graph.nodes],
    }


def _describe_node(node: Node) -> dict[str, Any]:
    ends = {"inputs": [*node.inputs], "outputs": [*node.outputs]}
    return {"op": node.op, "version": node.version, "options": {**node.options}, **ends}


def _describe_tensor(entry: Entry, number: int) -> dict[str, Any]:
    name = entry.name or f"t{number}"
    if isinstance(entry.given, str):
        return {"dtype": entry.given, "shape": [], "name": name}
    is_constant = isinstance(entry.given, Const)
    array = entry.given.array if isinstance(entry.given, Const) else entry.given
    shape = [-1 if k in entry.open else n for k, n in enumerate(array.shape)]
    head = {"dtype": array.dtype.name, "shape": shape, "name": name, "constant": is_constant}
    if entry.scale is None:
        return head
    return {**head, "scale": [entry.scale], "zero_point": [entry.zero_point], "axis": 0}


def pack_calls(results: Sequence[np.ndarray]) -> bytes:
    """The results of all calls as the bytes of an archive."""
    with io.BytesIO() as file:
        np.savez(file, *results)
        return file.getvalue()


def find_problem(case: FileCase, device: str, model: Model, said: bytes, kept: bytes) -> str | None:
    """What is otherwise in our model: names of ends, the producer, or the results of a call."""
    asked = json.loads(said)
    named = asked["signature"] if case.signatures else asked["names"]
    ours = [v.name or "" for v in user_inputs(model)]
    made = [name for name, _ in model.named_outputs()][: len(user_outputs(model))]
    for side, found, wanted in (("inputs", ours, named[0]), ("outputs", made, named[1])):
        if len({*wanted}) == len(wanted) and sorted(found) != sorted(wanted):
            return f"{side} are called {found}, not {wanted}"
    results = iter(np.load(io.BytesIO(kept)).values())
    with Program(model, device) as program:
        for arrays in case.calls_of():
            got = program(*arrays)
            pairs = zip(got, (next(results) for _ in got), strict=True)
            problem = first_problem([compare(a, b, case.tol) for a, b in pairs])
            if problem is not None:
                return problem
    return None


class FileEngine(Engine[Any]):
    """Whole files that LiteRT's schema writes."""

    worker = "conformance.oracles.litert"

    def ask(self, case: FileCase, oracle: Oracle) -> Answer:
        content, (said, *results) = ask_file(case, oracle)
        first = results[: len(results) // case.calls]
        return Answer(first, (content, said.tobytes(), pack_calls(results)))

    def model(self, case: FileCase, answer: Answer) -> Model:
        return frontend.load(answer.files[0], signature=case.asked)

    def inputs(self, case: FileCase, model: Model) -> list[np.ndarray]:
        return [*case.inputs]

    def may_wait(self, case: FileCase) -> bool:
        return False

    def outcome(
        self, case: FileCase, device: str, answer: Answer, convert: Convert | None = None
    ) -> Outcome:
        """What comes of the first call, and then of all of them."""
        found = super().outcome(case, device, answer, convert)
        if found.problem is not None:
            return found
        model = self.model(case, answer)
        return replace(found, problem=find_problem(case, device, model, *answer.files[1:]))

    def refused(self, case: FileCase, device: str, oracle: Oracle) -> list[np.ndarray]:
        content, _ = ask_file(case, oracle, run=False)
        return self.results(case, device, Answer([], (content,)))
