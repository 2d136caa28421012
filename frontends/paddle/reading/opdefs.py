"""The signatures of Paddle's operators, as data: see `make_opdefs.py`."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nnir.types import Precision

FILE = Path(__file__).with_name("opdefs.json")


@dataclass(frozen=True, slots=True)
class OpDef:
    """An operator's arguments in order, the defaults of those that have one, and its results.

    `operands` are the arguments that a program gives as values; the others are attributes.
    """

    arguments: tuple[str, ...]
    defaults: Mapping[str, Any]
    operands: tuple[str, ...]
    results: tuple[str, ...]


@functools.cache
def _everything() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text())
    return found


@functools.cache
def find(op: str) -> OpDef | None:
    """The signature of an operator (`conv2d`, without its dialect); None for what is not known."""
    found = _everything().get(op)
    if found is None:
        return None
    defaults = {a[0]: a[1] for a in found["args"] if len(a) > 1}
    names = tuple(a[0] for a in found["args"])
    return OpDef(names, defaults, tuple(found["in"]), tuple(found["out"]))


@functools.cache
def defaults_of(op: str) -> Mapping[str, Any]:
    """What a program means that leaves arguments out, as the reader gives attributes."""
    found = find(op)
    given = {} if found is None else found.defaults
    return {n: _default(v) for n, v in given.items()}


def _default(value: Any) -> Any:
    if isinstance(value, dict):
        return Precision[value["dtype"].upper()] if value["dtype"] != "undefined" else None
    return value
