"""Trials in a process of their own: a crash or a hang there is an answer. Runs as a worker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnir import archive
from nnir.model import Model

from ...judging.judge import Verdict
from ...judging.result import ERROR, PASS, WRONG
from ...processes.worker import Lost, Worker
from ...processes.worker_loop import serve
from ...running.suite import Crew
from .trial import subject_of, try_model

MODULE = "conformance.fuzzing.models.process"
WORDS = 6
MEMORY = 8 << 30


class Process:
    """A process that tries models on a device in one way."""

    def __init__(self, device: str, way: str, timeout: float = 60.0) -> None:
        self.device, self.way = device, way
        self._worker = Worker(MODULE, timeout=timeout, memory=MEMORY, is_folder_trusted=True)

    def verdict(self, model: Model, arrays: Sequence[np.ndarray]) -> Verdict:
        """What becomes of a model."""
        head = {"device": self.device, "way": self.way}
        try:
            reply, _ = self._worker.call(head, list(arrays), archive.dumps(model))
        except Lost as lost:
            return Verdict(lost.kind, str(lost))
        if "error" in reply:
            return Verdict(ERROR, str(reply["error"]))
        return Verdict(reply["data"]["verdict"], reply["data"]["reason"])

    def close(self) -> None:
        """End the process."""
        self._worker.close()


def kind_of(verdict: Verdict) -> str:
    """What two failures have in common that are likely the same: the verdict, and of errors the
    first words without numbers."""
    if verdict.verdict == WRONG:
        words = verdict.reason.split(": ")[-1].split()
        return f"{WRONG} {next((w for w in words if w in ('precision', 'shape')), 'values')}"
    if verdict.verdict != ERROR:
        return verdict.verdict
    plain = "".join(c for c in verdict.reason if c.isalpha() or c == " ")
    return f"{ERROR} {' '.join(plain.split()[:WORDS])}"


class Server:
    """The worker's side."""

    def __init__(self) -> None:
        self._crew = Crew(60.0, MEMORY)

    def answer(self, head: dict[str, Any], arrays: list[np.ndarray], blob: bytes) -> dict[str, Any]:
        """The verdict on a model in one way."""
        model = archive.loads(blob)
        subject = subject_of(model, arrays)
        trials = try_model(subject, head["device"], self._crew.oracle, [head["way"]])
        found = [trial.verdict for trial in trials]
        verdict = found[0] if found else Verdict(PASS)
        return {"verdict": verdict.verdict, "reason": verdict.reason}


if __name__ == "__main__":
    serve(Server().answer)
