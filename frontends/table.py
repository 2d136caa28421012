"""Tables of converters, and the binding of a node's arguments to a converter's signature."""

from __future__ import annotations

import inspect
import keyword
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial
from typing import Any, Literal, NewType, Protocol

import numpy as np

from nnir.errors import BadType, NotConstant, Unsupported
from nnir.model import Index, Model, Value
from nnir.operator import Operator
from nnir.records import dataclass

from .compound import Compound
from .parameter import Absent as Absent
from .parameter import Gaps as Gaps
from .parameter import Given, Parameter, as_hinted, coerce, parameter_of, short
from .parameter import Items as Items

Ints = tuple[int, ...]
Floats = tuple[float, ...]
Pair = tuple[Value, Value]
Maybe = Value | None
"""An input that may be left out."""

Wanted = NewType("Wanted", int)
"""A converter parameter of this type receives the number of outputs that the node names."""


REQUIRED = inspect.Parameter.empty
"""As the default of an attribute: every model has to give it."""

NONE: Mapping[str, object] = types.MappingProxyType({})


class Attributes:
    """Attributes that many operators have alike.

    A converter takes a dataclass that inherits from this as one keyword-only parameter; its fields
    are attributes by their names, types and defaults.
    """


class Prefixed(Attributes):
    """Inputs or attributes whose names begin with that of the parameter, as many operators have.

    `y: Scale` with a field `scale` takes `y_scale`, and with a field `own` what is called `y`. The
    fields of a positional parameter are inputs, one after the other.
    """


@dataclass(frozen=True)
class Withheld:
    """Stands for a result that cannot be given; reading it is an error that says `what` it is."""

    what: str


class Context(Protocol):
    """Where a converter is called: a translator, which knows what is constant."""

    model: Model

    def constant_of(self, value: Value) -> np.ndarray | None:
        """The elements of a value that is known while converting, else None."""


Function = Callable[..., Any]


@dataclass
class Table:
    """Converters by source name and by the version that introduced them.

    `prefix` stands before every name, as the domain of operators that are not the source's own.
    """

    entries: dict[str, dict[int, Converter]] = field(default_factory=dict)
    prefix: str = ""

    def convert(
        self,
        *names: str,
        since: int = 1,
        attributes: Mapping[str, object] = NONE,
        only: Mapping[str, object] = NONE,
        **fixed: object,
    ) -> Callable[[Function], Function]:
        """Decorator: a function whose signature is the source's is the converter of `names`.

        `fixed` are arguments of the function that these operators do not have; `attributes` are
        inputs of the function that are attributes of these operators, as in older versions, with
        their defaults. `only` are attributes that the function does not know, each with the one
        value that is not refused.
        """

        def add(function: Function) -> Function:
            for name in names:
                full = self.prefix + name
                self._add(since, Converter(full, function, fixed, NONE, attributes, only))
            return function

        return add

    def each(
        self,
        names: Mapping[str, object],
        *,
        since: int = 1,
        attributes: Mapping[str, object] = NONE,
        only: Mapping[str, object] = NONE,
        **fixed: object,
    ) -> Callable[[Function], Function]:
        """Decorator: a function converts operators that differ in what it takes first."""

        def add(function: Function) -> Function:
            for name, differing in names.items():
                add_one = self.convert(name, since=since, attributes=attributes, only=only, **fixed)
                add_one(partial(function, differing))
            return function

        return add

    def same(
        self,
        names: Mapping[str, Function],
        *,
        since: int = 1,
        only: Mapping[str, object] = NONE,
        **defaults: object,
    ) -> None:
        """Add operators, or functions, that mean exactly what the source means.

        `defaults` are the source's, where theirs are others; `only` is as in `convert`.
        """
        for name, function in names.items():
            self._add(since, Converter(self.prefix + name, function, NONE, defaults, only=only))

    def named(self, rows: Mapping[str, tuple[Function, str]]) -> None:
        """Add functions, or operators, of a source that calls their parameters otherwise.

        A row has the names that the source has for it, and for the function's first parameters in
        order, all of which a model gives; the others keep their defaults.
        """
        for names, (function, parameters) in rows.items():
            self.convert(*names.split())(rename(function, parameters.split()))

    def _add(self, since: int, converter: Converter) -> None:
        versions = self.entries.setdefault(converter.name, {})
        if since in versions:
            raise ValueError(f"{converter.name} version {since} has two converters")
        versions[since] = converter

    def find(self, name: str, version: int) -> Converter | None:
        """The newest converter not above `version`."""
        versions = self.entries.get(name)
        if versions is None:
            return None
        if len(versions) == 1:
            ((since, converter),) = versions.items()
            return converter if since <= version else None
        return versions.get(max((v for v in versions if v <= version), default=0))

    @classmethod
    def merge(cls, tables: Iterable[Table]) -> Table:
        """One table of all; a converter that two of them define is an error."""
        merged = cls()
        for table in tables:
            for name, versions in table.entries.items():
                mine = merged.entries.setdefault(name, {})
                if mine.keys() & versions.keys():
                    raise ValueError(f"{name} has converters in two families")
                mine.update(versions)
        return merged


def rename(function: Function, names: Sequence[str]) -> Function:
    """A function, or operator, whose first parameters have these names, and no others."""
    target = function.rule if isinstance(function, Operator) else function
    parameters = [*inspect.signature(target, eval_str=True).parameters.values()][: len(names)]
    pairs = list(zip(parameters, names, strict=True))

    def call(**given: object) -> Any:
        args = [given[n] for p, n in pairs if p.kind is not p.KEYWORD_ONLY]
        return function(*args, **{p.name: given[n] for p, n in pairs if p.kind is p.KEYWORD_ONLY})

    kind, required = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
    renamed = [p.replace(name=n, kind=kind, default=required) for p, n in pairs]
    vars(call)["__signature__"] = inspect.Signature(renamed)
    return call


VALUES = frozenset({Value})


class Converter:
    """A function (or an operator) with its signature prepared for binding.

    The source has no argument for what is `fixed`; `defaults` are shown instead of the function's;
    `attributes` are tensors that the source gives as attributes; for what is `only` in the source
    the function has no parameter.
    """

    def __init__(
        self,
        name: str,
        function: Function,
        fixed: Mapping[str, object] = NONE,
        defaults: Mapping[str, object] = NONE,
        attributes: Mapping[str, object] = NONE,
        only: Mapping[str, object] = NONE,
    ) -> None:
        self.name = name
        self.function = function
        self.fixed = dict(fixed)
        self.defaults = {**defaults, **attributes}
        self.attributes = attributes
        self.only = only

    def call(self, /, *args: object, **keywords: object) -> Any:
        """The function with what is fixed, the defaults, and what each group takes."""
        if self.is_plain:  # as most
            return self.function(*args, **keywords)
        given = {**self.fixed, **self.defaults, **keywords}
        if self.has_grouped_inputs:
            given |= zip((p.name for p in self.positional), args, strict=False)
            args = ()
        for name, (kind, fields) in self.groups.items():
            given[name] = kind(**{f: given.pop(n) for f, n in fields.items() if n in given})
        if isinstance(self.function, Operator):  # which takes tensors by their positions
            args = *args, *(given.pop(n) for n in self.attributes)
        return self.function(*args, **given)

    @cached_property
    def is_plain(self) -> bool:
        """Whether the function takes what a node gives as it is."""
        return not (self.fixed or self.defaults or self.groups)

    @cached_property
    def _described(self) -> list[inspect.Parameter]:
        """The parameters that are not fixed."""
        function = self.function
        target = function.rule if isinstance(function, Operator) else function
        parameters = inspect.signature(target, eval_str=True).parameters.values()
        stated = self.fixed.keys() | self.defaults.keys()
        unknown = stated - {p.name for p in parameters}
        if unknown:
            raise TypeError(
                f"{self.name}: its converter does not take {', '.join(sorted(unknown))}"
            )
        return [
            p.replace(
                default=self.defaults.get(p.name, p.default),
                kind=p.KEYWORD_ONLY if p.name in self.attributes else p.kind,
            )
            for p in parameters
            if p.name not in self.fixed
        ]

    @cached_property
    def groups(self) -> dict[str, tuple[Any, dict[str, str]]]:
        """The dataclasses that take several attributes or inputs, by the names of their
        parameters, and what each of their fields is called."""
        return {
            p.name: (p.annotation, _names_in(p))
            for p in self._described
            if isinstance(p.annotation, type) and issubclass(p.annotation, Attributes)
        }

    @cached_property
    def has_grouped_inputs(self) -> bool:
        return any(p.name in self.groups and p.kind is not p.KEYWORD_ONLY for p in self._described)

    @cached_property
    def parameters(self) -> dict[str, tuple[inspect.Parameter, Parameter]]:
        found: list[inspect.Parameter] = []
        for parameter in self._described:
            if parameter.name not in self.groups:
                found.append(parameter)
                continue
            kind, names = self.groups[parameter.name]
            fields = inspect.signature(kind, eval_str=True).parameters.values()
            found += [p.replace(name=names[p.name], kind=parameter.kind) for p in fields]
        keyword = inspect.Parameter.KEYWORD_ONLY
        found += [
            inspect.Parameter(name, keyword, default=value, annotation=Literal[value])
            for name, value in self.only.items()
        ]
        return {p.name: (p, parameter_of(p, p.annotation)) for p in found}

    @cached_property
    def positional(self) -> list[Parameter]:
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return [q for p, q in self.parameters.values() if p.kind is kind]

    @cached_property
    def values(self) -> int:
        """How many of the first inputs may be any tensor."""
        places = enumerate(self.positional)
        return next((k for k, p in places if not p.takes_any_value), len(self.positional))

    @cached_property
    def required(self) -> int:
        """The place of the last input that has no default; those of groups may stand before it."""
        places = enumerate(self.positional, 1)
        return max((k for k, p in places if p.default is inspect.Parameter.empty), default=0)

    @cached_property
    def variadic(self) -> Parameter | None:
        values = self.parameters.values()
        return next((q for p, q in values if p.kind is p.VAR_POSITIONAL), None)

    @cached_property
    def keywords(self) -> dict[str, Parameter]:
        """Keyword-only parameters that attributes fill."""
        found = {n: q for n, (p, q) in self.parameters.items() if p.kind is p.KEYWORD_ONLY}
        return {n: q for n, q in found.items() if n not in self.services}

    @cached_property
    def by_source_name(self) -> dict[str, Parameter]:
        """All parameters by what a source calls them that names every argument, which may be a
        keyword of Python."""
        found = {n: q for n, (_, q) in self.parameters.items()}
        stems = {n.removesuffix("_"): q for n, q in found.items()}
        return found | {n: q for n, q in stems.items() if keyword.iskeyword(n)}

    @cached_property
    def needed(self) -> frozenset[str]:
        """The parameters that have no default."""
        empty = inspect.Parameter.empty
        return frozenset(n for n, (p, _) in self.parameters.items() if p.default is empty)

    @cached_property
    def folded_defaults(self) -> tuple[Parameter, ...]:
        """The parameters whose default is a number that is taken as a tensor."""
        parameters = (q for _, q in self.parameters.values())
        return tuple(q for q in parameters if q.is_folded and isinstance(q.default, int))

    @cached_property
    def necessary(self) -> tuple[str, ...]:
        """Those that have no default."""
        empty = inspect.Parameter.empty
        return tuple(n for n, p in self.keywords.items() if p.default is empty)

    @cached_property
    def services(self) -> dict[str, str]:
        """Keyword-only parameters that the translator fills: `wanted` or `translator`."""
        found = {}
        for name, (parameter, described) in self.parameters.items():
            if parameter.kind is parameter.KEYWORD_ONLY:
                if described.hint is Wanted:
                    found[name] = "wanted"
                elif getattr(described.hint, "__name__", "").endswith("Translator"):
                    found[name] = "translator"
        return found

    def __call__(
        self,
        translator: Context,
        inputs: Sequence[Value | Items | None],
        attributes: Mapping[str, Any],
        wanted: int,
    ) -> Any:
        """Bind and convert; what the function returns."""
        is_usual = self.required <= len(inputs) <= self.values and VALUES.issuperset(
            map(type, inputs)
        )
        args = inputs if is_usual else self._bind_inputs(translator, inputs)
        keywords: dict[str, Any] = {}
        for name, value in attributes.items():
            parameter = self.keywords.get(name)
            if parameter is None:
                raise Unsupported(f"{self.name} with attribute {name}={short(value)}")
            if name not in self.attributes:
                given = coerce(value, parameter, self.name)
                if name not in self.only:
                    keywords[name] = given
        for name, default in self.attributes.items():
            value = attributes.get(name, default)
            is_absent = default is None and isinstance(value, (list, tuple)) and not value
            if not is_absent and value is not None and value is not REQUIRED:
                keywords[name] = self._as_tensor(translator.model, value, self.keywords[name], args)
        for name, service in self.services.items():
            keywords[name] = translator if service == "translator" else wanted
        if self.necessary and (missing := [n for n in self.necessary if n not in keywords]):
            raise BadType(f"{self.name} without attribute {', '.join(missing)}")
        return self.call(*args, **keywords)

    def _as_tensor(
        self, model: Model, value: Any, parameter: Parameter, args: Sequence[Any]
    ) -> Value:
        """An attribute as the tensor that it stands for: positions are an int64 vector, a list of
        numbers is float32, and one number has the precision of the first input."""
        hint = int | Ints if parameter.hint == Index else float | Floats
        number = as_hinted(value, hint, Given(self.name, parameter.name, value))
        if parameter.hint == Index:
            return model.constant(np.atleast_1d(number), np.int64)
        return model.constant(number, np.float32 if isinstance(number, tuple) else args[0].dtype)

    def _bind_inputs(
        self, translator: Context, inputs: Sequence[Value | Items | None]
    ) -> list[Any]:
        positional = self.positional
        while inputs and inputs[-1] is None:
            inputs = inputs[:-1]
        if len(inputs) < self.required or (len(inputs) > len(positional) and not self.variadic):
            raise BadType(f"{self.name} with {len(inputs)} inputs")
        args = []
        for position, value in enumerate(inputs):
            parameter = positional[position] if position < len(positional) else self.variadic
            parameter = parameter or positional[-1]
            if parameter.takes_any_value and type(value) is Value:  # as nearly all do
                args.append(value)
            else:
                args.append(self._bind_input(translator, parameter, value))
        return args

    def _bind_input(
        self, translator: Context, parameter: Parameter, value: Value | Items | None
    ) -> Any:
        if value is None:
            if parameter.default is inspect.Parameter.empty and not parameter.optional:
                raise BadType(f"{self.name} needs {parameter.name!r}")
            return None if parameter.default is inspect.Parameter.empty else parameter.default
        if parameter.hint is Absent:
            raise Unsupported(f"{self.name} with {parameter.name}: it must be left out")
        if isinstance(value, (Items, Compound)):
            if not parameter.is_items:
                raise BadType(f"{self.name} takes a tensor for {parameter.name!r}, not a sequence")
            return value
        if parameter.is_items and not parameter.is_value:
            raise BadType(f"{self.name} takes a sequence for {parameter.name!r}, not a tensor")
        if parameter.is_folded and value.known is None:
            constant = translator.constant_of(value)
            return value if constant is None else translator.model.constant(constant)
        if parameter.is_value:
            return value
        constant = translator.constant_of(value)
        if constant is None:
            raise NotConstant(f"{self.name} needs a constant {parameter.name!r}")
        return coerce(constant, parameter, self.name)


def _names_in(group: inspect.Parameter) -> dict[str, str]:
    """What the fields of a group are called in the source."""
    fields = group.annotation.__dataclass_fields__
    if not issubclass(group.annotation, Prefixed):
        return {f: f for f in fields}
    stem = group.name.removesuffix("_")  # of a keyword of Python
    return {f: stem if f == "own" else f"{stem}_{f}" for f in fields}
