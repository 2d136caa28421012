"""Runs ONNX cases: convert, infer, run and compare with the origin's own output."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontends import onnx as frontend
from frontends.source import SourceGraph, SourceModel, SourceNode, SourceValue
from hal.runtime.program import Program
from nnir.model import Model

from ..case import Case, Const, ModelCase, array_of, type_of
from ..oracles.oracle import Oracle
from .engine import Answer, Engine

WORKER = "conformance.oracles.onnx"

NEWEST = 23
NEWESTS = {"ai.onnx.ml": 5}
RUNTIMES = frozenset({"com.microsoft"})
"""Domains of ONNX Runtime's own, of which ONNX's evaluator knows nothing."""


def run_inputs(case: Case) -> list[np.ndarray]:
    """The arrays that go in at run time."""
    return [a for a in case.inputs if isinstance(a, np.ndarray)]


def ask_origin(case: Case, oracle: Oracle) -> list[np.ndarray]:
    """What the origin framework gives."""
    return oracle.ask(*describe_case(case))


def describe_case(case: Case) -> tuple[dict[str, Any], list[np.ndarray]]:
    """A case as the oracle is asked it: in words, and its arrays."""
    kinds = ["" if a is None else "const" if isinstance(a, Const) else "run" for a in case.inputs]
    constants = [a.array for a in case.inputs if isinstance(a, Const)]
    tensors = {k: v for k, v in case.attrs.items() if isinstance(v, np.ndarray)}
    described = {
        "op": case.op,
        "inputs": kinds,
        "attrs": {k: v for k, v in case.attrs.items() if k not in tensors},
        "tensors": list(tensors),
        "outputs": case.outputs,
        "versions": versions(case),
        "domain": case.domain,
    }
    arrays = run_inputs(case) + constants + list(tensors.values())
    engine = "onnxruntime" if case.domain in RUNTIMES else case.oracle
    return {"case": described, "engine": engine}, arrays


def convert(case: Case) -> Model:
    """The case's node through the ONNX frontend."""
    names = ["" if a is None else f"x{k}" for k, a in enumerate(case.inputs)]
    outputs = [f"y{k}" for k in range(case.outputs)]
    graph = SourceGraph("case", outputs=[SourceValue(n) for n in outputs])
    for name, given in zip(names, case.inputs, strict=True):
        array = array_of(given)
        if isinstance(given, Const):
            graph.weights[name] = given.array
        elif array is not None:
            graph.inputs.append(
                SourceValue(name, type_of(array, is_open=case.is_open and name == names[0]))
            )
    op = f"{case.domain}::{case.op}" if case.domain else case.op
    graph.nodes.append(SourceNode(op, names, outputs, _attributes(case.attrs)))
    return frontend.translate(SourceModel("onnx", graph, versions(case)))


def versions(case: Case) -> dict[str, int]:
    """The opsets of a case; its own number is that of its domain."""
    if not case.domain:
        return {"": case.opset or NEWEST}
    return {"": NEWEST, case.domain: case.opset or NEWESTS.get(case.domain, 1)}


class OneNode(Engine[Case]):
    """Cases of one operator."""

    worker = WORKER

    def ask(self, case: Case, oracle: Oracle) -> Answer:
        return Answer(ask_origin(case, oracle))

    def model(self, case: Case, answer: Answer) -> Model:
        return convert(case)

    def inputs(self, case: Case, model: Model) -> list[np.ndarray]:
        return run_inputs(case)

    def refused(self, case: Case, device: str, oracle: Oracle) -> list[np.ndarray]:
        return run(case, device)


class WholeModel(Engine[ModelCase]):
    """Cases of whole models in ONNX's text form."""

    worker = WORKER

    def ask(self, case: ModelCase, oracle: Oracle) -> Answer:
        head = {"text": case.text, "engine": case.oracle, "parse_only": case.raises is not None}
        *want, data = oracle.ask(head, list(case.inputs))
        return Answer(want, (data.tobytes(),))

    def model(self, case: ModelCase, answer: Answer) -> Model:
        return frontend.load(answer.files[0])

    def inputs(self, case: ModelCase, model: Model) -> list[np.ndarray]:
        return list(case.inputs)


ENGINE, WHOLE = OneNode(), WholeModel()


def run(case: Case, device: str) -> list[np.ndarray]:
    """Convert and run without an origin, for cases that must fail."""
    return list(Program(convert(case), device)(*run_inputs(case)))


def _attributes(attrs: dict[str, Any]) -> dict[str, Any]:
    return {k: list(v) if isinstance(v, tuple) else v for k, v in attrs.items()}
