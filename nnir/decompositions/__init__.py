"""Operators written in others, one module a family, which is imported when one of them is asked.

A device takes a decomposition for an operator that it has no lowering for, `to_standard` for one
that the standard does not have. `impossible` says of the others why there is none.
"""

from __future__ import annotations

from functools import cache

from ..collector import import_paused

FAMILIES = (
    *("activation", "attention", "bessel", "binary", "control", "conv", "detection", "features"),
    *("generate", "index", "linalg", "linear", "logic", "norm", "pool", "recurrent", "reduce"),
    *("resize", "sampling", "shape", "special", "unary", "windows", "yolo"),
)
"""The modules; all decompositions of one operator are in one of them."""

OTHERS = {
    "attention": "linear",
    "conv": "sampling",
    "detection": "yolo",
    "generate": "shape",
    "linear": "linalg",
    "pool": "windows",
    "reduce": "logic",
    "resize": "sampling",
    "special": "bessel",
    "unary": "activation",
}
"""Families of operators of which some are written in others in a second module."""


@cache
def register(family: str) -> None:
    """Import the modules that add decompositions to operators of a family."""
    for name in (family, OTHERS.get(family)):
        if name in FAMILIES:
            import_paused(f"{__name__}.{name}")
