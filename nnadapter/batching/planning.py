"""Which models a batch converts, and what their targets are called."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from pathlib import Path

from nnir import archive
from nnir.budget import read_file, read_head
from nnir.errors import BadFile, BadInput
from nnir.records import dataclass

from .. import sources

MOST = 1 << 26
"""Bytes of a list of models."""


@dataclass(frozen=True)
class Source:
    """A model, and its path below where it was looked for, which its targets have too."""

    path: Path
    name: Path


@dataclass
class Plan:
    """Pairs of source and target, and how many files are no models."""

    pairs: list[tuple[Path, Path]] = field(default_factory=list)
    ignored: int = 0


def make_plan(sources: Iterable[Path], folder: Path, formats: Sequence[str]) -> Plan:
    """Every model of `sources` (models, and folders to search) in each format, below `folder`.

    A target is called as its source; models of several folders that are called alike have these in
    front (`a/net.onnx`, `b/net.onnx`), and where the formats of two differ, the suffix of the
    source stays: `net.onnx.tflite`. What lies in `folder` is no source. Raises BadInput where two
    have one name all the same, where a target is a source, and where nothing is found.
    """
    plan = Plan()
    models: dict[Path, Source] = {}
    for place in sources:
        for model in _search(place, folder.resolve(), plan):
            models.setdefault(model.path.resolve(), model)
    named = _with_parents([*models.values()])
    for suffix in formats:
        plan.pairs += [(m.path, folder / n) for m, n in _targets(named, suffix)]
    if repeated := [str(t) for t, n in Counter(t for _, t in plan.pairs).items() if n > 1]:
        raise BadInput(f"several models would be {', '.join(repeated)}: convert them apart")
    if lost := [str(t) for _, t in plan.pairs if t.resolve() in models]:
        raise BadInput(
            f"{', '.join(lost)} would be replaced, and is converted too: choose a folder"
        )
    if not models:
        raise BadInput(f"no model among {plan.ignored} files")
    plan.pairs.sort(key=lambda pair: pair[0])
    return plan


def read_list(path: Path) -> list[Path]:
    """The paths in a text file, one on each line, relative to the current folder."""
    try:
        lines = read_file(path, MOST).decode().splitlines()
    except UnicodeError as error:
        raise BadFile(f"{str(path)!r} is no list of models: {error}") from None
    return [Path(line.strip()) for line in lines if line.strip() and line.strip()[0] != "#"]


def _with_parents(models: Sequence[Source]) -> list[Source]:
    """The models; those that are called alike by their paths below the folder that they have in
    common."""
    counts = Counter(m.name for m in models)
    alike = [m.path.absolute() for m in models if counts[m.name] > 1]
    if not alike:
        return [*models]
    root = Path(os.path.commonpath([path.parent for path in alike]))
    return [
        m if counts[m.name] == 1 else Source(m.path, m.path.absolute().relative_to(root))
        for m in models
    ]


def _targets(models: Sequence[Source], suffix: str) -> Iterator[tuple[Source, Path]]:
    """Each model and the name of its target."""
    plain = Counter(m.name.with_suffix(suffix) for m in models)
    for model in models:
        name = model.name.with_suffix(suffix)
        whole = model.name.with_name(f"{model.name.name}{suffix}")
        yield model, name if plain[name] == 1 or name == model.name else whole


def _search(place: Path, avoided: Path, plan: Plan) -> Iterator[Source]:
    """The models of a path: itself, or all below a folder that is none."""
    if not place.is_dir() or is_model(place):
        yield Source(place, Path(place.resolve().name))
        return
    for root, folders, files in os.walk(place):
        here = Path(root)
        open_ones = [f for f in sorted(folders) if f[0] != "." and (here / f).resolve() != avoided]
        models = [f for f in open_ones if is_model(here / f)]
        folders[:] = [f for f in open_ones if f not in models]
        known = [*models, *(f for f in sorted(files) if f[0] != "." and is_model(here / f))]
        plan.ignored += len(files) - (len(known) - len(models))
        for name in known:
            yield Source(here / name, (here / name).relative_to(place))


def is_model(path: Path) -> bool:
    """Whether a frontend reads a path, or it is an archive of ours."""
    if path.is_file() and archive.is_archive(read_head(path, 64)):
        return True
    return any(f.detects(path) for f in sources.candidate_frontends(path))
