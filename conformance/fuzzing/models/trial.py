"""One model in every way that a device can run it: what becomes of each way.

`builtin` runs the model as it is, and says what is right. A device runs it as it is and after the
passes of `nnadapter.optimize`; it writes its file formats, which the engine of their users runs
and our frontends read again. The passes alone, and the archive, are ways of `builtin`.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hal.device import Device
from hal.runtime import manager
from hal.runtime.program import Program
from nnir import archive, errors
from nnir.errors import NNAdapterError, NoLowering, NotConstant, Unsupported, summary
from nnir.evaluate import evaluate
from nnir.model import Model
from nnir.passes import CLEAN, FUSIONS, apply
from nnir.serial import encode_type

from ...case import Tolerance
from ...engines.engine import Outcome
from ...judging.compare import Difference, compare, first_problem, is_float
from ...judging.judge import Verdict, failure
from ...judging.result import ERROR, PASS, REFUSED, WRONG
from ...judging.rounding import distance_of, in_float64
from ...oracles.oracle import Oracle
from ...oracles.origin import BUILTIN
from ...processes.worker import Lost
from ...suites.folders import load_source
from .noise import Allowance, all_samples, allow

Arrays = Sequence[np.ndarray]
WRITTEN = "conformance.oracles.written"
AS_IT_IS, OPTIMIZED = "as it is", "optimized"
READ = {".onnx", ".tflite", ".pt2"}
"""Formats that a frontend reads; the archive is read by itself."""

GAPS = (NoLowering, NotConstant, Unsupported)
"""What is not supported, and says so. Any other error is one where a valid model is run."""

KINDS = (errors.DeviceError, errors.BadInput, errors.BadFile, errors.BadModel, *GAPS)
"""What another process may raise."""

SLOW = frozenset({".pt2"})
SHARE_OF_SLOW = 10
"""One in so many models is written in a format that takes seconds to write."""

FURTHER = 4
"""Of the judge's own distance from what it gives in float64: so far a device may be from that."""


@dataclass(frozen=True)
class Subject:
    """A model, its arrays, what `builtin` makes of them, and how far others may be from that."""

    model: Model
    arrays: Arrays
    wanted: list[np.ndarray]
    allowed: list[Allowance]


@dataclass(frozen=True)
class Trial:
    """What became of one way to run a model."""

    way: str
    verdict: Verdict
    seconds: float = 0.0


def subject_of(model: Model, arrays: Arrays) -> Subject:
    """A model with what is right."""
    samples = all_samples(model, arrays)
    found = [samples[v] for v in model.outputs]
    allowed = [allow(v, s) for v, s in zip(model.outputs, found, strict=True)]
    return Subject(model, arrays, [s[0] for s in found], allowed)


def ways_of(device: str) -> list[str]:
    """The ways in which a device runs a model, by name."""
    if device == BUILTIN:
        return [OPTIMIZED, archive.SUFFIX]
    found = manager.find(device)
    files = [f"{s} {how}" for s in found.formats for how in ("stock", "read")]
    return [AS_IT_IS, OPTIMIZED, *(f for f in files if not f.endswith("read") or _is_read(f))]


def some_ways_of(device: str, number: int) -> list[str]:
    """The ways for the model of a number: those that are slow only for some."""
    if number % SHARE_OF_SLOW == 0:
        return ways_of(device)
    return [way for way in ways_of(device) if way.partition(" ")[0] not in SLOW]


def _is_read(way: str) -> bool:
    return way.partition(" ")[0] in READ


def try_model(
    subject: Subject, device: str, oracle: Callable[[str], Oracle], only: Sequence[str] = ()
) -> Iterator[Trial]:
    """Run a model in every way of a device, or only in some; `oracle` gives processes."""
    with tempfile.TemporaryDirectory(prefix="models-") as folder:
        files = Files(subject.model, device, Path(folder), oracle)
        for way in only or ways_of(device):
            started = time.perf_counter()
            verdict = judge(subject, partial(_run, subject, device, way, files))
            yield Trial(way, verdict, time.perf_counter() - started)


def judge(subject: Subject, run: Callable[[], Arrays]) -> Verdict:
    """What becomes of a way to run a model."""
    try:
        got = list(run())
    except GAPS as error:
        return Verdict(REFUSED, f"{type(error).__name__}: {summary(error)}")
    except Lost as error:
        return failure(error)
    except NNAdapterError as error:
        return Verdict(ERROR, f"{type(error).__name__}: {summary(error)}")
    except Exception as error:  # noqa: BLE001  any other exception is a bug
        return failure(error)
    if len(got) != len(subject.wanted):
        return Verdict(WRONG, f"{len(got)} outputs, not {len(subject.wanted)}")
    differences = _compare(subject, got)
    problem = first_problem(differences)
    if problem is not None and _is_as_near(subject, got, differences):
        problem = None
    outcome = Outcome(got, subject.wanted, differences, problem)
    return Verdict(PASS if problem is None else WRONG, problem or _words(subject), outcome)


def _compare(subject: Subject, got: Arrays) -> list[Difference]:
    rows = zip(got, subject.wanted, subject.allowed, strict=True)
    return [compare(g, w, Tolerance(absolute=a.absolute)) for g, w, a in rows]


def _words(subject: Subject) -> str:
    """What is allowed beyond rounding, in words."""
    most = max((a.of_steps for a in subject.allowed), default=0.0)
    return f"quantised values may be a step beside: up to {most:.3g} of an output" if most else ""


def _is_as_near(subject: Subject, got: Arrays, differences: Sequence[Difference]) -> bool:
    """Whether what differs is float results that are hardly further from those in float64 than the
    judge's own."""
    places = [k for k, d in enumerate(differences) if d.problem is not None]
    if any(not is_float(got[k].dtype) or got[k].shape != subject.wanted[k].shape for k in places):
        return False
    exact = in_float64(subject.model, list(subject.arrays))
    if exact is None:
        return False
    return all(
        distance_of(got[k], exact[k]) <= FURTHER * distance_of(subject.wanted[k], exact[k])
        for k in places
    )


def copy_of(model: Model) -> Model:
    """A model that may be changed."""
    return archive.loads(archive.dumps(model))


def optimize(model: Model) -> Model:
    """A copy after the passes of `nnadapter.load` and `nnadapter.optimize`."""
    made = copy_of(model)
    apply(made, (*CLEAN, *FUSIONS, *CLEAN))
    return made


def _run(subject: Subject, device: str, way: str, files: Files) -> Arrays:
    if way == archive.SUFFIX:
        return evaluate(copy_of(subject.model), subject.arrays)
    suffix, _, how = way.partition(" ")
    if how == "stock":
        return files.run(suffix, subject.arrays)
    if how == "read":
        with Program(load_source(files.written(suffix)), BUILTIN) as program:
            return program(*subject.arrays)
    model = optimize(subject.model) if way == OPTIMIZED else subject.model
    with Program(model, device) as program:
        return program(*subject.arrays)


class Files:
    """The files that a device writes of a model, each when it is first asked for."""

    def __init__(
        self, model: Model, device: str, folder: Path, oracle: Callable[[str], Oracle]
    ) -> None:
        self.model, self.device, self.folder, self.oracle = model, device, folder, oracle
        self._written: dict[str, Path | NNAdapterError] = {}

    def written(self, suffix: str) -> Path:
        """The file of a format."""
        if suffix not in self._written:
            path = self.folder / f"model{suffix}"
            try:
                self._writer(suffix).export(self.model, path)
            except NNAdapterError as error:
                self._written[suffix] = error
            else:
                self._written[suffix] = path
        found = self._written[suffix]
        if isinstance(found, NNAdapterError):
            raise found
        return found

    def run(self, suffix: str, arrays: Arrays) -> list[np.ndarray]:
        """What the engine of the format's users makes of the file."""
        ends = {"inputs": self.model.inputs, "outputs": self.model.outputs}
        types = {end: [encode_type(v.type) for v in values] for end, values in ends.items()}
        path = self.written(suffix)
        worker = self.oracle(WRITTEN)
        _ask(worker, {"path": str(path), "device": self.device, **types}, [])
        return _ask(worker, {}, arrays)

    def _writer(self, suffix: str) -> Device:
        kind = manager.find(self.device)
        return kind() if kind.writes_alone else manager.acquire(self.device)


def _ask(worker: Oracle, head: dict[str, Any], arrays: Arrays) -> list[np.ndarray]:
    """What a process answers, or what it raised."""
    reply, results = worker.call(head, list(arrays))
    if "error" not in reply:
        return results
    name, _, said = str(reply["error"]).partition(": ")
    kinds: dict[str, type[Exception]] = {k.__name__: k for k in KINDS}
    raise kinds[name](said) if name in kinds else RuntimeError(reply["error"])
