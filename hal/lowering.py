"""Tables of lowerings: how a driver emits each operator, and what of it each lowering reads."""

from __future__ import annotations

import builtins
import inspect
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, is_dataclass, replace
from importlib.util import find_spec
from itertools import chain, repeat
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    ParamSpec,
    Protocol,
    cast,
    get_origin,
    overload,
)

from nnir.collector import import_paused
from nnir.errors import BadInput, NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import NAMES
from nnir.plugins import REGISTRY, PluginWarning
from nnir.records import dataclass
from nnir.types import Fuse

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    R = TypeVar("R", default=Any)
else:
    from typing import TypeVar

    R = TypeVar("R")

Plain = int | float | str | tuple[int, ...] | tuple[float, ...]
"""An attribute that an engine takes as it is."""

ROOMS = {"unary": ("unary", "activation")}
"""The modules of a driver that lower operators of a family, where it is not one of its name."""

WORD = re.compile(r"\w+")
P = ParamSpec("P")
E = TypeVar("E")
T = TypeVar("T")


class Program(Protocol[R]):
    """A program in the making, as far as tables know it: see `hal.emission.Emission`."""

    device: ClassVar[str]
    lowerings: Lowerings[R]

    def native(
        self, kernel: str, inputs: Sequence[Value | None], fields: Mapping[str, Plain]
    ) -> R | Sequence[R]: ...


Lowering = Callable[..., R | Sequence[R]]
"""Of an emission, then an operation's operands and, by name, its attributes."""

Taker = Callable[[Any, Any], Any]
"""Of an emission and an operand or an attribute: what a parameter `Annotated[..., taker]` receives
for it."""

Way = Callable[..., Value | Sequence[Value]]
"""A decomposition: of an operation's operands and, by name, its attributes, as values."""


@dataclass(frozen=True)
class Bound(Generic[R]):
    """A function as the lowering of an operator: what it reads, and what must not be said.

    `inputs` are the places of the operands that it takes, `rest` the first of those that it takes
    by `*`, `takers` what is made of each of them, the rest last; `attributes` has names and what is
    made of each. `groups` are dataclasses that take several attributes by the names of their
    fields. `absent` are optional operands, `plain` attributes that are as good as not there: the
    first None, the others their default. With `is_fused` the activation of the fuse code is added.
    """

    operator: Operator[object]
    function: Callable[..., R | Sequence[R]]
    inputs: tuple[int, ...]
    rest: int | None
    attributes: tuple[tuple[str, Taker | None], ...]
    groups: tuple[tuple[str, type, tuple[str, ...]], ...]
    absent: tuple[tuple[int, str], ...]
    plain: tuple[tuple[str, object], ...]
    is_fused: bool
    takers: tuple[Taker | None, ...]

    def __call__(
        self, program: Program[R], *operands: Value | None, **attributes: Any
    ) -> R | Sequence[R]:
        """What an operation is emitted as; NoLowering where it says what is not read."""
        self._require_read(program.device, operands, attributes)
        read = [operands[k] for k in self.inputs]
        if self.rest is not None:
            read += operands[self.rest :]
        takers = chain(self.takers, repeat(self.takers[-1] if self.takers else None))
        taken = [_take(program, t, v) for t, v in zip(takers, read, strict=False)]
        given = {name: _take(program, t, attributes[name]) for name, t in self.attributes}
        for name, kind, names in self.groups:
            given[name] = kind(**{n: attributes[n] for n in names})
        made = self.function(program, *taken, **given)
        code = attributes["fuse_code"] if self.is_fused else Fuse.NONE
        if code == Fuse.NONE:
            return made
        first, *rest = results_of(made)
        return [program.lowerings.fused(program, first, code), *rest]

    def _require_read(
        self, device: str, operands: Sequence[Value | None], attributes: Mapping[str, object]
    ) -> None:
        name = self.operator.name
        for place, operand in self.absent:
            if operands[place] is not None:
                raise NoLowering(f"{device}: {name} does not read the operand {operand}")
        for attribute, default in self.plain:
            value = attributes[attribute]
            if value != default:
                raise NoLowering(f"{device}: {name} does not read {attribute}={value!r}")


def _take(program: object, taker: Taker | None, given: object) -> object:
    """An operand or attribute as a parameter receives it: by its taker, where it has one and is
    there."""
    return given if taker is None or given is None else taker(program, given)


def _taker(parameter: inspect.Parameter, names: Mapping[str, object]) -> Taker | None:
    """What is made of what a parameter receives: `names` are those that its annotation knows.

    TypeError for a name that is not there while running, or that is only a part of an annotation:
    the parameter would receive what it does not expect.
    """
    hint = parameter.annotation
    if isinstance(hint, str):
        text = hint.removesuffix(" | None")
        found = names.get(text, getattr(builtins, text, None))
        parts = (names.get(word) for word in WORD.findall(text) if word != text)
        if (found is None and text.isidentifier()) or any(map(_is_annotated, parts)):
            raise TypeError(f"a lowering cannot read {parameter}")
        hint = found
    return cast(Taker, hint.__metadata__[0]) if _is_annotated(hint) else None


def _is_annotated(hint: object) -> bool:
    return get_origin(hint) is Annotated


def results_of(made: R | Sequence[R]) -> list[R]:
    """The results of a lowering, which gives one or several."""
    return list(made) if isinstance(made, (tuple, list)) else [cast(R, made)]


def bind(
    operator: Operator[object],
    function: Callable[..., R | Sequence[R]],
    implied: Collection[str] = (),
    groups: Mapping[str, type] | None = None,
) -> Bound[R]:
    """A function as the lowering of an operator; TypeError where it names what that has not.

    `implied` is not read: the type of the result says it, or one answer serves all its values.
    """
    groups = groups or {}
    parameters = list(inspect.signature(function).parameters.values())[1:]
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)]
    known: Mapping[str, object] = getattr(inspect.unwrap(function), "__globals__", {})
    takers = tuple(_taker(p, known) for p in positional)
    tensors = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    constants = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in groups]
    named = [p.name for p in constants]
    takes_rest = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    unknown = [n for n in tensors if n not in operator.tensors]
    unknown += [n for n in named if n not in operator.attributes]
    unknown += [f"**{p.name}" for p in parameters if p.kind is p.VAR_KEYWORD]
    if unknown:
        raise TypeError(f"a lowering names {', '.join(unknown)}: not in {_schema(operator)}")
    bound = _bind_names(operator, function, tensors, named, implied, groups, takes_rest=takes_rest)
    return replace(
        bound, takers=takers, attributes=tuple((p.name, _taker(p, known)) for p in constants)
    )


def _bind_names(
    operator: Operator[object],
    function: Callable[..., R | Sequence[R]],
    tensors: Sequence[str],
    named: Sequence[str],
    implied: Collection[str],
    groups: Mapping[str, type],
    *,
    takes_rest: bool,
) -> Bound[R]:
    bundles = tuple((n, kind, _fields(kind, operator)) for n, kind in groups.items())
    read = {*tensors, *named, *implied, *(n for _, _, names in bundles for n in names)}
    places = tuple(operator.tensors.index(n) for n in tensors)
    if takes_rest:
        read.update(operator.tensors)
        if places != tuple(range(len(places))):
            raise TypeError(f"a lowering takes all after {tensors} of {_schema(operator)}")
    absent = tuple((k, n) for k, n in enumerate(operator.tensors) if n not in read)
    left = {n: d for n, d in operator.attributes.items() if n not in read}
    is_fused = left.pop("fuse_code", None) is not None
    plain = tuple(left.items())
    needed = [n for k, n in absent if k < operator.required]
    needed += [n for n, default in plain if default is inspect.Parameter.empty]
    needed += [operator.variadic] if operator.variadic and not takes_rest else []
    if needed:
        raise TypeError(f"a lowering leaves out {', '.join(needed)} of {_schema(operator)}")
    rest = len(tensors) if takes_rest else None
    attributes = tuple((name, None) for name in named)
    return Bound(operator, function, places, rest, attributes, bundles, absent, plain, is_fused, ())


def _schema(operator: Operator[object]) -> str:
    return f"{operator.name}({', '.join(operator.operands)})"


def _fields(kind: type, operator: Operator[object]) -> tuple[str, ...]:
    """The attributes of an operator that a dataclass takes; it has defaults for its other ones."""
    if not is_dataclass(kind):
        raise TypeError(f"{kind.__name__} is no dataclass of attributes of {operator.name}")
    return tuple(f.name for f in fields(kind) if f.name in operator.attributes)


def _with_entry(
    function: Callable[..., R | Sequence[R]], entry: object, parameters: list[inspect.Parameter]
) -> Callable[..., Any]:
    """A function with a second argument of its own, and the parameters that are left."""

    def lowering(g: Program[R], *operands: Value | None, **attributes: object) -> R | Sequence[R]:
        return function(g, entry, *operands, **attributes)

    vars(lowering).update(__signature__=inspect.Signature(parameters), __wrapped__=function)
    return lowering


class Registration(Generic[R]):
    """A decorator that makes a function the lowering of operators."""

    def __init__(self, add: Callable[[Callable[..., R | Sequence[R]]], None]) -> None:
        self._add = add

    @overload
    def __call__(self, function: Callable[P, R]) -> Callable[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, tuple[R, ...]]) -> Callable[P, tuple[R, ...]]: ...
    @overload
    def __call__(
        self, function: Callable[P, R | tuple[R, ...]]
    ) -> Callable[P, R | tuple[R, ...]]: ...
    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        self._add(function)
        return function


@dataclass
class Lowerings(Generic[R]):
    """Lowerings by operator, each of which gives results of type `R`.

    A function takes the emitter, then what it reads of the operator, by the operator's own names:
    operands by position, constants by keyword. One whose annotation is a name of the function's
    module for `Annotated[..., taker]` is what `taker` makes of the emitter and it. What
    is not named must not be said: an operation whose attribute differs from the default, or that
    has the optional operand, is decomposed. The activation of a fuse code that it does not name is
    emitted behind it.
    """

    entries: dict[Operator[object], Lowering[R]] = field(default_factory=dict)
    ways: dict[Operator[object], tuple[Way, ...]] = field(default_factory=dict)
    activation: Callable[[Any, R, Fuse], R] | None = None
    device: str = ""
    """Whose they are, where plug-ins may bring more."""
    _outside: tuple[int, dict[Operator[object], Lowering[R]]] = (-1, {})

    def lower(
        self, *operators: Operator[object], implied: Collection[str] = (), **groups: type
    ) -> Registration[R]:
        """Decorator: the function lowers `operators`.

        `implied` names what it need not read: the type of the result says it, or one answer serves
        all its values. `groups` are parameters that take several attributes at once: dataclasses
        with fields of their names.
        """

        def add(function: Callable[..., R | Sequence[R]]) -> None:
            for operator in operators:
                own = {*operator.tensors, *operator.attributes}
                self._add(operator, bind(operator, function, own.intersection(implied), groups))
            known = {n for o in operators for n in (*o.tensors, *o.attributes)}
            if unknown := set(implied) - known:
                names = ", ".join(o.name for o in operators)
                raise TypeError(f"{names} implies {', '.join(unknown)}, which is not in it")

        return Registration(add)

    def each(
        self, table: Mapping[Operator[object], T], implied: Collection[str] = ()
    ) -> Registration[R]:
        """Decorator: the function lowers what a table has, whose entries it takes second."""

        def add(function: Callable[..., R | Sequence[R]]) -> None:
            first, _, *own = inspect.signature(function).parameters.values()
            for operator, entry in table.items():
                lowering = _with_entry(function, entry, [first, *own])
                self.lower(operator, implied=implied)(lowering)

        return Registration(add)

    def native(
        self,
        operator: Operator[object],
        kernel: str,
        *same: str,
        implied: Collection[str] = (),
        **renamed: str,
    ) -> None:
        """The operator is a kernel of the engine, with the same operands in the same order.

        `same` are attributes that the kernel has by their own names, `renamed` by others.
        """
        names = {**{n: n for n in same}, **renamed}
        if unknown := names.keys() - operator.attributes.keys():
            raise TypeError(f"{kernel} is told {', '.join(unknown)}: not in {_schema(operator)}")

        def lowering(g: Program[R], *inputs: Value | None, **attributes: Plain) -> R | Sequence[R]:
            return g.native(kernel, inputs, {names[k]: v for k, v in attributes.items()})

        bound = _bind_names(operator, lowering, (), (*names,), implied, {}, takes_rest=True)
        self._add(operator, bound)

    def natives(self, kernels: Mapping[Operator[object], str]) -> None:
        """Operators without attributes that are kernels of the engine."""
        for operator, kernel in kernels.items():
            self.native(operator, kernel)

    def decompose(self, operator: Operator[object], *ways: Way) -> None:
        """Decompositions that suit the engine better than the operator's own: where no lowering
        takes an operation, they are tried first."""
        if operator in self.ways:
            raise ValueError(f"{operator.name} is decomposed twice")
        self.ways[operator] = ways

    def fuse(self, function: Callable[[E, R, Fuse], R]) -> Callable[[E, R, Fuse], R]:
        """Decorator: the function adds the activation of a fuse code that is not NONE."""
        self.activation = function
        return function

    def fused(self, program: Program[R], result: R, code: Fuse) -> R:
        """A result with the activation of a fuse code; NoLowering where there is none."""
        if code == Fuse.NONE:
            return result
        activation = self._activation()
        if activation is None:
            raise NoLowering(f"{program.device} has no fuse code {code!r}")
        return activation(program, result, code)

    def _activation(self) -> Callable[[Any, R, Fuse], R] | None:
        return self.activation

    def _add(self, operator: Operator[object], lowering: Lowering[R]) -> None:
        if operator in self.entries:
            raise ValueError(f"{operator.name} has two lowerings")
        self.entries[operator] = lowering

    def find(self, operator: Operator[object]) -> Lowering[R] | None:
        """The lowering of an operator, of a plug-in before our own; None where it has none."""
        if self.device and self._outside[0] != REGISTRY.changes:
            self._outside = REGISTRY.changes, self._of_plugins()
        return self._outside[1].get(operator) or self._own(operator)

    def ways_of(self, operator: Operator[object]) -> tuple[Way, ...]:
        """The decompositions of an operator that suit the engine better than its own."""
        return self.ways.get(operator, ())

    def _own(self, operator: Operator[object]) -> Lowering[R] | None:
        return self.entries.get(operator)

    def _of_plugins(self) -> dict[Operator[object], Lowering[R]]:
        """What plug-ins bring for the device."""
        found: dict[Operator[object], Lowering[R]] = {}
        for plugin, table in REGISTRY.of("lowerings", self.device):
            if not isinstance(table, Lowerings):
                raise BadInput(f"{plugin}: the lowerings for {self.device} are no Lowerings")
            found = {**table.entries, **found}
            if replaced := sorted(o.name for o in table.entries if self._own(o)):
                text = f"{plugin} lowers {', '.join(replaced)} for {self.device} in our place"
                warnings.warn(text, PluginWarning, stacklevel=2)
        return found

    @classmethod
    def merge(cls, tables: Iterable[Lowerings[R]]) -> Lowerings[R]:
        """One table of all; an operator that two of them lower is an error."""
        merged = cls()
        for table in tables:
            for operator, lowering in table.entries.items():
                merged._add(operator, lowering)
            for operator, ways in table.ways.items():
                merged.decompose(operator, *ways)
            merged.activation = merged.activation or table.activation
        return merged


class LateLowerings(Lowerings[R]):
    """The tables of a driver's modules that are named like a family of operators, each of which is
    imported when an operator of that family is asked for.

    Each lowers operators of its family alone, `activation` those of `unary` too; what a fuse code
    adds is in `binary`. `entries` and `ways` import all of them, and are what counts from then on.
    """

    def __init__(self, package: str) -> None:
        self.device = package.rpartition(".")[2]
        self._package = package
        self._tables: dict[str, Lowerings[R] | None] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in ("entries", "ways"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        whole = Lowerings[R].merge(t for t in map(self._table, NAMES) if t is not None)
        self.entries, self.ways = whole.entries, whole.ways
        return vars(self)[name]

    def ways_of(self, operator: Operator[object]) -> tuple[Way, ...]:
        if "ways" in vars(self):
            return super().ways_of(operator)
        found = (table.ways.get(operator) for table in self._tables_of(operator))
        return next(filter(None, found), ())

    def _own(self, operator: Operator[object]) -> Lowering[R] | None:
        if "entries" in vars(self):
            return super()._own(operator)
        found = (table.entries.get(operator) for table in self._tables_of(operator))
        return next(filter(None, found), None)

    def _activation(self) -> Callable[[Any, R, Fuse], R] | None:
        table = self._table("binary")
        return table.activation if table else None

    def _tables_of(self, operator: Operator[object]) -> Iterator[Lowerings[R]]:
        """The tables that may have an operator, the likely one first."""
        for name in ROOMS.get(operator.family, (operator.family,)):
            if (table := self._table(name)) is not None:
                yield table

    def _table(self, name: str) -> Lowerings[R] | None:
        """The table of a family, None where the driver has none."""
        if name not in self._tables:
            module = f"{self._package}.{name}"
            is_there = name in NAMES and find_spec(module) is not None
            self._tables[name] = import_paused(module).table if is_there else None
        return self._tables[name]
