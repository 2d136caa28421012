"""A verdict in the light of a gap, and as a result: in words where something is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from ..running.suite import Item
from .judge import Verdict
from .result import GOOD, LIMIT, PASS, REFUSED, SKIP, STALE, WRONG, Result

LONGEST = 600
PLAIN = frozenset({PASS, LIMIT, SKIP})
"""What nobody has to look at again."""


class Known(Protocol):
    """What is known not to be passed: why, and whether the numbers may be `wrong`."""

    @property
    def why(self) -> str: ...

    @property
    def wrong(self) -> bool: ...


def with_gap(found: Verdict, known: Known | None, *, must_fail: bool = True) -> Verdict:
    """The verdict in the light of what is known not to be passed.

    Only a refusal is excused, and wrong numbers where the gap says so: an exception that is not
    ours, a crash and the like are bugs. `must_fail`: a gap that passes is stale.
    """
    if known is None:
        return found
    if found.verdict == PASS and must_fail:
        return Verdict(STALE, f"passes, but is listed as: {known.why}", found.outcome)
    if found.verdict == REFUSED or (found.verdict == WRONG and known.wrong):
        return Verdict(LIMIT, known.why, found.outcome)
    return found


def record(
    item: Item,
    device: str,
    found: Verdict,
    *,
    seconds: float = 0.0,
    inputs: Sequence[Any] = (),
    measured: tuple[float, float] | None = None,
    command: str = "",
    row: str = "",
) -> Result:
    """The result; `inputs` and `row` are kept where something is wrong, `command` where it is
    refused too."""
    numbers = _numbers(found)
    if measured is not None:
        numbers |= {"error": measured[0], "yardstick": measured[1]}
    words: dict[str, Any] = {}
    if found.verdict not in GOOD:
        words = {**_words(found), "inputs": tuple(map(describe_array, inputs)), "row": row}
    if found.verdict not in PLAIN:
        words["command"] = command
    return Result(
        suite=item.suite,
        frontend=item.frontend,
        op=item.op,
        case=item.name,
        device=device,
        verdict=found.verdict,
        reason=found.reason,
        seconds=round(seconds, 5),
        **numbers,
        **words,
    )


def _numbers(found: Verdict) -> dict[str, Any]:
    """Distances of the result that differs most."""
    if found.worst is None:
        return {}
    place, worst = found.worst
    return {
        "dtype": found.outcome.want[place].dtype.name,
        "max_absolute": worst.max_absolute,
        "max_relative": worst.max_relative,
        "max_ulp": worst.max_ulp,
    }


def _words(found: Verdict) -> dict[str, Any]:
    """Both results and the element that differs most."""
    outcome = found.outcome
    place, worst = found.worst or (0, None)
    if place >= len(outcome.want) or place >= len(outcome.got):
        return {"want": "; ".join(map(describe_array, outcome.want))}
    got, want = outcome.got[place], outcome.want[place]
    words: dict[str, Any] = {"got": describe_array(got), "want": describe_array(want)}
    if worst is not None and worst.index is not None:
        words["index"] = worst.index
        words["got_value"], words["want_value"] = str(got[worst.index]), str(want[worst.index])
    return words


def describe_array(given: Any) -> str:
    """An array in words: precision, shape and elements, the middle left out of large ones."""
    if given is None:
        return "none"
    if isinstance(given, (list, tuple)):
        return "[" + ", ".join(map(describe_array, given)) + "]"
    if isinstance(given, dict):
        return "{" + ", ".join(f"{k}: {describe_array(v)}" for k, v in given.items()) + "}"
    array = getattr(given, "array", given)
    if not isinstance(array, np.ndarray):
        return str(given)[:LONGEST]
    shown = np.array2string(array, threshold=60, edgeitems=4, max_line_width=10_000)
    text = f"{array.dtype}{list(array.shape)} {' '.join(shown.split())}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
