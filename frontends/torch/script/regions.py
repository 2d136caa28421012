"""Parts of a program that become sub-models: what they read, and what they leave behind."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any

import numpy as np

from nnir.errors import Unsupported
from nnir.model import Model, Value
from nnir.ops import unary
from nnir.records import dataclass
from nnir.types import TensorType

from .machine import Machine
from .memory import State
from .things import Instance, Items, Named, Number, Table, Tensor

Path = tuple[Any, ...]
"""Where in a variable a value lies: the name, then positions and keys."""

MEMORY = "<memory>"
"""In place of a variable: what a tensor holds that was changed in place."""


class Scope(dict[str, Any]):
    """The names in a sub-model; what it reads from outside becomes an input of it."""

    def __init__(self, outer: Mapping[str, Any], model: Model) -> None:
        super().__init__()
        self.outer = outer
        self.model = model
        self.captured: dict[str, Value] = {}

    def __missing__(self, name: str) -> Any:
        entry = self.outer[name]
        if isinstance(entry, Value):
            known = entry.known
            if known is None:
                return self.capture(name, entry)
            made = self.model.constant(known, name=entry.name)
            made.is_number = entry.is_number
            entry = made
        self[name] = entry
        return entry

    def capture(self, name: str, entry: Value) -> Value:
        """An input of the sub-model for what is outside."""
        made = self.model.input(entry.name or name, entry.type)
        made.is_number = entry.is_number
        self[name] = self.captured[name] = made
        return made

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.outer

    def get(self, name: str, default: Any = None) -> Any:
        """What a name stands for, read from outside where it is not here."""
        return self[name] if name in self else default  # noqa: SIM401  # this is `get`


@dataclass(eq=False)
class Region:
    """A sub-model while it is made. `state` is what is known of the memory at its end."""

    model: Model
    scope: Scope
    names: dict[str, Any] = field(default_factory=dict)
    state: State | None = None
    returned: Any = None


@contextmanager
def inside(machine: Machine, region: Region) -> Iterator[None]:
    """Walk within a sub-model; variables and memory are as before afterwards."""
    before, names = machine.memory.state(), machine.frame.names
    machine.frame.names = region.names
    if region.state is not None:
        machine.memory.restore(region.state)
    try:
        with (
            machine.inside_region(),
            machine.translator.inside(region.model, region.scope),
        ):
            yield
            region.state = machine.memory.state()
            _refuse_new_shapes(region, before)
    finally:
        machine.memory.restore(before)
        machine.frame.names = names


def _refuse_new_shapes(region: Region, before: State) -> None:
    """Unsupported where a tensor from outside has another shape at the end of a sub-model."""
    called = {} if region.state is None else region.state.called
    for name in called.keys() - before.called.keys():
        if name in region.scope.outer:
            raise Unsupported(
                f"the shape of {name!r} is changed in place within a branch or a loop; make a "
                "view of it (unsqueeze for unsqueeze_) in the module"
            )


def begin(machine: Machine, name: str) -> Region:
    """An empty sub-model with the variables of the current call."""
    outer = machine.translator
    model = Model(name, outer.model)
    return Region(model, Scope(outer.scope, model), dict(machine.frame.names))


def assigned_names(statements: Sequence[ast.stmt]) -> list[str]:
    """The variables that statements set, in order."""
    found: dict[str, None] = {}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node.id] = None
    return list(found)


def leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """The tensors, numbers and other plain values within a value, with where they lie."""
    if isinstance(value, (Items, Named)) or type(value) is tuple:
        for position, part in enumerate(value):
            yield from leaves(part, (*path, position))
    elif isinstance(value, Table):
        for key, part in value.items():
            yield from leaves(part, (*path, key))
    else:
        yield path, value


def rebuild(value: Any, path: Path, found: Mapping[Path, Any], region: int) -> Any:
    """A value with other leaves."""
    if path in found:
        return found[path]
    if isinstance(value, Named):
        parts = [rebuild(v, (*path, k), found, region) for k, v in enumerate(value)]
        return Named(parts, value.kind, value.names)
    if isinstance(value, Items):
        return Items((rebuild(v, (*path, k), found, region) for k, v in enumerate(value)), region)
    if isinstance(value, Table):
        return Table({k: rebuild(v, (*path, k), found, region) for k, v in value.items()}, region)
    if type(value) is tuple:
        return tuple(rebuild(v, (*path, k), found, region) for k, v in enumerate(value))
    return value


def is_of_graph(value: Any) -> bool:
    """Whether a value is a tensor or a number of the graph."""
    return isinstance(value, (Tensor, Number))


def is_number(value: Any) -> bool:
    """Whether a value is a number of Python's, which may become one of the graph."""
    return type(value) in (bool, int, float)


def is_same(a: Any, b: Any) -> bool:
    """Whether two leaves are the same known thing."""
    if isinstance(a, Instance) or isinstance(b, Instance):
        return a is b
    return type(a) is type(b) and (a == b or (a != a and b != b))


def value_in(machine: Machine, leaf: Any) -> Value:
    """What a leaf is in the current model; numbers become constants."""
    if is_of_graph(leaf):
        return machine.value_of(leaf)
    if is_number(leaf):
        made = machine.translator.model.constant(np.asarray(leaf))
        made.is_number = True
        return made
    raise Unsupported(f"a branch or loop that gives {type(leaf).__name__} and a tensor in turn")


def roots_in(region: Region, leaf: Any) -> list[str]:
    """The tensors whose memory a leaf of the end of a region may lie in."""
    if not isinstance(leaf, Tensor) or region.state is None:
        return []
    name = str(leaf)
    while (view := region.state.views.get(name)) is not None:
        name = view.source
    return [name, *region.state.maybe.get(name, ())]


def share(machine: Machine, region: Region, found: Mapping[str, Any]) -> None:
    """Note what results of a region may share: `found` are its leaves by the names of results."""
    groups: dict[str, list[str]] = {}
    for name, leaf in found.items():
        for root in roots_in(region, leaf):
            groups.setdefault(root, []).append(name)
    for root, names in groups.items():
        outside = [root] if root in region.scope.outer else []
        for position, name in enumerate(names):
            machine.memory.may_share(name, [*outside, *names[:position]])


def changed_roots(machine: Machine, regions: Sequence[Region]) -> list[str]:
    """The tensors outside of regions that these change in place."""
    found: dict[str, None] = {}
    before = machine.memory.ages
    for region in regions:
        ages = {} if region.state is None else region.state.ages
        for name, age in ages.items():
            if age != before.get(name, 0) and name in region.scope.outer:
                found[name] = None
    return list(found)


def keep_doubts(machine: Machine, regions: Sequence[Region]) -> None:
    """What may share memory, and what is not known since something changed."""
    memory = machine.memory
    for region in regions:
        if region.state is not None:
            memory.lost |= region.state.lost
            for name, roots in region.state.maybe.items():
                memory.maybe[name] = memory.maybe.get(name, frozenset()) | roots


def close(regions: Sequence[Region]) -> list[Value]:
    """Let sub-models take the same inputs behind their own; what these are outside."""
    names = dict.fromkeys(n for region in regions for n in region.scope.captured)
    outer = regions[0].scope.outer
    entries = [outer[name] for name in names]
    for region in regions:
        scope, model = region.scope, region.model
        captured = set(scope.captured.values())
        own = [v for v in model.inputs if v not in captured]
        given = [
            scope.captured[name] if name in scope.captured else model.input(name, entry.type)
            for name, entry in zip(names, entries, strict=True)
        ]
        model.inputs = [*own, *given]
    return entries


def fresh(values: Sequence[Value]) -> list[Value]:
    """Values that a sub-model makes: what it takes and constants are copied."""
    return [unary.assign(v) if v.producer is None else v for v in values]


def bind(machine: Machine, value: Value, stem: str, *, is_number: bool) -> Any:
    """A result of a sub-model as a leaf of a variable."""
    name = machine.memory.fresh(stem)
    if is_number:
        value.is_number = True
    if value.name is None:
        value.name = name
    machine.translator.scope[name] = value
    machine.memory.know(name)
    return Number(name) if is_number else Tensor(name)


def stem_of(machine: Machine, name: str) -> str:
    """What values of a variable are called."""
    return f"{machine.path}.{name}" if machine.path else name


def zeros(machine: Machine, kind: TensorType) -> Any:
    """A tensor that is never read, of the type of what the other branch gives."""
    sizes = [d if isinstance(d, int) else 1 for d in kind.shape]
    arguments = {"size": sizes, "dtype": kind.precision}
    return Tensor(machine.emit("aten.zeros.default", arguments)[0])
