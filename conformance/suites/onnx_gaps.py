"""What of the official ONNX suite is not passed, and why. A case that is listed must fail."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Gap:
    """Cases (a regular expression over whole names) that a device does not pass.

    `wrong`: the numbers differ, which can only be right where they are random by definition.
    """

    cases: str
    why: str
    device: str | None = None
    wrong: bool = False


GAPS: tuple[Gap, ...] = ()


def gap(name: str, device: str) -> Gap | None:
    """The gap that covers a case."""
    for known in GAPS:
        if known.device in (None, device) and re.fullmatch(known.cases, name):
            return known
    return None
