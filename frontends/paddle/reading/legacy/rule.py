"""How a legacy operator becomes one of PIR: by the names of its slots and attributes.

Most differ in the names only: `X` is `x`, `OutSize` is `out_size`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nnir.errors import BadFile, BadModel
from nnir.types import Precision

from .. import opdefs, params
from ..opdefs import OpDef
from . import defs
from .call import Call, Rule

TYPES = frozenset({"dtype", "out_dtype", "in_dtype"})
"""Attributes that are element types."""


class Rules(dict[str, Rule]):
    """Rules by operator."""

    def add(self, *names: str) -> Callable[[Rule], Rule]:
        """Decorator: a function is the rule of `names`."""

        def put(rule: Rule) -> Rule:
            for name in names:
                if name in self:
                    raise ValueError(f"{name} has two rules")
                self[name] = rule
            return rule

        return put

    def same(self, *names: str) -> None:
        """Operators that PIR has under the same name."""
        for name in names:
            self.add(name)(same(name))


def snake(name: str) -> str:
    """`OutSize` as arguments are called: `out_size`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def argument(slot: str, names: Sequence[str]) -> str:
    """The argument that a slot is by its name: `OutSize` is `out_size`, `BBoxes` is `bboxes`."""
    return snake(slot) if snake(slot) in names else slot.lower()


def same(
    op: str,
    slots: Mapping[str, str] | None = None,
    attributes: Mapping[str, str] | None = None,
    results: Sequence[str] | None = None,
    **fixed: Any,
) -> Rule:
    """A rule for an operator that PIR has with the same meaning.

    `slots` and `attributes` say the arguments' names where they are not those of the program in
    small letters, "" what does not matter; `results` the output slots in PIR's order where it is
    another.
    """

    def rule(call: Call) -> None:
        definition = opdefs.find(op)
        if definition is None:
            raise BadModel(f"PIR has no {op}")
        arguments = dict(fixed) | bind_slots(call, definition, slots or {}, attributes or {})
        slots_of_results = defs.find(call.op.type).outputs[: len(definition.results)]
        call.node(op, arguments, results or slots_of_results)

    return rule


def bind_slots(
    call: Call, definition: OpDef, slots: Mapping[str, str], attributes: Mapping[str, str]
) -> dict[str, Any]:
    """The inputs and attributes of a program that an operator of PIR has as arguments."""
    own = defs.find(call.op.type)
    names, defaults = definition.arguments, definition.defaults
    arguments: dict[str, Any] = {}
    for slot, is_list in own.inputs.items():
        name = slots.get(slot) or argument(slot, names)
        if name in names and call.has(slot):
            arguments[name] = call.many(slot) if is_list else call.one(slot)
    for attribute in own.attributes:
        name = attributes.get(attribute, attribute)
        if name in names and name not in arguments:
            value = call.attribute(attribute)
            if attribute in TYPES:
                value = element(value)
            if value is not None:
                arguments[name] = value
        elif name in arguments or not name:
            call.ignore(attribute)
    absent = (n for n in definition.operands if n not in arguments and n not in defaults)
    arguments |= dict.fromkeys(absent)
    if "is_test" in names:
        arguments["is_test"] = bool(call.attribute("is_test", False))
    return arguments


def element(code: Any) -> Precision | None:
    """An element type; None for -1, which leaves it to the operator."""
    if isinstance(code, Precision) or code is None:
        return code
    if not isinstance(code, int):
        raise BadFile(f"the element type {code!r}")
    return None if code < 0 else params.precision(code)


def whole(call: Call, attribute: str, *slots: str) -> Any:
    """Integers: of the first slot that is given, else the attribute.

    A slot is one tensor, or a list of tensors of one element each.
    """
    call.ignore(attribute, *slots)
    own = defs.find(call.op.type)
    for slot in slots:
        if not call.has(slot):
            continue
        if not own.inputs.get(slot):
            return call.one(slot)
        return [call.value("cast", x=v, dtype=Precision.INT64) for v in call.many(slot)]
    found = call.attribute(attribute)
    return found if found is not None else []
