"""Modules that are imported when something of them is first asked for.

A model has operators of few families, and a program starts in the time that its imports take. A
package that defers says `__getattr__ = deferring(__name__)`: then `from package import module`
costs nothing, and the first `module.name` imports it. `from package.module import name` imports at
once, as ever.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from .collector import import_paused


class Deferred(ModuleType):
    """Stands for a module until that is imported, and hands on what it has."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_paused(self.__name__), name)
        super().__setattr__(name, found)  # so that a name is looked for once
        return found

    def __setattr__(self, name: str, value: object) -> None:
        setattr(import_paused(self.__name__), name, value)
        super().__setattr__(name, value)

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        """What `vars` sees: the module's own."""
        return vars(import_paused(self.__name__))


def deferring(package: str) -> Callable[[str], ModuleType]:
    """A `__getattr__` for a package, which answers with its modules; AttributeError for others."""

    def find(name: str) -> ModuleType:
        whole = f"{package}.{name}"
        if whole in sys.modules:
            return sys.modules[whole]
        if name.startswith("__") or find_spec(whole) is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        stand_in = Deferred(whole)
        vars(sys.modules[package])[name] = stand_in  # until the import puts the module there
        return stand_in

    return find
