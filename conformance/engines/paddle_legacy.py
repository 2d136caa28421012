"""Cases of Paddle's legacy operators: Paddle writes a program of one, and both of us run it.

The inputs of a case are one dictionary: arrays by slot, lists of them, `Const` for parameters.
`results` are the slots of its outputs, ("Out",) where nothing is said; (slot, n) is a list of n,
(slot, input) the variable of an input.
`read`: only the first so many slots are compared, the others must only be there.
`domain`: what Paddle runs where it no longer has the operator, under which our reader sees it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from frontends.paddle import load
from nnir.model import Model
from nnir.types import Precision

from ..case import Case, Const
from ..oracles.oracle import Oracle
from .engine import Answer, Engine


def inputs_by_slot(case: Case) -> dict[str, list[Any]]:
    """The inputs by slot, always lists."""
    (slots,) = case.inputs
    return {k: list(v) if isinstance(v, (list, tuple)) else [v] for k, v in slots.items()}


def outputs_of(case: Case) -> dict[str, int | str]:
    """How many variables each output slot has."""
    slots = case.results or ("Out",)
    return dict(s if isinstance(s, tuple) else (s, 1) for s in slots)


def ask_paddle(case: Case, oracle: Oracle) -> tuple[bytes, bytes, list[np.ndarray]]:
    """The program, its parameters and Paddle's results."""
    arrays: list[np.ndarray] = []
    constants: list[int] = []
    slots: dict[str, list[int]] = {}
    for slot, values in inputs_by_slot(case).items():
        slots[slot] = []
        for entry in values:
            slots[slot].append(len(arrays))
            if isinstance(entry, Const):
                constants.append(len(arrays))
            arrays.append(entry.array if isinstance(entry, Const) else entry)
    outputs = outputs_of(case)
    head = {
        "op": case.op,
        "as": case.domain,
        "inputs": slots,
        "constants": constants,
        "outputs": outputs,
        "attrs": {k: _plain(v) for k, v in case.attrs.items()},
        "read": list(outputs)[: case.read],
    }
    content, parameters, *results = oracle.ask(head, arrays)
    return content.tobytes(), parameters.tobytes(), results


def _plain(value: Any) -> Any:
    return {"dtype": value.dtype.name} if isinstance(value, Precision) else value


def convert_program(content: bytes, parameters: bytes) -> Model:
    """The program as a file is read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.pdmodel"
        path.write_bytes(content)
        path.with_suffix(".pdiparams").write_bytes(parameters)
        return load(path)


def run_inputs(case: Case, model: Model) -> list[np.ndarray]:
    """The arrays that go in at run time, in the order of the model's inputs."""
    values = [v for slot in inputs_by_slot(case).values() for v in slot]
    named = {f"x{k}": v for k, v in enumerate(values) if not isinstance(v, Const)}
    return [named[v.name or ""] for v in model.inputs]


class LegacyEngine(Engine[Case]):
    """Cases of one operator in a program that Paddle writes."""

    worker = "conformance.oracles.paddle_legacy"

    def ask(self, case: Case, oracle: Oracle) -> Answer:
        content, parameters, results = ask_paddle(case, oracle)
        return Answer(results, (content, parameters))

    def model(self, case: Case, answer: Answer) -> Model:
        return convert_program(*answer.files)

    def inputs(self, case: Case, model: Model) -> list[np.ndarray]:
        return run_inputs(case, model)


ENGINE = LegacyEngine()
run = ENGINE.refused
