"""Where OpenVINO goes over to float32 with integers of 32 bits: comparisons and what follows."""

from __future__ import annotations

from typing import Any

import numpy as np

COMPARING = frozenset({"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"})
FUSING = COMPARING | {"IsNaN", "IsInf", "IsFinite"}
"""Nodes that take a choice behind them into their own loop."""
EXACT = 1 << 24
"""Below it float32 has all integers."""


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
