"""A legacy operator where it stands in its program, as its rule sees it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from nnir.errors import BadModel, Unsupported
from nnir.records import dataclass

from ....source import Ref, SourceGraph, SourceNode, refs
from ..desc import Name, Op
from . import defs

Env = dict[str, Any]
"""What variables hold: names of values, what is pending."""


@dataclass(frozen=True)
class Pending:
    """What a conditional block writes: whoever selects between two of these makes an `if`."""

    block: int
    name: str
    env: Mapping[str, Any]


@dataclass
class Call:
    """An operator where it stands: what its rule reads and makes.

    `fresh` gives a name for what is written to a variable.
    """

    fresh: Callable[[str], str]
    op: Op
    env: Env
    graph: SourceGraph
    read: set[str] = field(default_factory=set)

    def has(self, slot: str) -> bool:
        """Whether an input is given."""
        return bool(self.op.inputs.get(slot))

    def many(self, slot: str) -> list[Any]:
        """The values of an input that is a list."""
        self.read.add(slot)
        return [value(self.env, n, self.op) for n in self.op.inputs.get(slot, ())]

    def one(self, slot: str) -> Any:
        """The value of an input; None where it is absent."""
        found = self.many(slot)
        return found[0] if found else None

    def attribute(self, name: str, default: Any = None) -> Any:
        """An attribute of the program; one that is missing in it has Paddle's default.

        Attributes may be variables.
        """
        self.read.add(name)
        if name not in self.op.attributes:
            return defs.find(self.op.type).attributes.get(name, default)
        found = self.op.attributes[name]
        if isinstance(found, Name):
            return value(self.env, found, self.op)
        if isinstance(found, list) and found and isinstance(found[0], Name):
            return [value(self.env, n, self.op) for n in found]
        return found

    def ignore(self, *names: str) -> None:
        """Let inputs or attributes be that do not matter."""
        self.read.update(names)

    def finish(self) -> None:
        """Unsupported where an input or an attribute that matters was not read."""
        unread = [s for s in self.op.inputs if s not in self.read and self.has(s)]
        known = defs.find(self.op.type).attributes
        unread += [
            f"{n}={v!r}"[:60]
            for n, v in self.op.attributes.items()
            if n not in self.read and (fuses(n, v) or (n in known and changes(n, v, known[n])))
        ]
        if unread:
            raise Unsupported(f"{self.op.type} with {', '.join(unread)}")

    def node(self, op: str, arguments: Mapping[str, Any], results: Sequence[str]) -> list[Ref]:
        """Note a PIR operator; `results` are slots in its order, "" for what is not written.

        A slot with several variables is a list of results.
        """
        outputs: list[str] = []
        for slot in results:
            names = self.op.outputs.get(slot, []) if slot else []
            made = [self.fresh(n) for n in names] or [""]
            self.env.update(zip(names, map(Ref, made), strict=False))
            outputs += made
        label = f"{self.op.type}_{next((o for o in outputs if o), '')}"
        given = dict(arguments)
        self.graph.nodes.append(SourceNode(op, refs(given), outputs, given, label))
        return [Ref(o) for o in outputs]

    def value(self, op: str, **arguments: Any) -> Ref:
        """Note an operator whose one result is only used by this rule."""
        name = self.fresh(self.op.type)
        self.graph.nodes.append(SourceNode(op, refs(arguments), [name], dict(arguments), name))
        return Ref(name)

    def bind(self, slot: str, entry: Any) -> None:
        """Let the variables of an output be a value that exists."""
        for name in self.op.outputs.get(slot, ()):
            self.env[name] = entry


Rule = Callable[[Call], None]
HOW = frozenset({"force_cpu", "place_type", "im2col_step", "numeric_stable_mode", "infer_flags"})
"""Attributes that say how to compute, not what."""


FUSED = re.compile(r"fuse_(with_)?(relu|brelu|activation|residual_connection)$|with_act$|act_type$")
"""Attributes with which passes of Paddle put other operators into one."""


def fuses(name: str, given: Any) -> bool:
    """Whether an attribute says that another operator follows in the same one."""
    return bool(given) and given != "identity" and FUSED.match(name) is not None


def changes(name: str, given: Any, known: Any) -> bool:
    """Whether an attribute matters and is not what it is by default."""
    if isinstance(given, float) and isinstance(known, float):
        return abs(given - known) > 1e-6 * abs(known)
    return name not in HOW and bool(given != known)


def value(env: Env, name: str, op: Op) -> Any:
    """What a variable holds now."""
    found = env.get(name)
    if found is None or isinstance(found, Pending):
        raise BadModel(f"{op.type} reads {name!r}, which nothing wrote")
    return found
