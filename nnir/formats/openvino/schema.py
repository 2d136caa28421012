"""The table of operators: a rule for what each gives, whose signature is its schema.

Positional parameters are what a node reads; keyword-only ones are its attributes, in the order
that OpenVINO writes them in, with its defaults.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, NewType, get_args, get_type_hints

import numpy as np

from ...errors import NoLowering
from ...records import dataclass
from .elements import Type, type_of
from .graph import End, Output
from .operands import Operand
from .values import Function

Single = NewType("Single", float)
"""An attribute in float32."""

Capitals = NewType("Capitals", str)
"""A word that is written in capital letters."""

Ints = tuple[int, ...]
Words = tuple[str, ...]

Rule = Callable[..., "End | list[End]"]

READERS: dict[Any, Callable[[Any], Any]] = {
    bool: bool,
    int: int,
    float: float,
    str: str,
    Single: lambda v: float(np.float32(v)),
    Capitals: lambda v: str(v).upper(),
    Ints: lambda v: tuple(int(k) for k in v),
    Words: lambda v: tuple(str(k) for k in v),
    Type: type_of,
}
"""How an attribute is read, by its annotation."""


@dataclass(frozen=True)
class Field:
    """An attribute: its name in files, how it is read, its default."""

    name: str
    read: Callable[[Any], Any]
    default: Any


@dataclass(frozen=True)
class Kind:
    """An operator: its name, the set that it came with, what it gives, and its attributes."""

    name: str
    version: str
    rule: Rule
    fields: Mapping[str, Field]
    operands: Mapping[str, Operand | None]
    least: int
    most: int
    value: Function | None = None

    def require(self, inputs: Sequence[Output]) -> None:
        """NoLowering for operands that it does not take."""
        if not self.least <= len(inputs) <= self.most:
            raise NoLowering(f"openvino: {self.name} of {len(inputs)} operands, not {self.least}")
        for (key, wanted), given in zip(self.operands.items(), inputs, strict=False):
            if wanted is not None:
                wanted.require(self.name, key, given)

    def bind(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes by their parameters; those that are not there are passed over."""
        own = {k.replace("-", "_"): v for k, v in given.items()}
        made = {}
        for name, about in self.fields.items():
            if name in own:
                made[name] = about.read(own[name])
            elif about.default is inspect.Parameter.empty:
                raise NoLowering(f"openvino: {self.name} needs the attribute {about.name}")
            else:
                made[name] = about.default
        return made


@dataclass
class Table:
    """Operators by name, of one family."""

    kinds: dict[str, Kind] = field(default_factory=dict)

    def kind(
        self,
        *names: str,
        since: int = 1,
        dashed: Iterable[str] = (),
        value: Function | None = None,
    ) -> Callable[[Rule], Rule]:
        """Register a rule for operators of one version; `dashed` attributes have `-` for `_`."""

        def register(rule: Rule) -> Rule:
            for name in names:
                self._add(name, since, rule, frozenset(dashed), value)
            return rule

        return register

    def _add(
        self, name: str, since: int, rule: Rule, dashed: frozenset[str], value: Function | None
    ) -> None:
        if name in self.kinds:
            raise ValueError(f"{name} is there already")
        hints = get_type_hints(rule, include_extras=True)
        fields: dict[str, Field] = {}
        operands: dict[str, Operand | None] = {}
        least, most = 0, 0
        for key, parameter in inspect.signature(rule).parameters.items():
            if parameter.kind is parameter.VAR_POSITIONAL:
                most = 1 << 30
            elif parameter.kind is parameter.KEYWORD_ONLY:
                written = key.replace("_", "-") if key in dashed else key
                fields[key] = Field(written, READERS[hints[key]], parameter.default)
            else:
                most += 1
                least += parameter.default is parameter.empty
                operands[key] = _operand(hints[key])
        about = f"opset{since}", rule, fields, operands, least, most, value
        self.kinds[name] = Kind(name, *about)


def _operand(hint: Any) -> Operand | None:
    """What an annotation says of an operand, one that may be absent too."""
    for part in (hint, *get_args(hint)):
        for about in getattr(part, "__metadata__", ()):
            if isinstance(about, Operand):
                return about
    return None
