"""The programs of cases as files of an engine, which the versions installed here write."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hal.runtime import manager
from nnir.model import Model
from nnir.staging import temporary_folder

from ..case import Case, ModelCase
from ..engines import onnx as onnx_cases
from ..engines import tflite as tflite_cases
from ..engines.engine import Answer
from ..oracles.oracle import Oracle
from ..running.suite import Crew
from .tracks import Question


@dataclass(frozen=True)
class Written:
    """A file with the inputs it is run on; `weights` are the bytes of a file beside it."""

    blob: bytes
    inputs: list[np.ndarray]
    weights: bytes = b""

    def ask(self, device: str, oracle: Oracle) -> list[np.ndarray]:
        """What a version of the engine makes of it."""
        beside = [np.frombuffer(self.weights, np.uint8)] if self.weights else []
        head = {"device": device, "weights": bool(self.weights)}
        return oracle.ask(head, [*self.inputs, *beside], self.blob)


def write_program(question: Question, device: str, crew: Crew) -> Written:
    """The program of a case. An engine that reads the framework's own files gets those; what else
    a device reads it also writes. Refused, or another error of ours, where there is none."""
    case, engine = question.case, question.engine
    oracle = crew.oracle(engine.worker)
    if device == "litert":
        content, _ = tflite_cases.ask_litert(case, oracle, run=False)
        return Written(content, tflite_cases.run_inputs(case))
    if isinstance(case, ModelCase):
        answer: Answer = engine.ask(case, oracle)
        if device == "onnxruntime":
            return Written(answer.files[0], list(case.inputs))
        model = engine.model(case, answer)
    elif device == "onnxruntime":
        return _write_node(case, oracle)
    else:
        model = engine.model(case, Answer([]))
    return _export(model, device, engine.inputs(case, model))


def _write_node(case: Case, oracle: Oracle) -> Written:
    """A model of the node, of the lowest operator set that has it: older versions know it."""
    head, arrays = onnx_cases.describe_case(case)
    (content,) = oracle.ask({**head, "write": True}, arrays)
    return Written(content.tobytes(), onnx_cases.run_inputs(case))


def _export(model: Model, device: str, inputs: list[np.ndarray]) -> Written:
    writer: Any = manager.acquire(device)
    with temporary_folder() as folder:
        path = folder / f"program{writer.formats[0]}"
        writer.export(model, path)
        beside = path.with_suffix(".bin")
        weights = beside.read_bytes() if beside.exists() else b""
        return Written(path.read_bytes(), inputs, weights)
