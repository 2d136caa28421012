"""Folders with a model, its inputs and the outputs of its origin, as a suite.

A folder holds `meta.json` (with `framework` and `model`) or a model file, `inputs.npz`
(`in_0`, `in_1`, ...) and `outputs.npz` (`out_0`, ...); `random_outputs` of the meta file lists the
outputs of which only precision and shape are compared.
"""

from __future__ import annotations

import json
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from frontends.frontend import Frontend
from hal.runtime.program import Program
from nnir.errors import FAILURES, BadFile, BadInput, Unsupported, describe
from nnir.model import Model
from nnir.passes import CLEAN, apply

from ..case import Tolerance
from ..engines.engine import Outcome
from ..judging.compare import compare, is_float
from ..judging.judge import Verdict, failure
from ..judging.record import record
from ..judging.result import PASS, WRONG, Result
from ..judging.tolerance import largest
from ..running.suite import Crew, Item, Options, Suite, command

FILES = ("model.pt2", "saved_model", "model.json", "model.pdmodel", "model.onnx", "model.tflite")
INPUTS, OUTPUTS, META = "inputs.npz", "outputs.npz", "meta.json"
KINDS = {
    ".pt2": "torch",
    ".onnx": "onnx",
    ".tflite": "tflite",
    ".json": "paddle",
    ".pdmodel": "paddle",
}
"""The frontend of a file; of anything else, TensorFlow's."""

FRONTENDS = {"tf": "tensorflow", "pytorch": "torch"}
NO_FOLDER = "no folder is given (--models DIR)"
RELATIVE = 1e-3
"""Of the largest magnitude of an output: whole models with random weights amplify rounding."""

SLACK = 1e-3
"""The share of int32 or int64 that may differ: positions of maxima of what was rounded."""


@dataclass(frozen=True)
class Contents:
    """What a folder holds; `random` are the places of outputs that have no values to compare."""

    source: Path
    inputs: list[np.ndarray]
    want: list[np.ndarray]
    random: frozenset[int]


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
            named = folders(map(Path, self.options.models))
            self._found = {name: (_likely(place), place) for name, place in named.items()}
        return self._found

    def run(self, item: Item, device: str) -> Iterator[Result]:
        _, folder = self._folders()[item.name]
        started = time.perf_counter()
        inputs: list[np.ndarray] = []
        try:
            held = contents(folder)
            inputs = held.inputs
            found = _judge(held, device)
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


def folders(roots: Iterable[Path]) -> dict[str, Path]:
    """The model folders by name: the path below their root, after its name if it is not alone.

    BadInput where two have the same name.
    """
    found: dict[str, Path] = {}
    places = {root.resolve(): root for root in roots}
    for place, root in places.items():
        for folder in _model_folders(root):
            below = "" if folder == root else folder.relative_to(root).as_posix()
            is_alone = len(places) == 1 and below
            name = below if is_alone else f"{place.name}/{below}".rstrip("/")
            if name in found:
                raise BadInput(
                    f"two model folders are named {name!r}: {str(found[name])!r} and "
                    f"{str(folder)!r}; run them one after the other"
                )
            found[name] = folder
    return found


def _model_folders(root: Path) -> list[Path]:
    """`root` and the folders in it, where they look like the folder of a model."""
    if not root.is_dir():
        raise BadFile(f"no such folder: {str(root)!r}")
    parts = (INPUTS, OUTPUTS, *FILES)
    places = [p for p in sorted(root.iterdir()) if p.is_dir() and _holds(p, (*parts, META))]
    return [root, *places] if _holds(root, parts) else places


def _holds(folder: Path, names: Iterable[str]) -> bool:
    try:
        return any((folder / n).exists() for n in names)
    except OSError:  # may not be read: its verdict says so
        return True


def _meta(folder: Path) -> dict[str, Any]:
    path = folder / META
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError, RecursionError) as error:
        raise BadFile(f"{str(path)!r} is not readable JSON: {error}") from None
    if not isinstance(found, dict):
        raise BadFile(f"{str(path)!r} is not a JSON object")
    return found


def framework_of(folder: Path) -> str:
    """The frontend of a folder's model; BadFile where its meta file names another."""
    said = str(_meta(folder).get("framework", "")).lower()
    frontend = FRONTENDS.get(said, said)
    if said and frontend not in Folders.frontends:
        known = ", ".join((*Folders.frontends, *FRONTENDS))
        raise BadFile(f"{str(folder / META)!r} names the framework {said!r}, not one of {known}")
    return frontend or KINDS.get(source_of(folder).suffix, "tensorflow")


def _likely(folder: Path) -> str:
    """The frontend, or the one that the files suggest where the folder is damaged."""
    try:
        return framework_of(folder)
    except (*FAILURES, OSError):
        names = (n for n in FILES if _holds(folder, (n,)))
        return next((KINDS.get(Path(n).suffix, "tensorflow") for n in names), "onnx")


def source_of(folder: Path) -> Path:
    """The model's file or folder."""
    known = _meta(folder).get("model")
    for name in (known, *FILES):
        if isinstance(name, str) and (folder / name).exists():
            if not (folder / name).resolve().is_relative_to(folder.resolve()):
                raise BadFile(f"{str(folder)!r} names a model outside of itself: {name!r}")
            return folder / name
    raise BadFile(f"{str(folder)!r} holds none of {', '.join(FILES)}")


def contents(folder: Path) -> Contents:
    """All that a folder holds; BadFile where something is missing or damaged."""
    try:
        framework_of(folder)
        source = source_of(folder)
    except OSError as error:
        raise BadFile(f"{str(folder)!r} cannot be read: {error}") from None
    inputs, want = _arrays(folder / INPUTS, "in"), _arrays(folder / OUTPUTS, "out")
    random = _meta(folder).get("random_outputs", [])
    if not isinstance(random, list) or not all(k in range(len(want)) for k in random):
        raise BadFile(f"{str(folder / META)!r} has random_outputs={random!r:.60}")
    return Contents(source, inputs, want, frozenset(random))


def _arrays(path: Path, prefix: str) -> list[np.ndarray]:
    """The arrays of a file in order; no pickle."""
    if not path.is_file():
        raise BadFile(f"{str(path.parent)!r} has no {path.name}")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as data:
            count = sum(n.startswith(f"{prefix}_") for n in data.files)
            return [data[f"{prefix}_{k}"] for k in range(count)]
    except (*FAILURES, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise BadFile(f"{str(path)!r} cannot be read: {describe(error)}") from None


def load_source(source: Path) -> Model:
    """The model through the frontend that knows it."""
    from frontends import onnx, paddle, tensorflow, tflite, torch

    installed: tuple[Frontend, ...] = (onnx, tflite, torch, paddle, tensorflow)
    for frontend in installed:
        if frontend.detects(source):
            model = frontend.load(source)
            apply(model, CLEAN)
            return model
    raise Unsupported(f"no frontend reads {source.name!r}")


def _judge(held: Contents, device: str) -> Verdict:
    with Program(load_source(held.source), device) as program:
        got = program(*held.inputs)
    want = held.want
    if len(got) != len(want):
        return Verdict(WRONG, f"{len(got)} outputs, not {len(want)}")
    differences = []
    problem = None
    for place, (mine, theirs) in enumerate(zip(got, want, strict=True)):
        is_alike = mine.dtype == theirs.dtype and mine.shape == theirs.shape
        known = mine if place in held.random and is_alike else theirs
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
    return max(1e-6, largest(want))


def _is_slack(got: np.ndarray, want: np.ndarray) -> bool:
    """Whether so few indices differ that rounding before an argmax explains it."""
    is_index = want.dtype in (np.dtype(np.int32), np.dtype(np.int64))
    same = got.dtype == want.dtype and got.shape == want.shape and is_index
    return same and bool(np.mean(got != want) <= SLACK)
