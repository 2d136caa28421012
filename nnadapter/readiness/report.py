"""What `check` answers, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from nnir.errors import NNAdapterError, Refusal, summary
from nnir.provenance import Place, Provenance
from nnir.records import dataclass

Kind = tuple[str, str, str, str]
"""The operator, that of the source, the precision and the attributes of what is refused."""


@dataclass(frozen=True)
class Node:
    """A node of the source: its name, the path of its module, and its line of code."""

    name: str
    module: str = ""
    line: str = ""

    def __str__(self) -> str:
        places = [f"module {self.module}"] if self.module else []
        places += [self.line] if self.line else []
        return f"{self.name} ({', '.join(places)})" if places else self.name


@dataclass(frozen=True)
class Missing:
    """One kind of thing that stands in the way, why, and the nodes where it does.

    `source` is the operator in the source, `operator` the standard's; what is not known is empty.
    An operator that is written in others has a reason for each of them.
    """

    why: tuple[str, ...]
    operator: str
    source: str
    precision: str
    attributes: str
    count: int
    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class Cure:
    """A command that does what the model is refused, or the nearest to it: each was tried, up to
    writing and proving the file, or to running. FILE stands for the source."""

    command: str
    effect: str


@dataclass(frozen=True)
class FixedSize:
    """A size that is open in the source and a number in the target."""

    end: str
    axis: int
    source: str
    size: int
    because: str

    def __str__(self) -> str:
        place = f"{self.end}, axis {self.axis}"
        return f"{place}: {self.source} became constant here, {self.size}, because {self.because}"


@dataclass(frozen=True)
class Part:
    """A part of a model that a device runs: its operators with their counts, and its nodes."""

    device: str
    operations: int
    operators: dict[str, int]
    nodes: tuple[str, ...]


@dataclass(frozen=True)
class Copy:
    """A value that one part makes and another one reads."""

    value: str
    type: str
    source: str
    target: str


@dataclass(frozen=True)
class Answer:
    """Whether `convert` writes a file, or `compile` makes a program: `error` is what it says else.

    `asked` is the name of the file, or of the devices with commas between. `fixed` lists the sizes
    that become numbers; `parts` and `copies` say what falls to which device. `doubts`: what a
    device that compiles when sizes are known is likely to refuse then.
    """

    asked: str
    is_target: bool
    error: str = ""
    missing: tuple[Missing, ...] = ()
    cures: tuple[Cure, ...] = ()
    fixed: tuple[FixedSize, ...] = ()
    parts: tuple[Part, ...] = ()
    copies: tuple[Copy, ...] = ()
    doubts: tuple[Missing, ...] = ()

    def __bool__(self) -> bool:
        return not self.error


@dataclass(frozen=True)
class Readiness:
    """The answers on one model, in the order of the questions; true where all of them are yes."""

    model: str
    operations: int
    answers: tuple[Answer, ...]

    def __bool__(self) -> bool:
        return all(self.answers)

    def as_dict(self) -> dict[str, Any]:
        """All of it for JSON."""
        rows = [{"yes": bool(answer), **asdict(answer)} for answer in self.answers]
        return {"model": self.model, "operations": self.operations, "answers": rows}


def group(errors: Iterable[NNAdapterError], known: Provenance) -> tuple[Missing, ...]:
    """What errors list, alike things together, the most frequent first."""
    reasons: dict[tuple[Node, Kind], dict[str, None]] = {}
    for error in errors:
        for found in error.refusals or (Refusal(summary(error)),):
            source = found.source or known.operators.get(found.node, "")
            kind = found.operator, source, found.precision, found.attributes
            reasons.setdefault((_node(found, known), kind), {})[found.why] = None
    groups: dict[tuple[tuple[str, ...], Kind], list[Node]] = {}
    for (node, kind), why in reasons.items():
        groups.setdefault((tuple(why), kind), []).append(node)
    rows = [
        Missing(why, *kind, len(nodes), tuple(n for n in nodes if n.name))
        for (why, kind), nodes in groups.items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.count))


def _node(found: Refusal, known: Provenance) -> Node:
    place = known.places.get(found.node, Place())
    return Node(found.node, found.module or place.module, found.line or place.line)
