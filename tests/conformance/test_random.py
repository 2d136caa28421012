"""Random numbers: the same for the same seed, spread as asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conformance.case import Case, f, rand
from conformance.engines.onnx import run

COUNT = 10_000
LIKE = rand(100, 100)
EVEN = np.full((1, 4), 0.25, np.float32)
NORMAL = [
    Case("RandomNormal", (), {"shape": [100, 100]}),
    Case("RandomNormalLike", (LIKE,)),
]
UNIFORM = [
    Case("RandomUniform", (), {"shape": [100, 100]}),
    Case("RandomUniformLike", (LIKE,)),
]
OTHERS = [
    Case("Bernoulli", (np.full(COUNT, 0.25, np.float32),)),
    Case("Multinomial", (EVEN,), {"sample_size": COUNT}),
    Case("Dropout", (LIKE, np.array(0.5, np.float32), np.array(True))),
]


def drawn(case: Case, device: str = "builtin", **attrs: Any) -> np.ndarray:
    """The numbers of a case with more attributes."""
    changed = Case(case.op, case.inputs, case.attrs | attrs)
    (result,) = run(changed, device)
    return result.reshape(-1).astype(np.float64)


def seeds(case: Case) -> tuple[Any, Any]:
    """Two seeds of the type that the operator takes."""
    return (3, 4) if case.op == "Dropout" else (3.0, 4.5)


@pytest.mark.parametrize("case", [*NORMAL, *UNIFORM, *OTHERS], ids=str)
def test_a_seed_repeats(case: Case) -> None:
    one, other = seeds(case)
    first, again = drawn(case, seed=one), drawn(case, seed=one)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, drawn(case, seed=other))


@pytest.mark.parametrize("case", [*NORMAL, *UNIFORM, *OTHERS], ids=str)
def test_no_seed_does_not_repeat(case: Case) -> None:
    assert not np.array_equal(drawn(case), drawn(case))


@pytest.mark.parametrize("device", ["builtin", "onnxruntime"])
@pytest.mark.parametrize("case", NORMAL, ids=str)
def test_mean_and_scale(case: Case, device: str) -> None:
    for mean, scale in ((0.0, 1.0), (5.0, 0.5), (-3.0, 4.0)):
        numbers = drawn(case, device, mean=mean, scale=scale, seed=1.0)
        assert numbers.mean() == pytest.approx(mean, abs=0.05 * scale)
        assert numbers.std() == pytest.approx(scale, rel=0.05)


@pytest.mark.parametrize("device", ["builtin", "onnxruntime"])
@pytest.mark.parametrize("case", UNIFORM, ids=str)
def test_bounds(case: Case, device: str) -> None:
    for low, high in ((0.0, 1.0), (2.0, 3.0), (-7.0, 1.0)):
        numbers = drawn(case, device, low=low, high=high, seed=1.0)
        width = high - low
        assert low <= numbers.min() < low + 0.01 * width
        assert high - 0.01 * width < numbers.max() <= high
        assert numbers.mean() == pytest.approx((low + high) / 2, abs=0.02 * width)
        assert numbers.std() == pytest.approx(width / np.sqrt(12), rel=0.05)


@pytest.mark.parametrize("dtype", [1, 10, 16])
def test_the_upper_bound_is_not_reached(dtype: int) -> None:
    """Not even where a number just below it is rounded to 16 bits."""
    case = Case("RandomUniform", (), {"shape": [100, 1000], "dtype": dtype, "seed": 1.0})
    numbers = drawn(case)
    assert numbers.max() < 1
    assert numbers.min() >= 0


DEVICES = ["builtin", "onnxruntime", "openvino", "litert"]


@pytest.mark.parametrize("device", DEVICES)
def test_bernoulli_follows_its_probabilities(device: str) -> None:
    chance = np.repeat(f(0.1, 0.5, 0.9), COUNT)
    parts = drawn(Case("Bernoulli", (chance,)), device, seed=1.0).reshape(3, COUNT).mean(axis=1)
    np.testing.assert_allclose(parts, [0.1, 0.5, 0.9], atol=0.03)


@pytest.mark.parametrize("device", DEVICES)
def test_multinomial_follows_its_logarithms(device: str) -> None:
    chance = f(0.1, 0.2, 0.7)
    case = Case("Multinomial", (np.log(chance)[None] + 3,), {"sample_size": COUNT})
    counts = np.bincount(drawn(case, device, seed=1.0).astype(int), minlength=3)
    np.testing.assert_allclose(counts / COUNT, chance, atol=0.03)


@pytest.mark.parametrize("device", ["openvino", "litert"])
@pytest.mark.parametrize("case", OTHERS[:2], ids=str)
def test_what_is_made_of_uniform_numbers_repeats_with_its_seed(case: Case, device: str) -> None:
    first, again, other = (drawn(case, device, seed=s) for s in (3.0, 3.0, 4.5))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("device", DEVICES)
def test_classes_without_weight_are_never_drawn(device: str) -> None:
    scores = np.array([[-np.inf, 0, -np.inf, 1, -np.inf], [80, -np.inf, 90, 90, -np.inf]], "f")
    case = Case("Multinomial", (scores,), {"sample_size": COUNT})
    first, second = drawn(case, device, seed=1.0).reshape(2, COUNT)
    assert set(first) == {1, 3}
    assert {2, 3} <= set(second) <= {0, 2, 3}
