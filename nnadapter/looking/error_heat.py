"""How far a model is from its origin, on the graph of the model."""

from __future__ import annotations

import math

from conformance.bisecting.along import Along
from conformance.bisecting.finding import KINDS, Bisection
from conformance.judging.compare import Difference
from conformance.verifying.verify import Report, Row
from nnir.legible import legible
from nnir.model import Model, Operation

from .heat import Heat, Mark

DECADES = 4
"""An error of a tolerance has the strongest colour, one that is 10^4 times smaller the weakest."""


def heat_of_bisection(found: Bisection) -> Heat:
    """How far each operation by itself is from its origin, up to the first that is wrong."""
    finding = found.finding
    marks: dict[Operation | str, Mark] = {
        operation: _mark_of_difference(d) for operation, d in found.differences.items()
    }
    wrong = [m for m in marks.values() if m.is_wrong]
    summary = [
        ("Operations", f"{found.total:,}, of which {found.known:,} were compared by name"),
        (
            "First that is wrong",
            "none" if finding is None else f"{finding.operation} ({finding.origin})",
        ),
    ]
    if finding is not None:
        summary += [("What", KINDS[finding.kind]), ("Difference", finding.reason)]
    if found.note:
        summary.append(("Note", legible(found.note)))
    top = "What is wrong" if wrong else "Largest errors"
    ends = ("exact", "as much as one operation may")
    return Heat("Error of each operation by itself", ends, top, marks, summary)


def heat_of_report(model: Model, report: Report, along: Along) -> Heat:
    """How far every value is from the origin's when the whole model runs."""
    marks: dict[Operation | str, Mark] = {o: _mark_of_row(r) for o, r in along.rows.items()}
    marks |= {row.output: _mark_of_row(row) for row in report.rows}
    agreed = sum(r.agrees for r in report.rows)
    summary = [
        ("Outputs", f"{agreed} of {len(report.rows)} agree with {report.origin}"),
        ("Largest error", f"{report.largest:.1e} of an output's magnitude"),
        (
            "Values on the way",
            f"{len(along.rows):,} of {len(model.operations):,} operations compared",
        ),
    ]
    notes = [*report.notes, *([along.note] if along.note else [])]
    summary += [("Note", legible(note)) for note in notes]
    title = f"Error on {report.device} against {report.origin}"
    return Heat(title, ("exact", "the tolerance"), "Largest errors", marks, summary)


def _mark_of_row(row: Row) -> Mark:
    """An output, or what an operation gives in the whole model."""
    relative = row.max_relative if row.max_relative or not row.max_absolute else None
    return _error_mark(row.max_absolute, relative, row.share, row.problem)


def _mark_of_difference(found: Difference) -> Mark:
    """What an operation gives by itself."""
    return _error_mark(found.max_absolute, found.relative_to_whole, found.share, found.problem)


def _error_mark(absolute: float, relative: float | None, used: float, problem: str | None) -> Mark:
    """An error on a logarithmic scale that ends at the tolerance, of which `used` is the share.

    `relative` is to the largest magnitude of the whole result, as the tolerance is; None where that
    is 0. An element beside which any error is large may be as wrong as the others.
    """
    share = 1 + math.log10(used) / DECADES if used > 0 else 0.0
    text = "exact" if not absolute else f"error {absolute if relative is None else relative:.0e}"
    details = [("Largest error", f"{absolute:.2e}")]
    if relative is not None:
        details.append(("Relative to the largest value", f"{relative:.2e}"))
    details.append(("Share of the tolerance", f"{used:.2g}"))
    if problem is not None:
        details.append(("Wrong", problem))
        text = f"wrong: {text}" if absolute else "wrong"
    is_wrong = problem is not None
    return Mark(min(max(share, 0.0), 1.0), text, used, tuple(details), is_wrong)
