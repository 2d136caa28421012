"""Defaults of attributes: each is left out of a case in which another value would show."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest

from conformance.cases.nnir import CASES, defaults
from conformance.cases.nnir.make_defaults import operators, others, shows

KNOWN: dict[str, dict[str, tuple[Any, str]]] = json.loads(defaults.FILE.read_text())
SILENT = {("TOP_K", "sorted"): "the reference gives elements in order either way"}
"""Defaults that no row can show, and why. Operators that draw numbers are none of `operators`."""

ROWS = {str(row): row for row in (*CASES, *defaults.ROWS)}
OPERATORS = {o.name: o for o in operators()}


def test_every_default_is_known() -> None:
    found = {
        (o.name, p.name)
        for o in OPERATORS.values()
        for p in o.signature.parameters.values()
        if p.kind is p.KEYWORD_ONLY and p.default is not inspect.Parameter.empty
    }
    assert found == {(op, name) for op, names in KNOWN.items() for name in names}, (
        "python -m conformance.cases.nnir.make_defaults"
    )
    silent = {
        (op, name) for op, names in KNOWN.items() for name, (_, row) in names.items() if not row
    }
    assert silent == set(SILENT)


@pytest.mark.parametrize("op", sorted(KNOWN))
def test_another_value_shows(op: str) -> None:
    mine = [row for row in ROWS.values() if row.op == op]
    for name, (_, row) in KNOWN[op].items():
        if row:
            default = OPERATORS[op].signature.parameters[name].default
            options = others(default, mine, name)
            assert any(shows(ROWS[row], name, default, other) for other in options), name
