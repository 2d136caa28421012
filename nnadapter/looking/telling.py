"""The facts of a model as people read them: tables with units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from nnir.legible import legible

from ..terminal import answer, show
from .units import say_at, say_bytes, say_count

if TYPE_CHECKING:
    from .difference import Difference, Weight

FEW, SHORT = 10, 60
"""So many of the things that a file says for its users are shown, and so much of each."""


def tell(facts: Mapping[str, Any]) -> None:
    """All tables of `inspect`, but the layers."""
    answer(facts["name"])
    show(("fact", "value", ""), _summary(facts))
    kinds = {"inputs": "input", "outputs": "output", "states": "state"}
    ends = [(kind, *end) for key, kind in kinds.items() for end in facts[key]]
    show(("", "name", "type"), ends)
    show(("precision", "of", "values", "elements", "bytes", "share"), _precision_rows(facts))
    counts = facts["flops"]["operators"]
    rows = ((op, n, say_count(counts[op]) if op in counts else "") for op, n in _operations(facts))
    show(("operation", "count", "FLOPs"), rows)


def _operations(facts: Mapping[str, Any]) -> Iterable[tuple[str, int]]:
    found: Mapping[str, int] = facts["operations"]
    return found.items()


def _summary(facts: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    flops, activations = facts["flops"], facts["activations"]
    rows = [
        ("producer", facts["producer"] or "not said", ""),
        ("opset", facts["opset"] or "not said", ""),
        ("file", say_bytes(facts["file_bytes"]), ""),
        ("operations", f"{sum(facts['operations'].values()):,}", ""),
        ("parameters", f"{facts['parameters']:,} parameters", ""),
        ("weights", say_bytes(facts["bytes"]), ""),
        ("FLOPs", say_count(flops["total"]), say_at(facts["sizes"])),
        ("activations", say_bytes(activations["peak_bytes"]), _say_peak(facts)),
    ]
    if flops["expression"]:
        rows.insert(7, ("FLOPs, open", flops["expression"], ""))
    if flops["uncounted"]:
        names = ", ".join(f"{n} x{c}" for n, c in flops["uncounted"].items())
        rows.insert(7, ("not counted", names, "data decides"))
    for entry in islice(facts["properties"].items(), FEW):
        name, text = (legible(t)[:SHORT] for t in entry)
        rows.append((name, text, "the file says"))
    return rows


def _say_peak(facts: Mapping[str, Any]) -> str:
    operation = facts["activations"]["peak_operation"]
    where = f"largest while {operation!r} runs" if operation else "the inputs alone"
    return " ".join(filter(None, (where, say_at(facts["sizes"]))))


def _precision_rows(facts: Mapping[str, Any]) -> Iterable[tuple[str, ...]]:
    for kind, shares in facts["precisions"].items():
        whole = sum(row["bytes"] for row in shares.values()) or 1
        for name, row in shares.items():
            share = f"{row['bytes'] / whole:.1%}"
            numbers = (f"{row['values']:,}", say_count(row["elements"]), say_bytes(row["bytes"]))
            yield name, kind, *numbers, share


def tell_layers(layers: Iterable[Mapping[str, Any]]) -> None:
    """A line for each operation."""
    rows = (
        (
            row["name"],
            row["operator"],
            ", ".join(row["outputs"]),
            f"{row['parameters']:,}" if row["parameters"] else "",
            say_count(row["flops"]) if row["flops"] != 0 else "",
            say_bytes(row["output_bytes"]),
        )
        for row in layers
    )
    show(("layer", "operation", "output", "parameters", "FLOPs", "output bytes"), rows)


def tell_difference(found: Difference, *, most: int = 200) -> None:
    """Tables of what differs between two models; `most` rows of each."""
    from .difference import ADDED, CHANGED, REMOVED, SAME

    counts = {state: found.count(state) for state in (SAME, CHANGED, REMOVED, ADDED)}
    counts["renamed"] = found.renamed
    answer("operations: " + ", ".join(f"{n:,} {state}" for state, n in counts.items()))
    ends = [e for e in found.ends if (e.left, e.left_type) != (e.right, e.right_type)]
    rows = ((e.kind, f"{e.left}: {e.left_type}", f"{e.right}: {e.right_type}") for e in ends)
    _show_some(("", "first", "second"), [*rows], most)
    _show_some(
        ("operations", "first", "second", "what differs"),
        [
            (r.state, f"{r.left_operator} {r.left}", f"{r.right_operator} {r.right}", note)
            for r in found.rows
            if r.state != SAME or r.is_renamed
            for note in ["; ".join(r.notes) or ("renamed" if r.is_renamed else "")]
        ],
        most,
    )
    answer(f"weights: {sum(w.state == SAME for w in found.weights):,} equal")
    _show_some(
        ("weights", "name", "first", "second", "differing", "largest difference"),
        [_weight_row(w) for w in found.weights if w.state != SAME or w.renamed],
        most,
    )
    if found.results is not None:
        columns = ("output", "type", "agrees", "max abs", "max rel", "problem")
        show(columns, [_result_row(row) for row in found.results])


def _show_some(columns: tuple[str, ...], rows: list[tuple[str, ...]], most: int) -> None:
    """A table, where there is anything in it."""
    if rows:
        show(columns, rows[:most])
    if len(rows) > most:
        answer(f"and {len(rows) - most:,} more, which --json and --html have")


def _weight_row(weight: Weight) -> tuple[str, ...]:
    name = f"{weight.name} -> {weight.renamed}" if weight.renamed else weight.name
    differing = "" if weight.differing is None else f"{weight.differing:,}"
    largest = "" if weight.largest is None else f"{weight.largest:.3g}"
    return (weight.state, name, weight.left_type, weight.right_type, differing, largest)


def _result_row(row: Mapping[str, Any]) -> tuple[str, ...]:
    numbers = (f"{row['max_absolute']:.2e}", f"{row['max_relative']:.2e}")
    agrees = "yes" if row["agrees"] else "NO"
    return (row["output"], row["type"], agrees, *numbers, row["problem"] or "")
