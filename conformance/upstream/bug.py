"""What the head of a program says about the bug that it shows."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "upstream_bugs"
FRAMEWORKS = {
    "onnx": "ONNX",
    "onnxruntime": "ONNX Runtime",
    "openvino": "OpenVINO",
    "litert": "LiteRT",
    "torch": "PyTorch",
    "tensorflow": "TensorFlow",
    "keras": "Keras",
    "paddle": "Paddle",
}
"""Names of frameworks by what the names of their programs begin with."""
FIELDS = ("Kind", "Says", "Seen", "Here")
"""What follows the title in a docstring, in this order."""


class Kind(StrEnum):
    """What becomes of a user who meets the bug."""

    CRASH = "crash"
    HANG = "hang"
    REFUSED = "refused"
    WRONG = "wrong value"
    NAN = "NaN lost"
    INEXACT = "digits lost"


@dataclass(frozen=True)
class Bug:
    """A bug as the docstring of its program has it.

    `says`: what the documentation, mathematics or others say. `seen`: versions that have it, and
    those that were tried and have it not. `here`: where this project goes round it.
    """

    path: Path
    title: str
    kind: Kind
    says: str
    seen: str
    here: str

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def group(self) -> str:
        """The framework as the name of the file has it."""
        return self.name.partition("_")[0]

    @property
    def framework(self) -> str:
        return FRAMEWORKS[self.group]


def read_bug(path: Path) -> Bug:
    """The bug of a program; ValueError where its docstring has another form."""
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    head, _, rest = text.partition("\n\n")
    framework, _, title = " ".join(head.split()).rstrip(".").partition(": ")
    if framework != FRAMEWORKS.get(path.stem.partition("_")[0]):
        raise ValueError(f"{path.name} begins with {head!r}, not with the name of its framework")
    parts = re.split(rf"^({'|'.join(FIELDS)}): ", rest, flags=re.MULTILINE)
    fields = {k: " ".join(v.split()) for k, v in zip(parts[1::2], parts[2::2], strict=True)}
    if parts[0].strip() or tuple(fields) != FIELDS:
        raise ValueError(f"{path.name} has the fields {list(fields)}, not {FIELDS}")
    return Bug(path, title, Kind(fields["Kind"]), fields["Says"], fields["Seen"], fields["Here"])


def read_bugs() -> list[Bug]:
    """Every bug, by framework and name; files that begin with `_` are what programs share."""
    order = list(FRAMEWORKS)
    bugs = [read_bug(p) for p in FOLDER.glob("*.py") if not p.name.startswith("_")]
    return sorted(bugs, key=lambda b: (order.index(b.group), b.name))
