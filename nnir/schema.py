"""What an operator takes: operands and attributes with their types, read off a signature."""

from __future__ import annotations

import inspect
import numbers
from collections.abc import Callable, Mapping
from enum import Enum, IntEnum
from functools import cache, cached_property
from types import FunctionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from .errors import BadType
from .types import TensorType

Rule = Callable[..., TensorType | tuple[TensorType, ...]]
PLAIN = (bool, int, float, str)
NOTHING: frozenset[type] = frozenset()


class Pattern(Enum):
    """Which elements of the operands an element of a result is computed from."""

    ELEMENTWISE = "elementwise"
    """Those at its own place, after broadcasting."""
    MOVEMENT = "movement"
    """One, of another place: nothing is computed, unless updates are combined."""
    COMBINING = "combining"
    """Many, as in sums, products of matrices and windows."""


class Parts(NamedTuple):
    """The parameters of a rule, by what they stand for; `names` are all in their order."""

    tensors: tuple[str, ...]
    variadic: str | None
    required: int
    attributes: dict[str, Any]
    names: tuple[str, ...]


def _parts_of(rule: Rule) -> Parts:
    """The parameters of a rule. The code of a plain function says them in a tenth of the time that
    `inspect.signature` takes, and a program asks for those of a hundred rules at its start."""
    if type(rule) is FunctionType and not vars(rule):
        code, empty = rule.__code__, inspect.Parameter.empty
        has_others = code.co_posonlyargcount or code.co_flags & inspect.CO_VARKEYWORDS
        if not has_others:
            names, count = code.co_varnames, code.co_argcount
            behind = count + code.co_kwonlyargcount
            rest = names[behind] if code.co_flags & inspect.CO_VARARGS else None
            defaults = rule.__kwdefaults__ or {}
            attributes = {n: defaults.get(n, empty) for n in names[count:behind]}
            order = (*names[:count], *([rest] if rest else []), *attributes)
            required = count - len(rule.__defaults__ or ())
            return Parts(names[:count], rest, required, attributes, order)
    given = inspect.signature(rule).parameters
    tensors = tuple(n for n, p in given.items() if p.kind is p.POSITIONAL_OR_KEYWORD)
    return Parts(
        tensors,
        next((n for n, p in given.items() if p.kind is p.VAR_POSITIONAL), None),
        sum(given[n].default is inspect.Parameter.empty for n in tensors),
        {n: p.default for n, p in given.items() if p.kind is p.KEYWORD_ONLY},
        tuple(given),
    )


class Schema:
    """The operands and attributes of an operator: the parameters of its type rule.

    Positional ones are tensors of the graph (None where optional and absent), keyword-only ones
    are compile-time constants. `order` is the order of the operands in the standard where the
    signature cannot show it (a constant between two tensors).
    """

    def __init__(self, rule: Rule, order: tuple[str, ...] | None = None) -> None:
        self.name = rule.__name__.removesuffix("_").upper()
        self.rule = rule
        self._order = order

    @cached_property
    def signature(self) -> inspect.Signature:
        return inspect.signature(self.rule)

    @cached_property
    def hints(self) -> Mapping[str, Any]:
        return get_type_hints(self.rule, include_extras=True)

    @cached_property
    def _parts(self) -> Parts:
        return _parts_of(self.rule)

    @cached_property
    def tensors(self) -> tuple[str, ...]:
        """Names of the tensor parameters, without a variadic one."""
        return self._parts.tensors

    @cached_property
    def variadic(self) -> str | None:
        """Name of the parameter that takes any number of tensors."""
        return self._parts.variadic

    @cached_property
    def required(self) -> int:
        """How many tensors must be given."""
        return self._parts.required

    @cached_property
    def attributes(self) -> dict[str, Any]:
        """Names of the compile-time constants and their defaults (`inspect.Parameter.empty`)."""
        return self._parts.attributes

    @cached_property
    def floats(self) -> frozenset[str]:
        """Attributes that are one float: a Python int is taken too."""
        kinds = {n: (self.hints[n], *get_args(self.hints[n])) for n in self.attributes}
        return frozenset(n for n, hints in kinds.items() if float in hints and int not in hints)

    @cached_property
    def flags(self) -> frozenset[str]:
        """Attributes that are a truth value: 0 and 1 are taken too."""
        kinds = {n: (self.hints[n], *get_args(self.hints[n])) for n in self.attributes}
        return frozenset(n for n, hints in kinds.items() if bool in hints and int not in hints)

    @cached_property
    def enums(self) -> dict[str, type[IntEnum]]:
        """Attributes whose values are codes of the standard."""
        found = {}
        for name in self.attributes:
            hint = self.hints[name]
            for kind in (hint, *get_args(hint)):
                if isinstance(kind, type) and issubclass(kind, IntEnum):
                    found[name] = kind
        return found

    @cached_property
    def own_dtypes(self) -> dict[str, type[np.generic]]:
        """Tensor parameters of one type: Python numbers given for them become this type."""
        names = [*self.tensors, *([self.variadic] if self.variadic else [])]
        found = {}
        for name in names:
            hint = self.hints[name]
            for kind in (hint, *get_args(hint)):
                if metadata := getattr(kind, "__metadata__", None):
                    found[name] = metadata[0]
        return found

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """The names of all operands in the order of the standard."""
        return self._order or self._parts.names

    @cached_property
    def is_list(self) -> bool:
        """Whether the number of outputs depends on the operands: the result is always a tuple."""
        return "..." in str(self.signature.return_annotation)

    @cached_property
    def takes_gaps(self) -> bool:
        """Whether the variadic parameter takes None."""
        return self.variadic is not None and type(None) in get_args(self.hints[self.variadic])

    @cached_property
    def _unbound(self) -> dict[str, Any]:
        """The attributes with their defaults, codes as such."""
        return {n: self._as_code(n, default) for n, default in self.attributes.items()}

    @cached_property
    def _usual(self) -> dict[str, frozenset[type]]:
        """What the attributes are annotated with, where that is a plain type or codes of the
        standard, with None or without: values of these are taken as they are."""
        options = {n: {*get_args(self.hints[n])} or {self.hints[n]} for n in self.attributes}
        enums = self.enums
        return {
            n: frozenset(kinds)
            for n, kinds in options.items()
            if len(own := kinds - {type(None)}) == 1 and own <= {*PLAIN, enums.get(n)}
        }

    @cached_property
    def _rows(self) -> dict[str, frozenset[type]]:
        """The type of the elements of attributes that are any number of one plain type: tuples of
        these are taken as they are."""
        rows = {n: (h, *get_args(h)) for n, h in self.hints.items() if n in self.attributes}
        found = {n: [get_args(h) for h in hs if get_origin(h) is tuple] for n, hs in rows.items()}
        return {
            n: frozenset(kinds[0][:1])
            for n, kinds in found.items()
            if len(kinds) == 1 and kinds[0][0] in PLAIN and kinds[0][1:] == (...,)
        }

    @cached_property
    def _necessary(self) -> tuple[str, ...]:
        """The attributes that have no default."""
        return tuple(n for n, v in self.attributes.items() if v is inspect.Parameter.empty)

    def bind_attributes(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes with defaults filled in; BadType for an unknown or missing one."""
        bound, usual, rows = self._unbound.copy(), self._usual, self._rows
        for name, value in given.items():
            if name not in bound:
                raise BadType(f"{self.name.lower()} has no attribute {name!r}; {self.signature}")
            kind = type(value)
            is_usual = kind in usual.get(name, NOTHING) or (
                kind is tuple and name in rows and rows[name].issuperset(map(type, value))
            )
            bound[name] = value if is_usual else self._as_annotated(name, value)
        if self._necessary and (missing := [n for n in self._necessary if n not in given]):
            raise BadType(f"{self.name.lower()} needs {', '.join(missing)}")
        return bound

    def _as_annotated(self, name: str, value: Any) -> Any:
        """The value of an attribute as its annotation says; BadType where it is none of these."""
        plain = _plain(value)
        if name in self.floats and type(plain) is int:
            plain = float(plain)
        elif name in self.flags and plain in (0, 1):
            plain = bool(plain)
        plain = self._as_code(name, plain)
        if plain is not self.attributes[name] and not _test_of(self.hints[name])(plain):
            what = f"{name}={plain!r:.80} of {self.name.lower()}"
            raise BadType(f"{what}, not {self.hints[name]}")
        return plain

    def _as_code(self, name: str, value: Any) -> Any:
        kind = self.enums.get(name)
        if kind is None or not isinstance(value, int):
            return value
        return _code(kind, value, f"{name} of {self.name.lower()}")


def _plain(value: Any) -> Any:
    """Lists as tuples, and NumPy's numbers as Python's."""
    if isinstance(value, (list, tuple)):
        return tuple(map(_plain, value))
    return value.item() if isinstance(value, np.generic) else value


@cache
def _test_of(hint: Any) -> Callable[[Any], bool]:
    """Whether a constant is what an annotation says; NumPy's numbers are numbers."""
    options = get_args(hint)
    if get_origin(hint) is tuple:
        is_element = _test_of(options[0])
        return lambda value: isinstance(value, tuple) and all(map(is_element, value))
    if options:
        tests = [_test_of(option) for option in options]
        return lambda value: any(test(value) for test in tests)
    if hint is Any or not isinstance(hint, type):
        return lambda value: True
    if hint is bool:
        return lambda value: isinstance(value, bool)
    if hint in (int, float):
        kind = numbers.Integral if hint is int else numbers.Real
        return lambda value: isinstance(value, kind) and not isinstance(value, bool)
    return lambda value: isinstance(value, hint)


def _code(kind: type[IntEnum], value: int, what: str) -> IntEnum:
    try:
        return kind(value)
    except ValueError:
        codes = ", ".join(f"{k.value} {k.name}" for k in kind)
        raise BadType(f"{what} is {value!r}, not one of {codes}") from None
