"""What a source says of a model beyond what it computes: its own operators, modules and lines."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

import numpy as np

from .dim import Dim
from .errors import BadFile
from .legible import legible
from .records import dataclass
from .state import State
from .types import Precision

FRAME = r'File "([^"\n]*)", line (\d+)'
FOREIGN = ("site-packages", "dist-packages")
"""Folders of packages: the line that a user wrote is in none of them."""


@dataclass(frozen=True)
class Place:
    """Where a node was written: the path of its module in the model, and its line of code."""

    module: str = ""
    line: str = ""

    def for_files(self) -> Place:
        """The place without the folders of its file, which differ between machines on which the
        same is written."""
        return Place(self.module, re.split(r"[/\\]", self.line)[-1])


@dataclass
class Provenance:
    """What is known of the source of a model, by the names of its nodes; no part of the model.

    `operators` are those of the framework, `places` where each was written. `inputs` and `outputs`
    are the shapes that the source declares, `states` what became plain ends of the model, with the
    pairs that its metadata had before, `fixed` the inputs of the source that have values here,
    `closed` says of names of sizes why they are numbers. `precisions` are those that inputs and
    outputs have in the source, where they are narrower here.
    `properties` are what the file says for its users, such as the names of classes, `file` is
    where it lies. Files keep the places and the properties.
    """

    operators: dict[str, str] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    inputs: dict[str, tuple[Dim, ...]] = field(default_factory=dict)
    outputs: dict[str, tuple[Dim, ...]] = field(default_factory=dict)
    states: tuple[list[State], str | None] | None = None
    fixed: dict[str, np.ndarray] = field(default_factory=dict)
    closed: dict[str, str] = field(default_factory=dict)
    precisions: dict[str, Precision] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)
    file: Path | None = None


SOURCE = "source_"
"""What the facts of a source begin with in a file; see `nnir.origin`."""


def place_of(trace: str, module: str) -> Place:
    """A place by a stack trace of Python, of which the innermost line outside packages counts."""
    frames = re.findall(FRAME, trace)
    own = [f for f in frames if not any(folder in f[0] for folder in FOREIGN)] or frames
    line = f"{own[-1][0]}:{own[-1][1]}" if own else ""
    return Place(legible(module), legible(line))


def encode_places(places: Mapping[str, Place], named: Container[str]) -> dict[str, list[str]]:
    """The places of the nodes that are `named`, in order of their names, as JSON-able data."""
    kept = {name: place.for_files() for name, place in places.items()}
    rows = {name: [place.module, place.line] for name, place in kept.items()}
    return {name: row for name, row in sorted(rows.items()) if name in named and any(row)}


def decode_places(data: Any) -> dict[str, Place]:
    """The inverse of `encode_places`; BadFile for what is none."""
    rows = data.items() if isinstance(data, dict) else [("", data)]
    for _, row in rows:
        if not (isinstance(row, list) and len(row) == 2 and all(isinstance(t, str) for t in row)):
            raise BadFile(f"{str(row)[:80]!r} where a module and a line belong")
    return {name: Place(*map(legible, row)) for name, row in rows}
