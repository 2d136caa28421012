"""Runs ONNX cases: convert, infer, run and compare with the origin's own output."""

from __future__ import annotations

from typing import Any

import numpy as np

from frontends import onnx as frontend
from frontends.source import SourceGraph, SourceModel, SourceNode, SourceValue
from hal.runtime.program import Program
from nnir.dim import Expr
from nnir.errors import DeviceError
from nnir.model import Model
from nnir.types import TensorType, precision_of

from .case import Case, Const, ModelCase, array_of
from .compare import compare
from .oracle import Oracle

NEWEST = 23
NEWESTS = {"ai.onnx.ml": 5}


def run_inputs(case: Case) -> list[np.ndarray]:
    """The arrays that go in at run time."""
    return [a for a in case.inputs if isinstance(a, np.ndarray)]


def expected(case: Case, oracle: Oracle) -> list[np.ndarray]:
    """What the origin framework gives."""
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
    return oracle.ask({"case": described, "engine": case.oracle}, arrays)


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
                SourceValue(name, TensorType(precision_of(array.dtype), array.shape))
            )
    op = f"{case.domain}::{case.op}" if case.domain else case.op
    graph.nodes.append(SourceNode(op, names, outputs, _attributes(case.attrs)))
    return frontend.translate(SourceModel("onnx", graph, versions(case)))


def versions(case: Case) -> dict[str, int]:
    """The opsets of a case; its own number is that of its domain."""
    if not case.domain:
        return {"": case.opset or NEWEST}
    return {"": NEWEST, case.domain: case.opset or NEWESTS.get(case.domain, 1)}


def check(case: Case, device: str, oracle: Oracle) -> None:
    """AssertionError when the case does not do what it says; see STYLE for the order of checks."""
    model = convert(case)
    want = expected(case, oracle)
    assert len(model.outputs) == len(want), "number of outputs"
    for value, array in zip(model.outputs, want, strict=True):
        assert value.dtype == array.dtype, f"inferred {value.type}, not {array.dtype}"
        assert _shape_fits(value.shape, array.shape), f"inferred {value.type}, not {array.shape}"
    program = Program(model, device)
    got = program(*run_inputs(case))
    for position, (mine, theirs) in enumerate(zip(got, want, strict=True)):
        theirs = mine if case.random and mine.shape == theirs.shape else theirs
        difference = compare(mine, theirs, case.tolerance(theirs.dtype))
        assert difference.problem is None, f"output {position}: {difference.problem}"


def check_model(case: ModelCase, device: str, oracle: Oracle) -> None:
    """As `check`, for a whole model; a case that must fail raises what it fails with."""
    head = {"text": case.text, "engine": case.oracle, "parse_only": case.raises is not None}
    *want, data = oracle.ask(head, list(case.inputs))
    model = frontend.load(data.tobytes())
    assert len(model.outputs) == len(want), "number of outputs"
    got = Program(model, device)(*case.inputs)
    for value, mine, theirs in zip(model.outputs, got, want, strict=True):
        assert value.dtype == theirs.dtype, f"inferred {value.type}, not {theirs.dtype}"
        assert _shape_fits(value.shape, theirs.shape), f"inferred {value.type}, not {theirs.shape}"
        difference = compare(mine, theirs, case.tol)
        assert difference.problem is None, difference.problem


def run(case: Case, device: str) -> list[np.ndarray]:
    """Convert and run without an origin, for cases that must fail."""
    results = Program(convert(case), device)(*run_inputs(case))
    if not isinstance(results, list):
        raise DeviceError("a program returns a list")
    return results


def _shape_fits(inferred: tuple[Any, ...], real: tuple[int, ...]) -> bool:
    return len(inferred) == len(real) and all(
        isinstance(d, Expr) or d == r for d, r in zip(inferred, real, strict=True)
    )


def _attributes(attrs: dict[str, Any]) -> dict[str, Any]:
    return {k: list(v) if isinstance(v, tuple) else v for k, v in attrs.items()}
