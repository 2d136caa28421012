"""The signatures of TensorFlow's operators, as data: see `make_opdefs.py`."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nnir.errors import BadModel

FILE = Path(__file__).with_name("opdefs.json")
NO_DEFAULT = object()
MOST = 100_000
"""An operator has so many inputs or results at most."""


@dataclass(frozen=True, slots=True)
class Argument:
    """An input or output; `count` is the attribute that says how many tensors it stands for."""

    name: str
    count: str | None = None

    def length(self, attributes: Mapping[str, Any]) -> int:
        """How many tensors it is."""
        if self.count is None:
            return 1
        given = attributes.get(self.count)
        count = len(given) if isinstance(given, (list, tuple)) else given
        if not isinstance(count, int) or not 0 <= count <= MOST:
            raise BadModel(f"{self.name!r} of {self.count}={str(given)[:40]} tensors")
        return count


@dataclass(frozen=True, slots=True)
class OpDef:
    """An operator's inputs and outputs in order and the defaults of its attributes.

    `implied` are the attributes that follow from the inputs: their types and their number.
    """

    inputs: tuple[Argument, ...]
    outputs: tuple[Argument, ...]
    defaults: Mapping[str, Any]
    implied: frozenset[str]


@functools.cache
def _everything() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text())
    return found


@functools.cache
def find(op: str) -> OpDef | None:
    """The signature of an operator; None for what is not known."""
    found = _everything().get(op)
    if found is None:
        return None
    defaults = {n: d[1] if len(d) > 1 else NO_DEFAULT for n, d in found["attr"].items()}
    return OpDef(
        tuple(_argument(a) for a in found["in"]),
        tuple(_argument(a) for a in found["out"]),
        defaults,
        frozenset(found.get("implied", ())),
    )


def _argument(given: Any) -> Argument:
    return Argument(given) if isinstance(given, str) else Argument(*given)
