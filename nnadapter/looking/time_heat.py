"""Where the time of a run went, on the graph of the model."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence

from hal.runtime.profile import Profile, Row
from nnir.model import Model, Operation

from .heat import Heat, Mark

SUFFIXES = tuple(map(re.compile, (r"_nchwc$", r"_\d+$", r"/[^/]*$")))
"""What engines, and we, put behind the name of an operation."""


def heat_of_profile(model: Model, profile: Profile, devices: Sequence[str]) -> Heat:
    """Where the time of a run went. Steps of an engine belong to operations by their names."""
    whole = profile.seconds or sum(r.seconds for r in profile.rows) or 1.0
    found, fused, others = _seconds_by_operation(model, profile.rows)
    marks: dict[Operation | str, Mark] = {
        operation: Mark(0.0, f"in {name}", 0.0, (("Computed with", name),))
        for operation, name in fused.items()
    }
    for operation, rows in found.items():
        seconds = sum(r.seconds for r in rows)
        share = seconds / whole
        details = tuple((r.name, f"{r.operator}, {_say_time(r.seconds)}") for r in rows)
        text = f"{_say_time(seconds)}, {share:.0%}"
        marks[operation] = Mark(math.sqrt(min(share, 1)), text, share, details)
    summary = [("Time", f"{_say_time(profile.seconds)} in the last run")]
    if others:
        seconds = sum(r.seconds for r in others)
        kinds = ", ".join(dict.fromkeys(r.operator for r in others))
        summary.append(("Engine's own steps", f"{_say_time(seconds)}: {kinds}"))
    missing = len(model.operations) - len(marks)
    if missing:
        summary.append(("Without time", f"{missing:,} operations, which are fused or folded"))
    title = f"Time on {', '.join(devices)}"
    return Heat(title, ("none", "all of it"), "Where the time goes", marks, summary, adds_up=True)


def _seconds_by_operation(
    model: Model, rows: Iterable[Row]
) -> tuple[dict[Operation, list[Row]], dict[Operation, str], list[Row]]:
    """The steps of each operation, the operations that others' steps compute, and the steps of
    none. Of operations of one name, which one node of the source was made of, each takes the step
    of its operator, and the first one the rest; what is left is computed with them."""
    named = _operations_by_name(model)
    found: dict[Operation, list[Row]] = defaultdict(list)
    fused: dict[Operation, str] = {}
    others = []
    waiting = {name: list(several) for name, several in named.items()}
    for row in rows:
        names = [n for n in map(named_stem(named), (row.name, *row.covers)) if n is not None]
        if not names:
            others.append(row)
            continue
        left = waiting[names[0]]
        fitting = [o for o in left if _spell(o.operator.name) == _spell(row.operator)]
        place = fitting[0] if fitting else named[names[0]][0]
        if fitting and len(left) > 1:
            left.remove(place)
        found[place].append(row)
        for name in names:
            fused.update(dict.fromkeys(named[name], place.label))
    return dict(found), {o: n for o, n in fused.items() if o not in found}, others


def _operations_by_name(model: Model) -> dict[str, list[Operation]]:
    """The operations of each name, of their results too."""
    named: dict[str, list[Operation]] = defaultdict(list)
    for operation in model.sorted():
        named[operation.label].append(operation)
        for value in operation.outputs:
            if value.name and value.name not in named:
                named[value.name] = [operation]
    return dict(named)


def named_stem(named: Container[str]) -> Callable[[str], str | None]:
    """Finds the name that a step's name begins with."""
    return lambda name: next((n for n in _stems(name) if n in named), None)


def _spell(operator: str) -> str:
    """MAT_MUL and MatMul alike."""
    return operator.replace("_", "").lower()


def _stems(name: str) -> Iterator[str]:
    """A name, then what is left of it without what may have been put behind."""
    while name:
        yield name
        shorter = (s.sub("", name) for s in SUFFIXES)
        name = next((s for s in shorter if s != name), "")


def _say_time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.3g} µs"
