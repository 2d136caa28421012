"""What legacy operators are in terms of PIR's, whose converters they share: all rules."""

from __future__ import annotations

from . import arrays, detection, index, linalg, loss, math, nn, quant, shape, signal
from .call import Rule

FAMILIES = (arrays, detection, index, linalg, loss, math, nn, quant, shape, signal)
RULES: dict[str, Rule] = {name: rule for f in FAMILIES for name, rule in f.RULES.items()}
if len(RULES) != sum(len(f.RULES) for f in FAMILIES):
    raise ValueError("a legacy operator has two rules")
