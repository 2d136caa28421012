"""The operator set: every family in one table."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from ..operator import Operator

NAMES = (
    *("activation", "attention", "binary", "compare", "complex", "control", "conv", "detection"),
    *("features", "generate", "index", "linalg", "linear", "logic", "norm", "pool", "quant"),
    *("random", "recurrent", "reduce", "resize", "shape", "signal", "sort", "special", "unary"),
)
"""The families, which are modules of this package and have the same names everywhere."""

FAMILIES: tuple[ModuleType, ...] = tuple(import_module(f"{__name__}.{n}") for n in NAMES)


def _collect() -> dict[str, Operator[Any]]:
    table: dict[str, Operator[Any]] = {}
    codes: dict[int, Operator[Any]] = {}
    for family in FAMILIES:
        for item in vars(family).values():
            if isinstance(item, Operator):
                if table.setdefault(item.name, item) is not item:
                    raise ValueError(f"{item.name} is defined twice")
                if codes.setdefault(item.code, item) is not item:
                    raise ValueError(f"{item.name} and {codes[item.code].name}: code {item.code}")
    return dict(sorted(table.items()))


OPERATORS: dict[str, Operator[Any]] = _collect()
"""Every operator by its name in the standard."""
