"""What of PyTorch's operator samples is not passed, and why. A gap that nothing shows must go."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class OpGap:
    """Operators (a regular expression over whole names) that fail on a device, for a type.

    `wrong`: the numbers differ, which needs a reason why ours are no worse than PyTorch's.
    """

    ops: str
    why: str
    device: str | None = None
    dtype: str | None = None
    wrong: bool = False


GAPS: tuple[OpGap, ...] = ()


def gap(op: str, device: str, dtype: str) -> OpGap | None:
    """The gap that covers an operator."""
    for known in GAPS:
        is_here = known.device in (None, device) and known.dtype in (None, dtype)
        if is_here and re.fullmatch(known.ops, op):
            return known
    return None
