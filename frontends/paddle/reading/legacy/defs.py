"""Slots, attributes and defaults of legacy operators, as data: see `make_defs.py`."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nnir.records import dataclass

FILE = Path(__file__).with_name("legacy.json")

OLDER = {
    "diag": "diag_v2",
    "flatten": "flatten2",
    "one_hot": "one_hot_v2",
    "squeeze": "squeeze2",
    "sync_batch_norm": "batch_norm",
    "unsqueeze": "unsqueeze2",
}
"""Operators that are in old programs only, and those that took their slots over."""


@dataclass(frozen=True, slots=True)
class LegacyDef:
    """An operator: whether each input slot is a list, output slots, attributes with defaults.

    An attribute without a default has None.
    """

    inputs: Mapping[str, bool]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]


@functools.cache
def _everything() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(FILE.read_text())
    return found


@functools.cache
def find(op: str) -> LegacyDef:
    """What an operator has; nothing for one that is not known."""
    found = _everything().get(OLDER.get(op, op), {"in": (), "out": (), "attrs": {}})
    inputs = {name.removesuffix("*"): name.endswith("*") for name in found["in"]}
    return LegacyDef(inputs, tuple(found["out"]), found["attrs"])
