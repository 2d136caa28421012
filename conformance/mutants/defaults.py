"""Arguments that say what their parameter says by default: to leave them out changes nothing."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

MISSING = object()


def says_the_default(module: str, left_out: tuple[str, str, str]) -> bool:
    """Whether a function that a module calls takes a value for a parameter by default.

    `left_out`: the function as the module names it, the parameter or its number, and the value.
    What cannot be found, such as what a local name stands for, says something else.
    """
    called, parameter, text = left_out
    function = _find(_module(module), called)
    signature = _signature(function)
    if signature is None:
        return False
    names = list(signature.parameters)
    if parameter.isdigit():
        parameter = names[int(parameter)] if int(parameter) < len(names) else ""
    default = getattr(signature.parameters.get(parameter), "default", MISSING)
    value = _value(_module(module), text)
    return default is not MISSING and type(default) is type(value) and bool(default == value)


@cache
def _module(name: str) -> ModuleType:
    return import_module(name)


def _find(module: ModuleType, path: str) -> Any:
    """What a dotted name stands for in a module."""
    found: Any = module
    for name in path.split("."):
        found = getattr(found, name, MISSING)
    return found


def _signature(function: Any) -> inspect.Signature | None:
    """The parameters of a function, or of an operator, which has them as an attribute."""
    own = getattr(function, "signature", None)
    if isinstance(own, inspect.Signature):
        return own
    return inspect.signature(function) if inspect.isfunction(function) else None


def _value(module: ModuleType, text: str) -> Any:
    """What is written: a literal or a name."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return _find(module, text)
