"""The operator set: every family in one table."""

from __future__ import annotations

from types import ModuleType

from ..operator import Operator
from . import (
    activation,
    attention,
    binary,
    compare,
    control,
    conv,
    detection,
    generate,
    index,
    linear,
    logic,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    sort,
    unary,
)

FAMILIES: tuple[ModuleType, ...] = (
    activation,
    attention,
    binary,
    compare,
    control,
    conv,
    detection,
    generate,
    index,
    linear,
    logic,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    sort,
    unary,
)


def _collect() -> dict[str, Operator]:
    table: dict[str, Operator] = {}
    codes: dict[int, str] = {}
    for family in FAMILIES:
        for item in vars(family).values():
            if isinstance(item, Operator) and item.__module__ == family.__name__:
                if item.name in table or item.code in codes:
                    raise ValueError(f"{item.name} (code {item.code}) is defined twice")
                table[item.name] = item
                codes[item.code] = item.name
    return dict(sorted(table.items()))


OPERATORS: dict[str, Operator] = _collect()
"""Every operator by its name in the standard."""
