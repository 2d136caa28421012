"""Dimensions: a canonical form, so that equal things compare equal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnir.dim import (
    Dim,
    ceil_div,
    evaluate,
    is_natural,
    maximum,
    minimum,
    product,
    symbol,
    symbols_of,
)
from nnir.errors import BadFile, BadType
from nnir.notation import name_dim, parse
from nnir.types import Precision, TensorType

N, M = symbol("n"), symbol("m")
SIZES = st.fixed_dictionaries({"n": st.integers(1, 50), "m": st.integers(1, 50)})


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> Dim:
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([N, M, 1, 2, 3, 7]))
    left, right = draw(expressions(depth - 1)), draw(expressions(depth - 1))
    match draw(st.sampled_from("+-*/%<>")):
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left // draw(st.integers(1, 5))
        case "%":
            return left % draw(st.integers(1, 5))
        case "<":
            return minimum(left, right)
    return maximum(left, right)


def test_equal_things_are_equal() -> None:
    assert N + M == M + N
    assert (N + 1) * 2 == 2 * N + 2
    assert N - N == 0
    assert hash(N * M) == hash(M * N)
    assert N != M
    assert maximum(N, M) == maximum(M, N)


def test_division_cancels_what_it_can() -> None:
    assert (12 * N) // 4 == 3 * N
    assert (N * M * 6) // (2 * N) == 3 * M
    assert (4 * N + 3) // 4 == N
    assert (2 * N) % 2 == 0
    assert ceil_div(2 * N, 2) == N
    assert str((N + 1) // 2) == str(parse("(n + 1) // 2"))


def test_ints_stay_ints() -> None:
    assert isinstance(N * 0, int)
    assert product([2, 3]) == 6
    assert minimum(2, 3) == 2
    assert ceil_div(7, 2) == 4


@given(expressions())
def test_text_reads_back(dim: Dim) -> None:
    assert parse(str(dim)) == dim


@given(expressions(), SIZES)
def test_evaluation_agrees_with_the_text(dim: Dim, sizes: dict[str, int]) -> None:
    text = str(dim)
    value = eval(text, {"min": min, "max": max}, dict(sizes))
    assert evaluate(dim, sizes) == value


@given(expressions(), expressions(), SIZES)
def test_arithmetic_is_that_of_integers(a: Dim, b: Dim, sizes: dict[str, int]) -> None:
    x, y = evaluate(a, sizes), evaluate(b, sizes)
    assert evaluate(a + b, sizes) == x + y
    assert evaluate(a - b, sizes) == x - y
    assert evaluate(a * b, sizes) == x * y


@given(expressions(4), SIZES)
def test_what_is_natural_is_not_negative(dim: Dim, sizes: dict[str, int]) -> None:
    assert not is_natural(dim) or evaluate(dim, sizes) >= 0


def test_symbols_and_partial_evaluation() -> None:
    dim = (N + 1) // 2 * M
    assert symbols_of(dim) == {"n", "m"}
    assert evaluate(dim, {"n": 5}) == 3 * M


@pytest.mark.parametrize(
    "text",
    [
        "",
        "n +",
        "import os",
        "__import__('os')",
        "n ** 2",
        "f(n)",
        "n.x",
        "1.5",
        "(" * 500,
        "n // 0 // 0 +",
    ],
)
def test_what_is_no_dimension(text: str) -> None:
    with pytest.raises(BadFile):
        parse(text)


def test_a_polynomial_cannot_explode() -> None:
    with pytest.raises(BadFile):
        parse("*".join(f"(a{k} + b{k})" for k in range(40)))


@pytest.mark.parametrize(
    ("text", "name"), [("batch", "batch"), ("unk__12", "unk__12"), ("a b/c", "a_b_c")]
)
def test_framework_names(text: str, name: str) -> None:
    assert str(name_dim(text)) == name


def test_framework_expressions() -> None:
    assert name_dim("2*n + 1") == 2 * N + 1


def test_what_can_be_decided_is() -> None:
    assert maximum(minimum(64, N), N) == N
    assert minimum(N // 2, N) == N // 2
    assert is_natural(7 - N % 7)
    assert is_natural((N + 6 - N % 7) // 7)
    assert not is_natural(5 - N % 7)
    assert (N // 5) // 2 == N // 10
    assert 4 * ceil_div(N, 4) == N + (-N) % 4
    assert (32 * N * M) // (8 * N * M) == 4
    assert (N * M + N) // (M + 1) == N


def test_a_truth_is_no_dimension() -> None:
    with pytest.raises(BadType, match="True"):
        TensorType(Precision.FLOAT32, (2, True))
