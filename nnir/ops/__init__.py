"""The operator set: every family in one table, made when somebody asks for all of them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..deferred import deferring

if TYPE_CHECKING:
    from types import ModuleType

    from ..operator import Operator

    FAMILIES: tuple[ModuleType, ...]
    """The modules of the families."""

    OPERATORS: dict[str, Operator[Any]]
    """Every operator by its name in the standard."""

NAMES = (
    *("activation", "attention", "binary", "compare", "complex", "control", "conv", "detection"),
    *("features", "generate", "index", "linalg", "linear", "logic", "norm", "pool", "quant"),
    *("random", "recurrent", "reduce", "resize", "shape", "signal", "sort", "special", "unary"),
)
"""The families, which are modules of this package and have the same names everywhere."""


def _collect(families: tuple[ModuleType, ...]) -> dict[str, Operator[Any]]:
    from ..operator import Operator

    table: dict[str, Operator[Any]] = {}
    codes: dict[int, Operator[Any]] = {}
    for family in families:
        for item in vars(family).values():
            if isinstance(item, Operator):
                if table.setdefault(item.name, item) is not item:
                    raise ValueError(f"{item.name} is defined twice")
                if codes.setdefault(item.code, item) is not item:
                    raise ValueError(f"{item.name} and {codes[item.code].name}: code {item.code}")
    return dict(sorted(table.items()))


_family = deferring(__name__)


def __getattr__(name: str) -> Any:
    """A family, FAMILIES or OPERATORS: a model has operators of few families."""
    if name not in ("FAMILIES", "OPERATORS"):
        return _family(name)
    families = tuple(import_module(f"{__name__}.{n}") for n in NAMES)
    globals().update(FAMILIES=families, OPERATORS=_collect(families))
    return globals()[name]
