"""Where the time of a run went, on the graph of the model."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from hal.runtime.profile import Profile, Row
from nnir.model import Model, Operation

from .heat import Heat, Mark

SUFFIXES = tuple(map(re.compile, (r"_nchwc$", r"_\d+$", r"/[^/]*$")))
"""What engines, and we, put behind the name of an operation."""


def heat_of_profile(model: Model, profile: Profile, devices: Sequence[str]) -> Heat:
    """Where the time of a run went. Steps of an engine belong to operations by their names."""
    whole = profile.seconds or sum(r.seconds for r in profile.rows) or 1.0
    found, others = _seconds_by_operation(model, profile.rows)
    marks: dict[Operation | str, Mark] = {}
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
    missing = len(model.operations) - len(found)
    if missing:
        summary.append(("Without time", f"{missing:,} operations, which are fused or folded"))
    title = f"Time on {', '.join(devices)}"
    return Heat(title, ("none", "all of it"), "Where the time goes", marks, summary, adds_up=True)


def _seconds_by_operation(
    model: Model, rows: Iterable[Row]
) -> tuple[dict[Operation, list[Row]], list[Row]]:
    """The steps of each operation, and those of none. Operations of one name, which one node of
    the source was made of, take the steps of their operator in order, else share them."""
    named: dict[str, list[Operation]] = defaultdict(list)
    for operation in model.sorted():
        named[operation.label].append(operation)
        for value in operation.outputs:
            if value.name and value.name not in named:
                named[value.name] = [operation]
    steps: dict[str, list[Row]] = defaultdict(list)
    others = []
    for row in rows:
        name = next((n for n in _stems(row.name) if n in named), None)
        if name is None:
            others.append(row)
        else:
            steps[name].append(row)
    found: dict[Operation, list[Row]] = defaultdict(list)
    for name, several in steps.items():
        waiting = list(named[name])
        for row in several:
            fitting = [o for o in waiting if _spell(o.operator.name) == _spell(row.operator)]
            place = fitting[0] if fitting else named[name][0]
            if fitting and len(waiting) > 1:
                waiting.remove(place)
            found[place].append(row)
    return dict(found), others


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
