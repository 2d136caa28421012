"""What all frontends share: families of converters, and the translation with them.

A frontend's package only says what it reads. A family of its converters is imported when a model
has one of their operators. `operators/families.json` in the package lists the families, and the
operators of each. A new family is a new key there; write the operators anew after a converter was
added or moved, else everything is searched for what the file does not say:

    python -m frontends.families
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from nnir.collector import paused_collector
from nnir.errors import BadModel, describe
from nnir.model import Model
from nnir.passes.rewrite import Pass, apply
from nnir.plugins import REGISTRY, PluginWarning

from .outside import find_outside
from .table import Converter, Table

HERE = Path(__file__).parent
FRONTENDS = tuple(sorted(p.parents[1].name for p in HERE.glob("*/operators/families.json")))
LATE = frozenset({"DIALECT", "FAMILIES", "TABLE", "translate"})
"""What a frontend's package takes from its `converters`."""


class LateTable:
    """The converters of a package, whose families are imported when they are asked for."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.frontend = package.rpartition(".")[2]
        self._found: dict[tuple[str, int], Converter | None] = {}
        self._changes = 0

    @cached_property
    def families(self) -> dict[str, list[str]]:
        """The operators of every family, as the index has them."""
        found: dict[str, list[str]] = json.loads(index_of(self.package).read_text())
        return found

    @cached_property
    def _family(self) -> dict[str, str]:
        """The family of every operator."""
        return {op: name for name, ops in self.families.items() for op in ops}

    def modules(self) -> tuple[ModuleType, ...]:
        """The families; this imports every one."""
        return tuple(import_module(f"{self.package}.operators.{name}") for name in self.families)

    @cached_property
    def entries(self) -> dict[str, dict[int, Converter]]:
        """All converters by operator and version; this imports every family."""
        return Table.merge(m.table for m in self.modules()).entries

    def find(self, name: str, version: int) -> Converter | None:
        """The newest converter of an operator not above `version`, of a plug-in before ours."""
        if self._changes != REGISTRY.changes:
            self._changes = REGISTRY.changes
            self._found.clear()
        key = name, version
        if key not in self._found:
            self._found[key] = self._find_outside(name, version) or self._find(name, version)
        return self._found[key]

    def _find_outside(self, name: str, version: int) -> Converter | None:
        """The converter that a plug-in brings."""
        found = find_outside(self.frontend, name, version)
        if found is None:
            return None
        plugin, converter = found
        if name in self._family:
            text = f"{plugin} converts {name} of {self.frontend} in our place"
            warnings.warn(text, PluginWarning, stacklevel=2)
        return converter

    def _find(self, name: str, version: int) -> Converter | None:
        family = self._family.get(name)
        if family is not None:
            table: Table = import_module(f"{self.package}.operators.{family}").table
            if name in table.entries:
                return table.find(name, version)
        return Table(self.entries).find(name, version)


def operators_of(package: str) -> dict[str, dict[int, Converter]]:
    """What a package and plug-ins convert, by operator and version."""
    table: LateTable = of_converters(package, "TABLE")
    found = dict(table.entries)
    for _, outside in REGISTRY.of("converters", table.frontend):
        found |= outside.entries
    return found


def of_converters(package: str, name: str) -> Any:
    """For a package's `__getattr__`: what its `converters` define."""
    if name not in LATE:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    found = import_module(f"{package}.converters")
    return found.TABLE.modules() if name == "FAMILIES" else getattr(found, name)


def translate_safely(translate: Callable[[], Model], passes: Sequence[Pass] = ()) -> Model:
    """What `translate` makes, after `passes`; BadModel for what is too deep or too large."""
    try:
        with paused_collector():
            model = translate()
            apply(model, passes)
            return model
    except (RecursionError, MemoryError) as error:
        raise BadModel(f"the model is too deep or too large: {describe(error)}") from None


def index_of(package: str) -> Path:
    """Where the index of a package lies."""
    return HERE / package.rpartition(".")[2] / "operators" / "families.json"


def index(package: str) -> str:
    """The index of a package: the operators of each family."""
    table: LateTable = of_converters(package, "TABLE")
    rows = [
        f"{json.dumps(m.__name__.rpartition('.')[2])}: {json.dumps(sorted(m.table.entries))}"
        for m in table.modules()
    ]
    return "{\n" + ",\n".join(rows) + "\n}\n"


if __name__ == "__main__":
    for frontend in FRONTENDS:
        index_of(frontend).write_text(index(f"frontends.{frontend}"))
