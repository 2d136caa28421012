"""Elementwise functions in operators of the standard: the error is what they state."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from nnir.decomposition import Level
from nnir.errors import Unsupported
from nnir.model import Model
from nnir.operator import Operator
from nnir.ops import OPERATORS, activation, binary, special, unary
from nnir.types import Precision, TensorType

from .decomposing import EDGES, floats, reference, standard, ulps

ROUNDED = {
    o.name: o.decompositions[0]
    for o in OPERATORS.values()
    if o.since == "ext" and o.decompositions and o.decompositions[0].ulps is not None
}
SPECIAL = {o.name for o in OPERATORS.values() if o.family == "special"}
PAIRS = {"ATAN2", "HYPOT"}
ATTRIBUTES: dict[str, list[dict[str, Any]]] = {
    "ELU": [{"alpha": 1.0}, {"alpha": 0.3}, {"alpha": -2.0}],
    "CELU": [{"alpha": 1.0}, {"alpha": 0.7}],
}
CASES = [(name, k) for name in ROUNDED for k in ATTRIBUTES.get(name, [{}])]
GIVES_PLUS_ZERO = {"ERFINV", "BESSEL_I1", "BESSEL_I1E"}
"""Odd functions whose references lose the sign of a zero."""


@cache
def sample() -> np.ndarray:
    return floats(200_000)


@cache
def pairs() -> tuple[np.ndarray, np.ndarray]:
    """Any two numbers, numbers of one size, and all edges beside each other."""
    left, right = floats(60_000, 1), floats(60_000, 2)
    random = np.random.default_rng(3)
    near = (left * random.uniform(-3, 3, left.size)).astype(np.float32)
    edges = np.meshgrid(EDGES, EDGES)
    first = np.concatenate([left, left, edges[0].ravel()])
    return first, np.concatenate([random.permutation(right), near, edges[1].ravel()])


def operator_of(name: str) -> Operator[Any]:
    if name in SPECIAL:
        pytest.importorskip("scipy")
    return OPERATORS[name]


def error_of(name: str, result: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """In units in the last place, but 0 where the error is what is stated beside zeros."""
    with np.errstate(all="ignore"):
        beside_zero = np.abs(result - expected) <= ROUNDED[name].absolute
    return np.where(beside_zero, 0.0, ulps(result, expected))


@pytest.mark.parametrize(("name", "attributes"), CASES, ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_error_is_within_what_is_stated(name: str, attributes: dict[str, Any]) -> None:
    operator = operator_of(name)
    arrays = pairs() if name in PAIRS else (sample(),)
    result = standard(operator, arrays, **attributes)
    wide = [a.astype(np.float64) for a in arrays]
    if "alpha" in attributes:  # the operator's own number has the precision of its operand
        attributes = {"alpha": float(np.float32(attributes["alpha"]))}
    expected = reference(operator, wide, **attributes)
    error = error_of(name, result, expected)
    worst = int(np.argmax(error))
    where = [a[worst] for a in arrays], result[worst], expected[worst]
    assert error[worst] <= ROUNDED[name].ulps, where
    zeros = (result == 0) & (expected == 0)
    if name not in GIVES_PLUS_ZERO:
        assert np.array_equal(np.signbit(result[zeros]), np.signbit(expected[zeros]))


@pytest.mark.parametrize("name", sorted(ROUNDED.keys() - PAIRS))
def test_halves_are_computed_in_float32(name: str) -> None:
    operator = operator_of(name)
    half = np.arange(2**16, dtype=np.uint16).view(np.float16)
    result = standard(operator, [half])
    expected = reference(operator, [half.astype(np.float64)])
    assert error_of(name, result, expected).max() <= 0.6


@pytest.mark.parametrize("operator", [unary.log2, unary.log10], ids=lambda o: o.name)
def test_powers_of_the_base_have_whole_logarithms(operator: Operator[Any]) -> None:
    base, exponents = (2.0, np.arange(-149, 128)) if operator is unary.log2 else (
        10.0, np.arange(-37, 39))  # fmt: skip
    assert np.array_equal(standard(operator, [np.float32(base**exponents)]), exponents)


@pytest.mark.parametrize("operator", [unary.sqrt, unary.cosh, unary.log2], ids=lambda o: o.name)
def test_without_a_polynomial_float64_keeps_its_digits(operator: Operator[Any]) -> None:
    x = np.random.default_rng(0).uniform(0, 20, 1000)
    assert np.allclose(standard(operator, [x]), reference(operator, [x]), rtol=1e-15, atol=0)


def test_polynomials_refuse_float64_and_complex_numbers() -> None:
    model = Model()
    for precision in (Precision.FLOAT64, Precision.COMPLEX64):
        x = model.input(precision.name, TensorType(precision, (2,)))
        with pytest.raises(Unsupported, match=f"atan of {precision.name.lower()}"):
            unary.atan.decompositions[0](x)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "operator", [unary.round_, unary.sign, unary.ceil, unary.reciprocal], ids=lambda o: o.name
)
def test_exact_functions_of_floats(operator: Operator[Any], dtype: Any) -> None:
    halves = np.concatenate([np.arange(-9, 9) / 2, [0.49999997, -0.49999997, 8388607.5]])
    x = np.concatenate([sample()[:50_000], EDGES, np.float32(halves)])
    with np.errstate(over="ignore", invalid="ignore"):
        x = x.astype(dtype)
    result, expected = standard(operator, [x], "exact"), reference(operator, [x])
    assert np.array_equal(result, expected, equal_nan=True)
    assert np.array_equal(np.signbit(result[result == 0]), np.signbit(expected[expected == 0]))


def test_hardmax_takes_the_first_largest() -> None:
    x = np.float32([[1, 3, 3], [np.nan, 1, np.nan], [-np.inf, -np.inf, -np.inf]])
    for axis in (0, 1):
        result = standard(activation.hardmax, [x], "exact", axis=axis)
        assert np.array_equal(result, reference(activation.hardmax, [x], axis=axis))


@pytest.mark.parametrize("fmod", [True, False])
@pytest.mark.parametrize(("dtype", "quotients"), [(np.float32, 2**24), (np.float64, 2**52)])
def test_remainders_of_floats_are_exact_for_quotients_of_all_digits(
    fmod: bool, dtype: Any, quotients: int
) -> None:
    random = np.random.default_rng(0)
    y = (random.uniform(-4, 4, 20_000) * np.exp2(random.integers(-30, 30, 20_000))).astype(dtype)
    x = (y * np.exp2(random.uniform(-3, np.log2(quotients) - 1, y.size))).astype(dtype)
    edges = np.meshgrid(EDGES[:-3].astype(dtype), EDGES[:-3].astype(dtype))
    arrays = [np.concatenate([a, e.ravel()]) for a, e in zip((x, y), edges, strict=True)]
    result = standard(binary.mod, arrays, fmod=fmod)
    expected = reference(binary.mod, arrays, fmod=fmod)
    assert np.array_equal(result, expected, equal_nan=True)
    zeros = expected == 0
    assert np.array_equal(np.signbit(result[zeros]), np.signbit(expected[zeros]))


def test_remainders_beyond_are_off_by_the_last_place_of_the_first_operand() -> None:
    x, y = np.float32([1e12, -3e30, 3e38]), np.float32([0.7, 7, 9e37])
    error = np.abs(standard(binary.mod, [x, y], fmod=True) - np.fmod(x, y))
    assert np.all(error <= np.abs(np.spacing(x)) + np.abs(y))


def test_the_trigamma_function_is_its_reference_step_by_step() -> None:
    x = np.random.default_rng(0).uniform(-5, 50, 10_000).astype(np.float32)
    result = standard(special.polygamma, [x], order=1)
    assert np.allclose(result, reference(special.polygamma, [x], order=1), rtol=1e-6)


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_derivatives_of_digamma_are_near_their_reference(order: int) -> None:
    """Below 0 the error is one of the function at 1 - x, which a wave is subtracted from."""
    operator = operator_of("POLYGAMMA")
    random = np.random.default_rng(order)
    ranges = [random.uniform(-9, 9, 20_000), np.exp(random.uniform(-20, 20, 20_000))]
    edges = [*EDGES[:4], np.inf, np.nan, -2, -3, -1e-20, 1e-30, 1e30]
    x = np.concatenate([*ranges, edges]).astype(np.float32)
    result = standard(operator, [x], order=order)
    expected = reference(operator, [x.astype(np.float64)], order=order)
    scale = np.abs(reference(operator, [1 + np.abs(x).astype(np.float64)], order=order))
    with np.errstate(all="ignore"):
        beside_zero = (x < 0) & (np.abs(result - expected) <= 1e-6 * scale)
    assert np.where(beside_zero, 0, ulps(result, expected)).max() <= 20


def test_the_trigamma_function_of_float64_is_its_reference() -> None:
    x = np.random.default_rng(0).uniform(-5, 50, 1000)
    expected = reference(special.polygamma, [x], order=1)
    assert np.allclose(standard(special.polygamma, [x], order=1), expected, rtol=1e-13, atol=0)


@pytest.mark.parametrize("kind", sorted(special.POLYNOMIALS))
@pytest.mark.parametrize("degree", [0.0, 1.9, 7.0, -1.0, np.inf])
def test_polynomials_of_a_known_degree(kind: str, degree: float) -> None:
    x = np.random.default_rng(0).uniform(-1, 1, 1000).astype(np.float32)
    arrays = [x, np.float32([degree])]
    result = standard(special.polynomial, arrays, constants=[1], kind=kind)
    expected = reference(special.polynomial, arrays, kind=kind)
    assert np.allclose(result, expected, rtol=1e-4, atol=1e-4 * max(1, np.abs(expected).max()))


def test_levels_say_what_each_changes() -> None:
    exact = {"SIGN", "ROUND", "CEIL", "HARDMAX", "RECIPROCAL", "BITWISE_AND", "BIT_SHIFT"}
    assert {OPERATORS[name].decompositions[0].level for name in exact} == {Level.EXACT}
    assert {OPERATORS[name].decompositions[0].level for name in ROUNDED} == {Level.ROUNDING}
