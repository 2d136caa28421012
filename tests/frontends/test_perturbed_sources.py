"""Every frontend on damaged graphs of its cases: a model, or an error of ours.

Each row takes what a reader made of a good case and alters attributes, types and sizes of inputs,
weights, or the operands of a node before it is translated; the seed is the name of the case. The
rows of `test_perturbed` and `test_perturbed_torch` damage cases of two frontends, and run them too.
"""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from conformance.engines.engine import Answer, Engine
from conformance.ledger import FRONTENDS
from conformance.oracles.oracle import Oracle
from conformance.running.suite import missing
from conformance.suites.operators import book
from frontends.source import SourceGraph, SourceNode, SourceValue
from frontends.translate import Translator
from nnir.errors import NNAdapterError
from nnir.model import Model
from nnir.passes import CLEAN, apply
from nnir.types import Precision, TensorType

CASES = 60
ROWS = 6
"""Damaged graphs of each case."""

SIZES = (0, 1, 2, 5)
KINDS = (
    *(Precision.FLOAT32, Precision.FLOAT16, Precision.FLOAT8E5M2, Precision.COMPLEX64),
    *(Precision.INT64, Precision.INT32, Precision.INT8, Precision.UINT64, Precision.BOOL8),
)
VALUES: tuple[Any, ...] = (
    *(0, 1, -1, 2, 7, 2**40, -(2**63), 0.0, -0.5, 1e30, float("nan"), float("inf"), None, True),
    *("", "foo", "SAME", b"x", [], [0], [1], [-1], [2, 3], [1.5], ["a"], [None], [[1]]),
    *(SourceGraph(), Precision.FLOAT16, np.zeros((), np.float32), np.zeros((2, 2), np.int64)),
)


class Damage:
    """Alters a graph in one or two places."""

    def __init__(self, seed: str) -> None:
        self.r = random.Random(seed)

    def __call__(self, graph: SourceGraph) -> None:
        for _ in range(self.r.randint(1, 2)):
            ways: list[Callable[[], None]] = []
            if graph.nodes:
                node = self.r.choice(graph.nodes)
                ways += [partial(self.operands, node), *[partial(self.attribute, node)] * 3]
            if graph.inputs:
                ways += [partial(self.ends, self.r.choice(graph.inputs))] * 2
            if graph.weights:
                ways.append(partial(self.weight, graph))
            if ways:
                self.r.choice(ways)()

    def attribute(self, node: SourceNode) -> None:
        if not node.attributes:
            return
        name = self.r.choice(sorted(node.attributes))
        if self.r.random() < 0.2:
            del node.attributes[name]
        else:
            node.attributes[name] = self.worse(node.attributes[name])

    def worse(self, value: Any) -> Any:
        """Something near a value, or anything."""
        match value:
            case [*items] if items and self.r.random() < 0.6:
                k = self.r.randrange(len(items))
                cut, again = [*items[:k], *items[k + 1 :]], [*items, items[k]]
                return self.r.choice([cut, again, [*items[:k], self.worse(items[k])]])
            case bool():
                return self.r.choice((not value, *VALUES))
            case int() | float() if self.r.random() < 0.5:
                return self.r.choice([value + 1, value - 1, -value, value * 2])
        return self.r.choice(VALUES)

    def ends(self, end: SourceValue) -> None:
        if end.type is None:
            return
        shape, kind = list(end.type.shape), end.type.precision
        match self.r.randrange(5):
            case 0:
                shape = shape[1:]
            case 1:
                shape = [1, *shape]
            case 2 if shape:
                shape[self.r.randrange(len(shape))] = self.r.choice(SIZES)
            case 3:
                kind = self.r.choice(KINDS)
            case _:
                shape = []
        end.type = TensorType(kind, tuple(shape))

    def weight(self, graph: SourceGraph) -> None:
        name = self.r.choice(sorted(graph.weights))
        array = graph.weights[name]
        ways = [array.reshape(-1), array[None], np.zeros((), array.dtype), array.reshape(-1)[:0]]
        ways += [np.ones(array.shape, kind) for kind in (np.float32, np.int64, np.int8, np.bool_)]
        graph.weights[name] = self.r.choice(ways)

    def operands(self, node: SourceNode) -> None:
        if not node.inputs:
            return
        k = self.r.randrange(len(node.inputs))
        names = list(node.inputs)
        ways = [names[:k] + names[k + 1 :], [*names, names[k]], [*names[:k], "", *names[k + 1 :]]]
        node.inputs = self.r.choice(ways)


def outcome(engine: Engine[Any], case: Any, answer: Answer) -> str:
    """Read, translate and clean; what happened."""
    try:
        apply(engine.model(case, answer), CLEAN)
    except NNAdapterError:
        return "refused"
    return "accepted"


def chosen(frontend: str, count: int) -> list[tuple[str, Engine[Any], Any]]:
    """Cases over the whole table, that are good ones."""
    good = [(n, e, c) for n, (e, c) in book(frontend).cases.items() if not c.raises]
    return good[:: max(1, len(good) // count)]


def answers(
    rows: Sequence[tuple[str, Engine[Any], Any]],
) -> Iterator[tuple[str, Engine[Any], Any, Answer]]:
    """The cases with what their origins say, and the files that they write."""
    with Oracle(rows[0][1].worker, timeout=120) as oracle:
        for name, engine, case in rows:
            try:
                answer = engine.ask(case, oracle)
            except NNAdapterError:
                continue  # a limit of the installed framework, which the cases' own tests judge
            yield name, engine, case, answer


@pytest.mark.parametrize("frontend", [f for f in FRONTENDS if f != "nnir"])
def test_damaged_graphs(frontend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if (why := missing(frontend)) is not None:
        pytest.skip(why)
    translate = Translator.translate
    seed = ""

    def damaged(self: Translator) -> Model:
        Damage(seed)(self.source.graph)
        return translate(self)

    monkeypatch.setattr(Translator, "translate", damaged)
    outcomes = Counter[str]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, about nan and overflow in the constants
        for name, engine, case, answer in answers(chosen(frontend, CASES)):
            for row in range(ROWS):
                seed = f"{name} {row}"
                outcomes[outcome(engine, case, answer)] += 1
    assert min(outcomes["refused"], outcomes["accepted"]) > CASES, outcomes
