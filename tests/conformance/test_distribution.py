"""Random numbers are compared by their distribution."""

from __future__ import annotations

import numpy as np
import pytest

from conformance.judging.distribution import compare_drawn, distance
from conformance.judging.judge import judge
from conformance.judging.result import PASS, WRONG
from conformance.oracles.oracle import Oracle
from conformance.suites.operators import book
from nnir.ops import random as drawing

N = 10_000


def numbers(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("seed", range(20))
def test_one_distribution(seed: int) -> None:
    first, second = numbers(seed), numbers(seed + 100)
    assert compare_drawn(first.normal(size=N), second.normal(size=N)).problem is None
    assert compare_drawn(first.integers(0, 5, N), second.integers(0, 5, N)).problem is None
    assert compare_drawn(first.random(N) < 0.3, second.random(N) < 0.3).problem is None


@pytest.mark.parametrize(
    "other",
    [
        lambda g: g.normal(0.2, size=N),
        lambda g: g.normal(scale=1.3, size=N),
        lambda g: g.uniform(-1.7, 1.7, size=N),
        lambda g: np.where(g.random(N) < 0.1, np.nan, g.normal(size=N)),
        lambda g: np.zeros(N),
    ],
    ids=["mean", "deviation", "shape", "nan", "constant"],
)
def test_another_distribution(other: object) -> None:
    found = compare_drawn(other(numbers(1)), numbers(2).normal(size=N))  # type: ignore[operator]
    assert found.problem is not None
    assert "another distribution" in found.problem


def test_a_few_numbers_say_nothing() -> None:
    assert compare_drawn(np.zeros(9), np.ones(9)).problem is None
    assert distance(np.zeros(9), np.ones(9)) == 1


def test_a_device_that_draws_otherwise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = book("onnx")
    name = next(n for n in shelf.cases if n.startswith("RandomNormal-none-shape=[10000],mean=5"))
    engine, case = shelf.cases[name]
    with Oracle(engine.worker) as oracle:
        assert judge(engine, case, "builtin", (), oracle).verdict == PASS
        right = drawing.random_normal.reference

        def wrong(*inputs: object, scale: float, **attributes: object) -> object:
            return right(*inputs, scale=2 * scale, **attributes)

        monkeypatch.setattr(drawing.random_normal, "reference", wrong)
        found = judge(engine, case, "builtin", (), oracle)
    assert found.verdict == WRONG
    assert "another distribution" in found.reason
