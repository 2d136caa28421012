"""Functions of TorchScript on texts."""

from __future__ import annotations

from typing import Any

from nnir.errors import BadModel

from ..machine import Machine, describe
from ..things import Instance, Items, Number, Tensor
from .table import LONGEST, plain, require, within_limits


@plain("str")
def to_str(machine: Machine, a: Any) -> str:
    return text_of(a)


def text_of(a: Any) -> str:
    """A value as TorchScript prints it, as far as messages need it."""
    if isinstance(a, (Tensor, Number, Instance)):
        return f"<{describe(a)}>"
    if isinstance(a, (list, tuple)):
        inner = ", ".join(map(text_of, a[:100]))
        return f"[{inner}]" if isinstance(a, list) else f"({inner})"
    return str(a)[:LONGEST]


@plain("format")
def format_(machine: Machine, text: Any, *args: Any) -> str:
    """Every `{}` is an argument in turn; nothing else in the text has a meaning."""
    require(str, text)
    parts = text.split("{}")
    pieces = [parts[0]]
    for position, part in enumerate(parts[1:]):
        pieces += [text_of(args[position]) if position < len(args) else "{}", part]
    return str(within_limits("".join(pieces)))


@plain("percentFormat")
def percent_format(machine: Machine, text: Any, *args: Any) -> str:
    require(str, text)
    return str(within_limits(f"{text} {' '.join(map(text_of, args))}"))


def _of_text(name: str) -> None:
    function = getattr(str, name)

    @plain(name)
    def compute(machine: Machine, text: Any, *args: Any) -> Any:
        require(str, text, *(a for a in args if not isinstance(a, (int, list, type(None)))))
        found = function(text, *args)
        return within_limits(Items(found, machine.region) if isinstance(found, list) else found)


for _name in (
    *("lower", "upper", "startswith", "endswith", "strip", "lstrip", "rstrip", "split", "isdigit"),
    *("isalpha", "isupper", "islower", "find", "capitalize", "title"),
):
    _of_text(_name)


@plain("join")
def join(machine: Machine, text: Any, items: Any) -> str:
    require(str, text, *items)
    if sum(map(len, items)) + len(text) * len(items) > LONGEST:
        raise BadModel("a text that is too long")
    return str(text).join(items)


@plain("ord")
def ord_(machine: Machine, text: Any) -> int:
    require(str, text)
    return ord(text)
