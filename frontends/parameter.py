"""How the parameters of converters take their arguments: what becomes of a constant."""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from nnir.budget import numbers_of
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.numeric import is_real
from nnir.records import dataclass
from nnir.types import Row

Absent = Literal[None]
"""An input or attribute of this type is refused wherever a model gives it."""


class Items(Row):
    """A sequence of tensors of known length."""

    __slots__ = ()


class Gaps(Items):
    """Items of which some may be left out: None stands for those."""

    __slots__ = ()


@dataclass(frozen=True)
class Parameter:
    """How one parameter of a converter takes its argument."""

    name: str
    hint: Any
    default: Any
    optional: bool
    is_value: bool
    is_folded: bool
    is_items: bool
    takes_gaps: bool
    takes_numbers: bool

    @cached_property
    def takes_any_value(self) -> bool:
        """Whether a tensor is taken as it is."""
        return self.is_value and not self.is_folded

    @cached_property
    def takes_anything(self) -> bool:
        """Whether a constant of any kind is taken."""
        return Any in (self.hint, *get_args(self.hint))

    @cached_property
    def takes_elements(self) -> bool:
        """Whether the elements of a tensor are taken, however many."""
        return self.hint is np.ndarray or get_origin(self.hint) is tuple

    @cached_property
    def settled(self) -> frozenset[type]:
        """What is taken as it is, by its exact type, where arguments come by name."""
        found: set[type] = {types.NoneType} if self.optional or self.default is None else set()
        if self.is_folded:
            return frozenset(found | {Value})
        if self.is_items:
            return frozenset(found)
        if self.is_value:
            found.add(Value)
            return frozenset(found | PLAIN - {str} | {complex} if self.takes_numbers else found)
        return frozenset(found | (PLAIN & {self.hint} if isinstance(self.hint, type) else set()))

    @cached_property
    def elements(self) -> frozenset[type]:
        """The type of the elements, where it takes any number of one plain type; else nothing."""
        is_row = get_origin(self.hint) is tuple and get_args(self.hint)[1:] == (...,)
        return PLAIN.intersection(get_args(self.hint)[:1]) if is_row else frozenset()


PLAIN = frozenset({bool, float, int, str})


def parameter_of(parameter: inspect.Parameter, hint: Any) -> Parameter:
    """How a parameter that is annotated so takes its argument."""
    options = get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
    plain = [o for o in options if o is not type(None)]
    is_value = any(o is Value or getattr(o, "__origin__", None) is Value for o in plain)
    main = plain[0] if len(plain) == 1 else hint
    return Parameter(
        name=parameter.name,
        hint=main,
        default=parameter.default,
        optional=len(plain) < len(options) or hint is Absent,
        is_value=is_value,
        is_folded=any(hasattr(o, "__metadata__") for o in plain),
        is_items=Items in plain or Gaps in plain,
        takes_gaps=Gaps in plain,
        takes_numbers=any(o in (int, float, bool, complex) for o in plain),
    )


@dataclass(frozen=True, slots=True)
class Given:
    """What a converter is given for a parameter, in words where a message needs them."""

    converter: str
    parameter: str
    value: Any

    def __str__(self) -> str:
        return f"{self.converter} with {self.parameter}={short(self.value)}"


def coerce(value: Any, parameter: Parameter, converter: str) -> Any:
    """A constant as the type that the parameter is annotated with; BadType for another kind."""
    hint = parameter.hint
    if type(value) is hint and hint in PLAIN:  # as nearly all: they need no text
        return value
    if type(value) is list and (kinds := parameter.elements) and kinds.issuperset(map(type, value)):
        return Row(value)
    what = Given(converter, parameter.name, value)
    if isinstance(value, np.ndarray) and hint is not np.ndarray:
        value = numbers_of(value) if parameter.takes_elements else _scalar(value, what)
    return as_hinted(value, hint, what)


def as_hinted(value: Any, hint: Any, what: Given) -> Any:
    """A constant as an annotation says; BadType for another kind, which is told as `what`."""
    if get_origin(hint) in (Union, types.UnionType):
        return _as_one_of(value, get_args(hint), what)
    hint = getattr(hint, "__supertype__", hint)
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            accepted = " or ".join(map(repr, get_args(hint)))
            raise Unsupported(f"{what}, which is not {accepted}")
        return value
    if get_origin(hint) is tuple and isinstance(value, (list, tuple)):
        (element, *_) = get_args(hint)
        if element in PLAIN and all(type(v) is element for v in value):
            return Row(value)
        return Row(v if element is Any else as_hinted(v, element, what) for v in value)
    if hint in (int, float, bool) and _is_real(value) and (hint is not bool or value in (0, 1)):
        if hint is float or isinstance(value, int) or _is_whole(value):
            return hint(value)
    elif get_origin(hint) is not tuple and (not isinstance(hint, type) or isinstance(value, hint)):
        return value
    raise BadType(f"{what}, which is not {getattr(hint, '__name__', hint)}")


def _as_one_of(value: Any, options: Sequence[Any], what: Given) -> Any:
    """As the option that it is already, else as the first that it can be."""
    if type(value) in options or Any in options:
        return value
    for option in options:
        with suppress(BadType):
            return as_hinted(value, option, what)
    names = " or ".join(str(getattr(o, "__name__", o)) for o in options)
    raise BadType(f"{what}, which is not {names}")


def _is_real(value: Any) -> bool:
    return isinstance(value, (int, float)) or (
        isinstance(value, np.generic) and (value.dtype.kind in "biuf" or is_real(value.dtype))
    )


def _is_whole(value: Any) -> bool:
    return bool(np.isfinite(value)) and value == int(value)


def _scalar(array: np.ndarray, what: Given) -> Any:
    if array.size != 1:
        raise BadType(f"{what}: one element is needed")
    return array.reshape(-1)[0].item()


def short(value: Any) -> str:
    """A value as messages show it."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
