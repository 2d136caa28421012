"""Plug-ins: operators, converters, lowerings, devices and cases that other packages bring.

An entry point of the group `nnadapter.plugins` names a `Plugin`; a script calls `add` instead.
Each floor of the house asks here for what is its own and knows its type: `frontends` for
converters, `hal` for lowerings and devices, `conformance` for cases.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from .errors import BadInput, describe
from .installed import EntryPoint, points
from .operator import Operator
from .records import dataclass

GROUP = "nnadapter.plugins"

FIRST_CODE = 10_000
"""Codes below are those of the standard and of our own extensions."""


class PluginWarning(UserWarning):
    """A plug-in does not take part, or takes the place of something else."""


@dataclass(frozen=True, eq=False)
class Plugin:
    """What a package brings.

    `name` is what `pip install` calls it and `version` its own, which `.nnir` files remember.
    `operators`: new ones, of codes from 10000 on and names that no other has. `converters`: a
    `frontends.table.Table` by frontend. `lowerings`: a `hal.lowering.Lowerings` by device. Both
    come before what is built in. `devices`: subclasses of `hal.device.Device`, and `frontends`:
    objects like `frontends.frontend.Frontend`, by name. `cases` are rows by frontend ("nnir" for
    the operators themselves), or "module:NAME" of such rows, which only runs of cases import: they
    need packages that a user of the plug-in does without. `limits` are what is known not to pass.
    `registers`: by framework, modules that make its custom operators known to it; a process that
    asks it imports them. `libraries`: by engine ("onnxruntime"), shared libraries with kernels,
    which its sessions load.
    """

    name: str
    version: str
    operators: Sequence[Operator[Any]] = ()
    converters: Mapping[str, Any] = field(default_factory=dict)
    lowerings: Mapping[str, Any] = field(default_factory=dict)
    devices: Mapping[str, Any] = field(default_factory=dict)
    frontends: Mapping[str, Any] = field(default_factory=dict)
    cases: Mapping[str, Sequence[Any] | str] = field(default_factory=dict)
    limits: Sequence[Any] = ()
    registers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    libraries: Mapping[str, Sequence[str | Path]] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


class Registry:
    """The plug-ins that are installed, and those that a script has added."""

    def __init__(self) -> None:
        self._added: dict[str, Plugin] = {}
        self.changes = 0
        """Grows with what is added and removed: what was looked up before is out of date."""
        self._codes: tuple[int, dict[int, Operator[Any]]] = (-1, {})

    def add(self, plugin: Plugin) -> None:
        """Let a plug-in take part in this process; one of the same name gives way.

        BadInput where an operator's name or code is another's.
        """
        others = (p for p in self.plugins() if p.name != plugin.name)
        _require_own(plugin, others)
        self._added[plugin.name] = plugin
        self.changes += 1

    def remove(self, name: str) -> None:
        """Forget a plug-in that was added."""
        self._added.pop(name, None)
        self.changes += 1

    def plugins(self) -> list[Plugin]:
        """All of them; what was added comes first."""
        found = dict(self._added)
        for plugin in _installed(tuple(sys.path)):
            found.setdefault(plugin.name, plugin)
        return list(found.values())

    def of(self, part: str, name: str) -> list[tuple[Plugin, Any]]:
        """What plug-ins bring to a frontend, device or framework: of("converters", "onnx")."""
        return [(p, getattr(p, part)[name]) for p in self.plugins() if name in getattr(p, part)]

    def cases_of(self, frontend: str) -> list[Any]:
        """The rows of cases that plug-ins bring for a frontend; BadInput where there are none under
        a name."""
        return [row for plugin, rows in self.of("cases", frontend) for row in _rows(plugin, rows)]

    def libraries_of(self, engine: str) -> list[str]:
        """Shared libraries with kernels for an engine, of all plug-ins.

        BadInput where one is not there, as where nobody has built it yet.
        """
        found = []
        for plugin, paths in self.of("libraries", engine):
            for path in map(Path, paths):
                if not path.is_file():
                    raise BadInput(f"{plugin}: its kernels for {engine} are not there: {path}")
                found.append(str(path.resolve()))
        return found

    def owners(self) -> dict[str, tuple[Plugin, Operator[Any]]]:
        """The operators of plug-ins, and who brings them, by their names."""
        return {o.name: (p, o) for p in self.plugins() for o in p.operators}

    def find_operator(self, name: str) -> Operator[Any] | None:
        """An operator by its name, of ours or of a plug-in."""
        from .ops import OPERATORS  # only who asks for one imports them

        if name in OPERATORS:
            return OPERATORS[name]
        found = self.owners().get(name)
        return None if found is None else found[1]

    def find_code(self, code: int) -> Operator[Any] | None:
        """An operator by its code in the standard, or that of an extension."""
        if self._codes[0] != self.changes:
            self._codes = self.changes, {o.code: o for o in self.operators()}
        return self._codes[1].get(code)

    def operators(self) -> list[Operator[Any]]:
        """Every operator, of ours and of plug-ins."""
        from .ops import OPERATORS  # only who asks for one imports them

        return [*OPERATORS.values(), *(o for _, o in self.owners().values())]


@cache
def _installed(path: tuple[str, ...]) -> tuple[Plugin, ...]:
    """The plug-ins that entry points name. One that is broken takes no part, and that is said."""
    found: list[Plugin] = []
    for point in sorted(points(GROUP), key=lambda p: (p.name, p.value)):
        try:
            plugin = _load(point)
            _require_own(plugin, found)
        except BadInput as error:
            warnings.warn(f"{error}; it takes no part", PluginWarning, stacklevel=2)
        else:
            found.append(plugin)
    return tuple(found)


def _load(point: EntryPoint) -> Plugin:
    """The plug-in that an entry point names; BadInput where it names none."""
    where = f"the plug-in {point.name} = {point.value}"
    try:
        plugin = point.load()
    except Exception as error:
        raise BadInput(f"{where} cannot be imported: {describe(error)}") from error
    if not isinstance(plugin, Plugin):
        raise BadInput(f"{where} is {plugin!r:.80}, no nnadapter.Plugin")
    return plugin


def _rows(plugin: Plugin, rows: Sequence[Any] | str) -> Sequence[Any]:
    """Rows of cases, imported where a plug-in names them."""
    if not isinstance(rows, str):
        return rows
    module, _, name = rows.partition(":")
    try:
        return cast(Sequence[Any], getattr(import_module(module), name))
    except (ImportError, AttributeError) as error:
        raise BadInput(f"{plugin}: no cases {rows!r}: {describe(error)}") from error


def _require_own(plugin: Plugin, others: Iterable[Plugin]) -> None:
    """BadInput where an operator's name or code is taken."""
    from .ops import OPERATORS  # only a plug-in needs them here

    taken = [("nnadapter", o) for o in OPERATORS.values()]
    taken += [(str(p), o) for p in others for o in p.operators]
    for operator in plugin.operators:
        if operator.code < FIRST_CODE:
            raise BadInput(
                f"{plugin}: {operator.name} has code {operator.code}; those of plug-ins begin with "
                f"{FIRST_CODE}"
            )
        for owner, other in taken:
            same = "name" if other.name == operator.name else "code"
            if getattr(other, same) == getattr(operator, same):
                raise BadInput(
                    f"{plugin}: the {same} of {operator.name} ({operator.code}) is that of "
                    f"{other.name} of {owner}"
                )


REGISTRY = Registry()
add = REGISTRY.add
remove = REGISTRY.remove
