"""Make the tables of the documentation of what the code says: `python -m conformance.tables`.

Nothing in them is written by hand: operators and converters come from their tables, reasons from
the limits and gaps.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from pathlib import Path

from frontends.onnx import FAMILIES, TABLE
from hal.drivers.onnxruntime.driver import LOWERINGS
from nnir.atomic import replacing
from nnir.operator import Operator
from nnir.ops import OPERATORS

from .cases.onnx import CASES, LIMITS, MODELS
from .suites.onnx_gaps import GAPS

DOCS = Path(__file__).parents[1] / "docs"
NOTE = "<!-- made by `python -m conformance.tables`; do not edit -->\n"


def table(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table."""
    head = list(columns)
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(_cell(c) for c in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(value: object) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def _support(operator: Operator) -> str:
    if LOWERINGS.find(operator) is not None:
        return "lowered"
    return "decomposed" if operator.decomposition is not None else "no"


def operators() -> str:
    """docs/operators.md: the operator set."""
    rows = [
        (
            f"`{o.name}`",
            o.code,
            o.since,
            o.family,
            f"`{', '.join(o.operands)}`",
            inspect.cleandoc(o.__doc__ or "").splitlines()[0],
            _support(o),
        )
        for o in sorted(OPERATORS.values(), key=lambda o: o.code)
    ]
    standard = sum(o.since != "ext" for o in OPERATORS.values())
    text = (
        f"# Operators\n\n{NOTE}\n{standard} operators of the standard (v1: the published "
        f"documents, v1.1: the newest public header) and {len(OPERATORS) - standard} extensions "
        "(codes from 1000). Every operator runs on `builtin`, which is its definition; the last "
        "column says how the `onnxruntime` device runs it. `nnadapter ops NAME` prints types, "
        "shapes and edges.\n\n"
    )
    columns = ("operator", "code", "since", "family", "operands", "meaning", "onnxruntime")
    return text + table(columns, rows)


def onnx() -> str:
    """docs/onnx.md: which ONNX operators are converted, and what is not."""
    family_of = {
        name: family.__name__.rpartition(".")[2]
        for family in FAMILIES
        for name in family.table.entries
    }
    counts: dict[str, int] = {}
    for case in CASES:
        key = f"{case.domain}::{case.op}" if case.domain else case.op
        counts[key] = counts.get(key, 0) + 1
    for model in MODELS:
        for name in model.ops:
            counts[name] = counts.get(name, 0) + 1
    rows = [
        (f"`{name}`", family_of[name], ", ".join(map(str, sorted(versions))), counts.get(name, 0))
        for name, versions in sorted(TABLE.entries.items())
    ]
    limits = [
        (f"`{x.op}`", x.device or "all", x.case or x.dtype or "all cases", x.why) for x in LIMITS
    ]
    gaps = [(f"`{g.cases}`", g.device or "all", g.why) for g in GAPS]
    return (
        f"# ONNX\n\n{NOTE}\n{len(rows)} operators are converted, for every opset from the one "
        "named. `cases` counts the rows of `conformance/cases/onnx`, each compared with ONNX's own "
        "output on every device.\n\n"
        + table(("operator", "family", "converters since opset", "cases"), rows)
        + "\n## Known limits\n\nEach row must fail exactly as it says, or the tests fail.\n\n"
        + table(("operator", "device", "where", "why"), limits)
        + "\n## What of the official ONNX backend suite is not passed\n\n"
        + table(("cases (regular expression)", "device", "why"), gaps)
    )


PAGES = {"operators.md": operators, "onnx.md": onnx}


def main() -> None:
    """Write every page."""
    DOCS.mkdir(exist_ok=True)
    for name, make in PAGES.items():
        with replacing(DOCS / name) as file:
            file.write(make().encode())


if __name__ == "__main__":
    main()
