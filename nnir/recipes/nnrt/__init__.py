"""What each operation of NNRt means: functions of values, with its parameters by its own names.

Each module has a table `RECIPES` of its family. The frontend converts by it, and the device runs
models by it. Names are those of the header in this project's spelling (`padMode` is `pad_mode`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ...ops import NAMES

Recipes = Mapping[str, Callable[..., Any]]
"""Recipes by the names of operations."""

FAMILIES = tuple(n for n in NAMES if find_spec(f"{__name__}.{n}") is not None)


def all_recipes() -> Recipes:
    """The recipes of all families by the names of operations."""
    found: dict[str, Callable[..., Any]] = {}
    for family in FAMILIES:
        own = import_module(f"{__name__}.{family}").RECIPES
        if twice := found.keys() & own.keys():
            raise ValueError(f"{', '.join(twice)} have recipes in two families")
        found |= own
    return found
