"""Cases by framework, one file per operator family, called as the family of the frontend."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from types import ModuleType


def families(frontend: Iterable[ModuleType], package: str) -> tuple[ModuleType, ...]:
    """The modules of `package` with the cases of a frontend's families."""
    names = (family.__name__.rpartition(".")[2] for family in frontend)
    return tuple(import_module(f"{package}.{name}") for name in names)
