"""What a source says of a model beyond what it computes: its own operators, modules and lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .dim import Dim
from .legible import legible

FRAME = re.compile(r'File "([^"\n]*)", line (\d+)')
FOREIGN = ("site-packages", "dist-packages")
"""Folders of packages: the line that a user wrote is in none of them."""


@dataclass(frozen=True)
class Place:
    """Where a node was written: the path of its module in the model, and its line of code."""

    module: str = ""
    line: str = ""


@dataclass
class Provenance:
    """What is known of the source of a model, by the names of its nodes; no part of the model.

    `operators` are those of the framework, `places` where each was written. `outputs` are the
    shapes that the source declares.
    """

    operators: dict[str, str] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    outputs: dict[str, tuple[Dim, ...]] = field(default_factory=dict)


def place_of(trace: str, module: str) -> Place:
    """A place by a stack trace of Python, of which the innermost line outside packages counts."""
    frames = FRAME.findall(trace)
    own = [f for f in frames if not any(folder in f[0] for folder in FOREIGN)] or frames
    line = f"{own[-1][0]}:{own[-1][1]}" if own else ""
    return Place(legible(module), legible(line))
