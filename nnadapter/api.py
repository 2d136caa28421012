"""The Python face."""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from hal.runtime.compilation import Program
from nnir.errors import BadFile
from nnir.model import Model

FRONTENDS = "nnadapter.frontends"


def load(source: Any) -> Model:
    """A model from a path, bytes or a framework's object; the format is found by content."""
    if isinstance(source, str):
        source = Path(source)
    for entry in sorted(entry_points(group=FRONTENDS)):
        frontend = entry.load()
        if frontend.detects(source):
            return frontend.load(source)
    raise BadFile("no frontend reads this")


def compile(model: Model, device: str = "builtin", properties: str = "") -> Program:
    """A program that runs `model` on a device."""
    return Program(model, device, properties)
