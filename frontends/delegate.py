"""Operators of one framework that stand in the files of another.

A TFLite file may hold nodes of TensorFlow. Its frontend does not know TensorFlow: it asks for the
framework's delegate by name, which is imported when the first such node is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

from .table import Converter


class Delegate(Protocol):
    """What a frontend offers to files of other formats that hold its nodes."""

    def decode(self, content: bytes) -> Any:
        """A node from its serialised form; only `arguments` looks into the result."""

    def find(self, op: str) -> Converter | None:
        """The converter of an operator; None where there is none."""

    def arguments(self, op: str, node: Any, inputs: Sequence[Any]) -> dict[str, Any]:
        """The arguments of a decoded node by name: its inputs and its attributes."""


def load_delegate(framework: str) -> Delegate:
    """The delegate of a framework: `DELEGATE` of the module `delegate` in its package."""
    found: Delegate = import_module(f"{__package__}.{framework}.delegate").DELEGATE
    return found
