"""Find a row for each default: `python -m conformance.cases.nnir.make_defaults`."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from nnir.errors import NNAdapterError
from nnir.evaluate import Plan
from nnir.operator import Operator
from nnir.ops import FAMILIES
from nnir.types import Precision

from . import CASES, defaults
from .direct import DirectCase

MOST, FEW = 150, 3
"""So many rows of an operator are tried, plain and small ones first; and those at the end."""

OTHERS: dict[str, tuple[Any, ...]] = {
    "activation_alpha": ((0.5,), (0.5, 0.5), (0.5, 0.5, 0.5)),
    "activation_beta": ((0.1,), (0.1, 0.1), (0.1, 0.1, 0.1)),
    "activations": (("Relu",), ("Relu", "Tanh"), ("Relu", "Tanh", "Tanh")),
    "aggregate": ("MAX",),
    "clip": (0.5,),
    "direction": ("reverse",),
    "local_window_size": (1,),
    "nms_eta": (0.7,),
    "precision": (Precision.FLOAT16,),
    "update_rule": ("linear",),
    "weights": ((2.0, 3.0),),
}
"""Values that no row gives."""


def operators() -> Iterator[Operator[Any]]:
    """Those of the standard and its extensions."""
    found = (o for family in FAMILIES for o in vars(family).values() if isinstance(o, Operator))
    yield from {o.name: o for o in found if not o.is_random}.values()


def others(value: Any, rows: Iterable[DirectCase], name: str) -> list[Any]:
    """What the attribute could be instead: its neighbours, and what rows give."""
    if name in OTHERS:
        return [*OTHERS[name]]
    given = [r.attrs[name] for r in rows if name in r.attrs and r.attrs[name] != value]
    match value:
        case bool():
            return [not value]
        case IntEnum():
            return [m for m in type(value) if m != value][:3] + given[:2]
        case int():
            return [value + 1, value - 1]
        case float():
            return [value * 2 if value else 1.0]
    return given[:8]


def results(case: DirectCase) -> list[np.ndarray] | None:
    """What the reference makes of a row; None where it is refused."""
    try:
        with np.errstate(all="ignore"):
            return list(Plan(case.model()).run(case.arrays()))
    except (NNAdapterError, ValueError, ArithmeticError, IndexError):
        return None


def shows(row: DirectCase, name: str, value: Any, other: Any) -> bool:
    """Whether the row does something else with another value."""
    usual = results(defaults.stated(row, name, value))
    found = results(defaults.stated(row, name, other))
    if usual is None or found is None:
        return usual is not None
    try:
        row.agree(found, usual)
    except (AssertionError, ValueError):
        return True
    return False


def find_row(rows: Sequence[DirectCase], name: str, value: Any) -> str:
    """The row in which most other values show; none where no value does."""
    options, best, most = others(value, rows, name), "", 0
    for row in (*rows[:MOST], *rows[-FEW:]):
        count = sum(shows(row, name, value, other) for other in options)
        if count > most:
            best, most = str(row), count
        if count == len(options):
            break
    return best


def is_plain(row: DirectCase) -> bool:
    """Whether it has no NaN, infinities and rare types, of which devices know less."""
    given = row.arrays()
    known = all(a.dtype in (np.float32, np.int32, np.int64, np.bool_) for a in given)
    return known and all(bool(np.isfinite(a).all()) for a in given)


def find_all(cases: Iterable[DirectCase]) -> dict[str, dict[str, tuple[Any, str]]]:
    """By operator and attribute the default, and the row that it is left out of."""
    found: dict[str, dict[str, tuple[Any, str]]] = {}
    usable = [c for c in cases if c.raises is None and not c.is_open and not c.is_turned]
    usable.sort(key=lambda c: (not is_plain(c), sum(a.size for a in c.arrays())))
    for operator in operators():
        rows = [
            c
            for c in (*usable, *defaults.ROWS)
            if c.operator is operator and "left out" not in c.why
        ]
        for name, parameter in operator.signature.parameters.items():
            is_attribute = parameter.kind is inspect.Parameter.KEYWORD_ONLY
            if is_attribute and parameter.default is not inspect.Parameter.empty:
                row = find_row(rows, name, parameter.default)
                found.setdefault(operator.name, {})[name] = parameter.default, row
    return found


if __name__ == "__main__":
    known = find_all(CASES)
    lines = ",\n".join(f"{json.dumps(op)}: {json.dumps(known[op])}" for op in sorted(known))
    defaults.FILE.write_text("{\n" + lines + "\n}\n")
