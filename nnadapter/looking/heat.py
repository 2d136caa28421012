"""What a result says of the operations of a graph, as colours and in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from nnir.model import Operation
from nnir.records import dataclass

from .graph import OUTPUT, ROOT, Graph, Node

LEVELS = 7
"""So many colours, from hardly any to the most."""

NOTHING, WRONG = -1, LEVELS
TOP = 12


@dataclass(frozen=True)
class Mark:
    """What is said of one operation: how strong its colour is (0 to 1), and its text.

    `amount` orders operations and adds up in modules where the heat does (`adds_up`).
    """

    share: float
    text: str
    amount: float
    details: tuple[tuple[str, str], ...] = ()
    is_wrong: bool = False


@dataclass(frozen=True)
class Heat:
    """A result on a graph. `marks` are by operation, or by the name of an output."""

    title: str
    ends: tuple[str, str]
    top: str
    marks: Mapping[Operation | str, Mark]
    summary: list[tuple[str, str]] = field(default_factory=list)
    adds_up: bool = False


def data_of_heat(graph: Graph, heat: Heat) -> dict[str, object]:
    """For the page: a level and a text for each node and module, and where to look first."""
    marks = [_mark_of(node, heat) for node in graph.nodes]
    levels = [NOTHING if m is None else _level(m.share, is_wrong=m.is_wrong) for m in marks]
    texts = ["" if m is None else m.text for m in marks]
    for level, text in _modules(graph, marks, heat):
        levels.append(level)
        texts.append(text)
    places = [k for k, m in enumerate(marks) if m is not None and (m.amount > 0 or m.is_wrong)]
    places.sort(key=lambda k: _order(marks[k]))
    return {
        "title": heat.title,
        "ends": heat.ends,
        "levels": levels,
        "texts": texts,
        "details": {k: m.details for k, m in enumerate(marks) if m is not None and m.details},
        "top": [heat.top, places[:TOP]],
    }


def _order(mark: Mark | None) -> tuple[bool, float]:
    return (True, 0.0) if mark is None else (not mark.is_wrong, -mark.amount)


def _mark_of(node: Node, heat: Heat) -> Mark | None:
    if node.operation is not None:
        return heat.marks.get(node.operation)
    return heat.marks.get(node.name) if node.kind == OUTPUT else None


def _modules(graph: Graph, marks: Sequence[Mark | None], heat: Heat) -> Iterator[tuple[int, str]]:
    """The worst of what is in a module, or all of it together."""
    inside: list[list[Mark]] = [[] for _ in graph.modules]
    for node, mark in zip(graph.nodes, marks, strict=True):
        module = node.module
        while mark is not None:
            inside[module].append(mark)
            if module == ROOT:
                break
            module = graph.modules[module].parent
    for several in inside:
        if not several:
            yield NOTHING, ""
        elif heat.adds_up:
            amount = sum(m.amount for m in several)
            yield _level(math.sqrt(min(amount, 1)), is_wrong=False), f"{amount:.0%} of the time"
        else:
            worst = min(several, key=_order)
            yield _level(worst.share, is_wrong=worst.is_wrong), worst.text


def _level(share: float, *, is_wrong: bool) -> int:
    return WRONG if is_wrong else min(int(share * LEVELS), LEVELS - 1)
