"""What quantisation costs, on the graph of the model before it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from nnir.model import Operation

from .heat import Heat, Mark
from .units import say_bytes

if TYPE_CHECKING:
    from ..quantisation.report import Quantized, Row

LOUD, QUIET = 10.0, 60.0
"""The ratios of signal to noise in dB that have the strongest and the weakest colour."""


def heat_of_quantization(found: Quantized) -> Heat:
    """How much noise each operation with integers adds by itself, and why others have none."""
    marks: dict[Operation | str, Mark] = {o: _mark_of(r) for o, r in found.places.items()}
    floats = len(found.rows) - len(found.integer)
    before, after = found.sizes
    summary = [
        ("Operations with integers", f"{len(found.integer):,} of {len(found.rows):,}"),
        ("With real numbers", f"{floats:,}"),
        ("Weights", f"{say_bytes(before)} before, {say_bytes(after)} after"),
        ("Samples", f"{found.samples:,}, measured on {found.device}"),
    ]
    for name, ratio in found.sqnr.items():
        share = found.agreement[name]
        agrees = "" if share is None else f", {share:.1%} of the largest elements agree"
        summary.append((f"Output {name}", say_ratio(ratio) + agrees))
    summary += [("Note", text) for text in found.notes]
    title = "Quantisation noise of each operation by itself"
    ends = (f"{QUIET:.0f} dB or more", f"{LOUD:.0f} dB or less")
    return Heat(title, ends, "Noisiest operations", marks, summary)


def say_ratio(ratio: float) -> str:
    """A ratio of signal to noise in words."""
    return "exact" if math.isinf(ratio) and ratio > 0 else f"{ratio:.1f} dB"


def _mark_of(row: Row) -> Mark:
    details = [("Computes with", "integers" if not row.reason else "real numbers")]
    if row.reason:
        details.append(("Why", row.reason))
    if row.sqnr is None:
        return Mark(0.0, "real numbers", 0.0, tuple(details))
    details.append(("Signal to noise", say_ratio(row.sqnr)))
    share = 0.0 if math.isinf(row.sqnr) else (QUIET - row.sqnr) / (QUIET - LOUD)
    amount = 0.0 if row.reason else 10 ** (-min(row.sqnr, 300.0) / 10)
    text = say_ratio(row.sqnr) if not row.reason else "real numbers"
    return Mark(min(max(share, 0.0), 1.0) if not row.reason else 0.0, text, amount, tuple(details))
