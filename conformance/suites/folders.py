"""Folders with a model, its inputs and the outputs of its origin, as a suite.

A folder holds `meta.json` (with `framework` and `model`) or a model file, `inputs.npz`
(`in_0`, `in_1`, ...) and `outputs.npz` (`out_0`, ...); `random_outputs` of the meta file lists the
outputs of which only precision and shape are compared.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hal.runtime.program import Program
from nnir.errors import FAILURES, BadFile, Unsupported
from nnir.model import Model
from nnir.passes import CLEAN, apply

from ..case import Tolerance
from ..compare import compare, is_float
from ..engine import Outcome
from ..judge import Verdict, failure
from ..record import record
from ..result import PASS, WRONG, Result
from ..suite import Crew, Item, Options, Suite, command

FILES = ("model.pt2", "saved_model", "model.json", "model.pdmodel", "model.onnx", "model.tflite")
FRONTENDS = {"tf": "tensorflow", "pytorch": "torch"}
NO_FOLDER = "no folder is given (--models DIR)"
RELATIVE = 1e-3
"""Of the largest magnitude of an output: whole models with random weights amplify rounding."""

SLACK = 1e-3
"""The share of integers that may differ: positions of maxima of numbers that were rounded."""


class Folders(Suite):
    """One item is a folder."""

    name = "models"
    frontends = ("onnx", "torch", "tensorflow", "tflite", "paddle")

    def __init__(self, options: Options, crew: Crew) -> None:
        super().__init__(options, crew)
        self._found: dict[str, tuple[str, Path]] | None = None

    def missing(self, frontend: str) -> str | None:
        return None if self.options.models else NO_FOLDER

    def items(self, frontend: str) -> Iterable[Item]:
        for name, (framework, _) in self._folders().items():
            if framework == frontend:
                yield Item(self.name, frontend, "model", name)

    def _folders(self) -> dict[str, tuple[str, Path]]:
        if self._found is None:
            if not self.options.models:
                raise Unsupported(NO_FOLDER)
            places = [p for root in self.options.models for p in _model_folders(Path(root))]
            self._found = {name_of(p): (framework_of(p), p) for p in places}
        return self._found

    def run(self, item: Item, device: str) -> Iterator[Result]:
        _, folder = self._folders()[item.name]
        started = time.perf_counter()
        inputs: list[np.ndarray] = []
        try:
            inputs = _arrays(folder / "inputs.npz", "in")
            found = _judged(folder, device, inputs)
        except FAILURES as error:
            found = failure(error)
        yield record(
            item,
            device,
            found,
            seconds=time.perf_counter() - started,
            inputs=inputs,
            command=command(item, device, self.options),
        )


def _model_folders(root: Path) -> list[Path]:
    """The folders below `root`, itself included, that have a model with inputs."""
    if not root.is_dir():
        raise BadFile(f"no such folder: {str(root)!r}")
    places = [root, *sorted(p for p in root.iterdir() if p.is_dir())]
    return [p for p in places if (p / "inputs.npz").is_file() and (p / "outputs.npz").is_file()]


def name_of(folder: Path) -> str:
    """A folder's name in reports."""
    return folder.resolve().name


def _meta(folder: Path) -> dict[str, Any]:
    path = folder / "meta.json"
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise BadFile(f"{str(path)!r} is not readable JSON: {error}") from None
    if not isinstance(found, dict):
        raise BadFile(f"{str(path)!r} is not a JSON object")
    return found


def framework_of(folder: Path) -> str:
    """The frontend of a folder's model."""
    said = str(_meta(folder).get("framework", "")).lower()
    if said:
        return FRONTENDS.get(said, said)
    kinds = (".pt2", "torch"), (".onnx", "onnx"), (".tflite", "tflite"), (".json", "paddle")
    suffix = source_of(folder).suffix
    return next((name for end, name in kinds if end == suffix), "tensorflow")


def source_of(folder: Path) -> Path:
    """The model's file or folder."""
    known = _meta(folder).get("model")
    for name in (known, *FILES):
        if isinstance(name, str) and (folder / name).exists():
            if not (folder / name).resolve().is_relative_to(folder.resolve()):
                raise BadFile(f"{str(folder)!r} names a model outside of itself: {name!r}")
            return folder / name
    raise BadFile(f"{str(folder)!r} holds none of {', '.join(FILES)}")


def _arrays(path: Path, prefix: str) -> list[np.ndarray]:
    """The arrays of a file in order; no pickle."""
    with np.load(path, allow_pickle=False) as data:
        count = sum(n.startswith(f"{prefix}_") for n in data.files)
        return [data[f"{prefix}_{k}"] for k in range(count)]


def loaded(source: Path) -> Model:
    """The model through the frontend that knows it."""
    from frontends import onnx, paddle, tensorflow, tflite, torch

    for frontend in (onnx, tflite, torch, paddle, tensorflow):
        if frontend.detects(source):
            model: Model = frontend.load(source)
            apply(model, CLEAN)
            return model
    raise Unsupported(f"no frontend reads {source.name!r}")


def _judged(folder: Path, device: str, inputs: list[np.ndarray]) -> Verdict:
    with Program(loaded(source_of(folder)), device) as program:
        got = program(*inputs)
    want = _arrays(folder / "outputs.npz", "out")
    if len(got) != len(want):
        return Verdict(WRONG, f"{len(got)} outputs, not {len(want)}")
    random = set(_meta(folder).get("random_outputs", ()))
    differences = []
    problem = None
    for place, (mine, theirs) in enumerate(zip(got, want, strict=True)):
        known = mine if place in random and mine.shape == theirs.shape else theirs
        difference = compare(mine, known, Tolerance(absolute=RELATIVE * _scale(theirs)))
        differences.append(difference)
        if difference.problem and not _is_slack(mine, theirs):
            problem = problem or f"output {place}: {difference.problem}"
    outcome = Outcome(got, want, differences)
    return Verdict(PASS if problem is None else WRONG, problem or "", outcome)


def _scale(want: np.ndarray) -> float:
    """The largest magnitude of a float output; integers must be equal."""
    if not (is_float(want.dtype) or want.dtype.kind == "c") or not want.size:
        return 0.0
    wide = np.abs(want.astype(np.complex128 if want.dtype.kind == "c" else np.float64))
    return float(wide[np.isfinite(wide)].max(initial=1e-6))


def _is_slack(got: np.ndarray, want: np.ndarray) -> bool:
    """Whether so few integers differ that rounding before an argmax explains it."""
    same = got.dtype == want.dtype and got.shape == want.shape and want.dtype.kind in "iu"
    return same and bool(np.mean(got != want) <= SLACK)
