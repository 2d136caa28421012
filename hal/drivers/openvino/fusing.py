"""Integers of 32 bits where OpenVINO goes over to float32: comparisons and what follows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .elements import WIDE

if TYPE_CHECKING:
    from .emitter import Emitter, Ref

COMPARING = frozenset({"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"})
FUSING = COMPARING | {"IsNaN", "IsInf", "IsFinite"}
"""Nodes that take a choice behind them into their own loop."""
EXACT = 1 << 24
"""Below it float32 has all integers."""


def exact(g: Emitter, op: str, a: Ref, b: Ref) -> Ref | None:
    """A comparison, or the larger or smaller one, of integers; None where OpenVINO's own will do.

    OpenVINO compares integers as float32. What differs there is in that order; what does not is
    close together, so that the difference does not overflow.
    """
    if a.precision not in WIDE or op not in COMPARING | {"Maximum", "Minimum"}:
        return None
    if op in ("Maximum", "Minimum"):  # together they would become a Clamp in float32
        if not (is_far(a.output) or is_far(b.output)):
            return None
        less = g.pair("Less", a, b)
        return g.where(less, b, a) if op == "Maximum" else g.where(less, a, b)
    if is_near(a.output) or is_near(b.output):
        return None
    plain: dict[str, Any] = {"auto_broadcast": "numpy"}
    gap = g.node("Subtract", a, b, **plain)
    close = g.node(op, gap, g.number(0, gap), **plain)
    if op in ("Equal", "NotEqual"):
        return close
    apart = g.node(op.removesuffix("Equal"), a, b, **plain)
    same = g.node("Equal", a, b, **plain)
    return g.pair("LogicalOr", apart, g.pair("LogicalAnd", same, close))


def fuses(output: Any) -> bool:
    """Whether a choice by `output` would be made in float32."""
    return output.get_node().get_type_name() in FUSING


def is_far(output: Any) -> bool:
    """Whether an output is a constant with integers that float32 may not have."""
    return _largest(output) > EXACT


def is_near(output: Any) -> bool:
    """Whether an output is a constant of integers that float32 tells from all others."""
    return 0 <= _largest(output) < EXACT


def _largest(output: Any) -> int:
    """The largest size of an integer in a constant; -1 for what is none."""
    node = output.get_node()
    if node.get_type_name() != "Constant":
        return -1
    data = np.asarray(node.get_data())
    return max(int(data.max(initial=0)), -int(data.min(initial=0)))
