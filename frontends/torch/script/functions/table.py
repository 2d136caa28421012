"""The tables of functions that a TorchScript program calls, and what these share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nnir.errors import BadFile, BadModel

from ..machine import Machine, describe
from ..things import Number, Tensor

LONGEST = 1 << 16
"""Items of a list, letters of a text."""

SHARE = 8
"""So many items or letters that are made cost as much as one step."""

INTEGERS = range(-(1 << 63), 1 << 63)
PLAIN: dict[str, Callable[..., Any]] = {}
"""Functions on numbers, texts, lists and dictionaries, by their names in the code."""

SPECIAL: dict[str, Callable[..., Any]] = {}
"""Operators that ask about tensors, or that converters do not know."""


def plain(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: a function that these names of TorchScript call; it takes the machine first."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PLAIN.update(dict.fromkeys(names, function))
        return function

    return add


def within_limits(value: Any) -> Any:
    """A result that is not larger than what TorchScript has."""
    if type(value) is int and value not in INTEGERS:
        raise BadModel("an integer of more than 64 bits")
    if isinstance(value, (str, list, tuple)) and len(value) > LONGEST:
        raise BadModel(f"a list or text of more than {LONGEST}")
    return value


def is_open(*values: Any) -> bool:
    """Whether some of the values are numbers that are only known while running."""
    return any(isinstance(v, Number) for v in values)


def require(kinds: Any, *values: Any) -> None:
    """BadFile where a value is not of a kind that is wanted."""
    for value in values:
        if not isinstance(value, kinds) or isinstance(value, (Tensor, Number)):
            raise BadFile(f"{describe(value)} where another kind of value is needed")


def special(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator: what tensors go into and these names call; NotImplemented leaves it to others."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        SPECIAL.update(dict.fromkeys(names, function))
        return function

    return add


@functools.cache
def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """The parameters of a function of these tables."""
    return inspect.signature(function)


def call_special(
    machine: Machine, name: str, args: Sequence[Any], keywords: Mapping[str, Any]
) -> Any:
    """Call what tensors go into; NotImplemented where there is no such function for them."""
    function = SPECIAL.get(name)
    if function is None:
        return NotImplemented
    try:
        bound = signature_of(function).bind(machine, *args, **keywords)
    except TypeError as error:
        raise BadFile(f"{name} of ({', '.join(map(describe, args))}): {error}") from None
    return function(*bound.args, **bound.kwargs)


def call_plain(
    machine: Machine, name: str, args: Sequence[Any], keywords: Mapping[str, Any]
) -> Any:
    """Call a function of this table; what Python refuses of its values is the program's fault."""
    for value in (*args, *keywords.values()):
        if isinstance(value, (list, tuple, dict)):
            machine.spend(len(value) // SHARE)
    try:
        bound = signature_of(PLAIN[name]).bind(machine, *args, **keywords)
    except TypeError as error:
        raise BadFile(f"{name} of ({', '.join(map(describe, args))}): {error}") from None
    try:
        found = PLAIN[name](*bound.args, **bound.kwargs)
    except (ValueError, ArithmeticError) as error:
        raise BadModel(f"{name} of ({', '.join(map(describe, args))}): {error}") from None
    if isinstance(found, (list, tuple, dict)) or type(found) is str:
        machine.spend(len(found) // SHARE)
    return found
