"""What all frontends share: families of converters, and the translation with them.

A frontend's package only says what it reads. Its converters are imported when a model is
translated, by the module `converters` beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from nnir.errors import BadModel, told
from nnir.model import Model
from nnir.passes.rewrite import Pass, apply

from .collector import paused_collector

LATE = frozenset({"DIALECT", "FAMILIES", "TABLE", "translate"})
"""What a frontend's package takes from its `converters`."""


def of_converters(package: str, name: str) -> Any:
    """For a package's `__getattr__`: what its `converters` define."""
    if name not in LATE:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(import_module(f"{package}.converters"), name)


def modules(package: str, names: Sequence[str]) -> tuple[ModuleType, ...]:
    """The families of a package by their names."""
    return tuple(import_module(f"{package}.{name}") for name in names)


def guarded(translate: Callable[[], Model], passes: Sequence[Pass] = ()) -> Model:
    """What `translate` makes, after `passes`; BadModel for what is too deep or too large."""
    try:
        with paused_collector():
            model = translate()
            apply(model, passes)
            return model
    except (RecursionError, MemoryError) as error:
        raise BadModel(f"the model is too deep or too large: {told(error)}") from None
