"""The signature of an operator as its definition writes it, for people to read."""

from __future__ import annotations

import inspect
from enum import Enum
from typing import Any

from ..operator import Operator

WIDTH = 88


def signature_of(operator: Operator[Any]) -> str:
    """The whole signature, a parameter a line where it is long."""
    name = operator.name.lower()
    parts: list[str] = []
    for parameter in operator.signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        default = default_of(parameter)
        text = f"{stars}{parameter.name}: {type_of(parameter)}"
        parts.append(f"{text} = {default}" if default else text)
    gives = str(operator.signature.return_annotation).strip("'")
    line = f"{name}({', '.join(parts)}) -> {gives}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f") -> {gives}"


def type_of(parameter: inspect.Parameter) -> str:
    """The type of a parameter."""
    return str(parameter.annotation).strip("'")


def default_of(parameter: inspect.Parameter) -> str:
    """The default of a parameter as one writes it; empty where there is none."""
    value = parameter.default
    if value is parameter.empty:
        return ""
    return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)
