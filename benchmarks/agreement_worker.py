"""One model after the other: the answers of `check` beside what then really happens.

A process that `python -m benchmarks.agreement` starts and asks; the engines are open once for all.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nnadapter as nna
from conformance.processes.worker_loop import serve
from nnadapter.conversion import Plan, read_source
from nnadapter.readiness.checking import ask_devices, ask_target
from nnadapter.readiness.devices import Run
from nnadapter.readiness.report import Answer
from nnir.errors import NNAdapterError, summary

FORMATS = (".nnir", ".onnx", ".tflite", ".xml", ".pt2")
DEVICES = ("builtin", "onnxruntime", "openvino", "litert", "torch")

BOTH, NEITHER = "both succeed", "both are refused alike"
PROMISED, WITHHELD = "check says yes, it is refused", "check says no, it succeeds"
OTHERWISE = "both are refused, in other words"
VERDICTS = (BOTH, NEITHER, PROMISED, WITHHELD, OTHERWISE)
AGREE = frozenset({BOTH, NEITHER})
PLAN = Plan(verify=False)


def ask(source: Path) -> dict[str, list[str]]:
    """By format and device: the verdict, and what was said. The model is read once."""
    warnings.simplefilter("ignore")
    try:
        model = nna.load(source)
    except NNAdapterError:
        return ask_unread(source)
    found = {}
    given = read_source(model, lambda: model)
    with tempfile.TemporaryDirectory() as place:
        for suffix in FORMATS:
            target = Path(place, f"model{suffix}")
            answer = ask_target(given, target, PLAN, cures=False)
            done = attempt(lambda t=target: nna.convert(model, t, verify=False))
            found[suffix] = compare(answer, done)
            for path in Path(place).iterdir():
                path.unlink()
    for device in DEVICES:
        answer = ask_devices(model, Run([device]), cures=False)
        done = attempt(lambda d=device: nna.compile(model, d).close())
        found[device] = compare(answer, done)
    return found


def ask_unread(source: Path) -> dict[str, list[str]]:
    """The same of a file that is refused before it is a model."""
    done = attempt(lambda: nna.load(source))
    with tempfile.TemporaryDirectory() as place:
        targets = [Path(place, f"model{suffix}") for suffix in FORMATS]
        answers = dict(zip(FORMATS, nna.check(source, targets).answers, strict=True))
        found = {
            suffix: compare(answers[suffix], attempt(lambda t=t: nna.convert(source, t)))
            for suffix, t in zip(FORMATS, targets, strict=True)
        }
    return found | {d: compare(nna.check(source, device=d).answers[0], done) for d in DEVICES}


def attempt(act: Callable[[], object]) -> str:
    """What an error says; empty where there is none."""
    try:
        act()
    except NNAdapterError as error:
        return summary(error)
    return ""


def compare(answer: Answer, done: str) -> list[str]:
    """The verdict on one question, with both answers where they differ."""
    if answer and not done:
        return [BOTH, ""]
    if bool(answer) == bool(done):
        return [PROMISED, done] if answer else [WITHHELD, answer.error]
    is_same = answer.error == done
    return [NEITHER, done] if is_same else [OTHERWISE, f"{answer.error} | {done}"]


def answer_message(head: dict[str, Any], _: list[Any], __: bytes) -> dict[str, Any]:
    """The answers about the model that a message names."""
    return ask(Path(head["source"]))


if __name__ == "__main__":
    serve(answer_message)
