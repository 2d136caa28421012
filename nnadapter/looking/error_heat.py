"""How far a model is from its origin, on the graph of the model."""

from __future__ import annotations

import math

from conformance.bisecting.along import Along
from conformance.bisecting.finding import KINDS, Bisection
from conformance.verifying.verify import TOLERANCES, Report
from nnir.legible import legible
from nnir.model import Model, Operation

from .heat import Heat, Mark

SMALLEST = 1e-9
DECADES = 4
"""An error of a tolerance has the strongest colour, one that is 10^4 times smaller the weakest."""


def heat_of_bisection(found: Bisection) -> Heat:
    """How far each operation by itself is from its origin, up to the first that is wrong."""
    finding = found.finding
    marks: dict[Operation | str, Mark] = {
        operation: _error_mark(d.max_relative, d.max_ulp, d.problem, TOLERANCES["float32"])
        for operation, d in found.differences.items()
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
    limit = TOLERANCES["float32"]
    marks: dict[Operation | str, Mark] = {
        o: _error_mark(r.max_relative, r.max_ulp, r.problem, limit) for o, r in along.rows.items()
    }
    for row in report.rows:
        marks[row.output] = _error_mark(row.max_relative, row.max_ulp, row.problem, limit)
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


def _error_mark(relative: float, ulp: float, problem: str | None, limit: float) -> Mark:
    """An error on a logarithmic scale that ends at the tolerance."""
    share = 0.0
    if relative > 0:
        share = 1 + math.log10(max(relative, SMALLEST) / limit) / DECADES
    text = "exact" if not relative else f"error {relative:.0e}"
    details = [("Relative error", f"{relative:.2e}"), ("In the last place", f"{ulp:.3g} units")]
    if problem is not None:
        details.append(("Wrong", problem))
        text = f"wrong: {text}" if relative else "wrong"
    is_wrong = problem is not None
    return Mark(min(max(share, 0.0), 1.0), text, relative, tuple(details), is_wrong)
