"""The signatures of Paddle's operators, as data: see `make_opdefs.py`."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nnir.records import dataclass
from nnir.types import Precision

from ...outside import signature_outside

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


def find(op: str) -> OpDef | None:
    """The signature of an operator, of Paddle (`conv2d`, without its dialect) or of a plug-in
    (`custom_op.name`); None for what is not known."""
    return _find(op) or _find_outside(op)


def _find_outside(op: str) -> OpDef | None:
    found = signature_outside("paddle", op)
    if found is None:
        return None
    return OpDef((*found.tensors, *found.attributes), found.defaults, found.tensors, found.results)


@functools.cache
def _find(op: str) -> OpDef | None:
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
