"""What all frontends share: families of converters, and the translation with them.

A frontend's package only says what it reads. A family of its converters is imported when a model
has one of their operators; `families.json` in the package says which family that is. Write it anew
after a converter was added or moved, else everything is searched for what it does not say:

    python -m frontends.families
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from nnir.errors import BadModel, told
from nnir.model import Model
from nnir.passes.rewrite import Pass, apply

from .collector import paused_collector
from .table import Converter, Table

FRONTENDS = ("onnx", "paddle", "tensorflow", "tflite", "torch")
INDEX = "families.json"
LATE = frozenset({"DIALECT", "FAMILIES", "TABLE", "translate"})
"""What a frontend's package takes from its `converters`."""


class LateTable:
    """The converters of a package, whose families are imported when they are asked for."""

    def __init__(self, package: str, names: Sequence[str]) -> None:
        self.package = package
        self.names = names
        self._found: dict[tuple[str, int], Converter | None] = {}

    @cached_property
    def _family(self) -> dict[str, str]:
        """The family of every operator."""
        path = index_of(self.package)
        known = json.loads(path.read_text()) if path.exists() else {}
        return {op: name for name, ops in known.items() for op in ops}

    @cached_property
    def entries(self) -> dict[str, dict[int, Converter]]:
        """All converters by operator and version; this imports every family."""
        return Table.merge(m.table for m in modules(self.package, self.names)).entries

    def find(self, name: str, version: int) -> Converter | None:
        """The newest converter of an operator not above `version`."""
        key = name, version
        if key not in self._found:
            self._found[key] = self._find(name, version)
        return self._found[key]

    def _find(self, name: str, version: int) -> Converter | None:
        family = self._family.get(name)
        if family in self.names:
            table: Table = import_module(f"{self.package}.{family}").table
            if name in table.entries:
                return table.find(name, version)
        return Table(self.entries).find(name, version)


def of_converters(package: str, name: str) -> Any:
    """For a package's `__getattr__`: what its `converters` define."""
    if name not in LATE:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    found = import_module(f"{package}.converters")
    return modules(package, found.NAMES) if name == "FAMILIES" else getattr(found, name)


def modules(package: str, names: Iterable[str]) -> tuple[ModuleType, ...]:
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


def index_of(package: str) -> Path:
    """Where the index of a package lies."""
    return Path(__file__).parent / package.rpartition(".")[2] / INDEX


def index(package: str) -> str:
    """The index of a package: the operators of each family."""
    table: LateTable = of_converters(package, "TABLE")
    rows = [
        f"{json.dumps(m.__name__.rpartition('.')[2])}: {json.dumps(sorted(m.table.entries))}"
        for m in modules(package, table.names)
    ]
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    for frontend in FRONTENDS:
        index_of(frontend).write_text(index(f"frontends.{frontend}"))
