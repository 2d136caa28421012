"""Arithmetic and comparison on values: what is appended, in which precision, and what it gives."""

from __future__ import annotations

import operator
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hal.runtime.program import Program
from nnir.dim import symbol
from nnir.errors import BadType, NotConstant
from nnir.model import Model, Value
from nnir.ops import binary, compare, sort
from nnir.types import Precision, TensorType

ROOT = Path(__file__).parents[2]
F32, I32, BOOL = Precision.FLOAT32, Precision.INT32, Precision.BOOL8
X = np.array([-3.5, -1.0, 0.0, 2.0], np.float32)
Y = np.array([2.0, -4.0, 0.5, 2.0], np.float32)
WHOLE = np.array([-7, 7, 5, -2], np.int32)
TRUTHS = np.array([True, False, True, False])


def run(build: Callable[..., Value], *arrays: np.ndarray) -> tuple[Value, np.ndarray]:
    """What a formula builds, and what it gives on the references."""
    model = Model("formula")
    kinds = {np.dtype(np.float32): F32, np.dtype(np.int32): I32, np.dtype(np.bool_): BOOL}
    values = [
        model.input(f"x{k}", TensorType(kinds[a.dtype], a.shape)) for k, a in enumerate(arrays)
    ]
    result = build(*values)
    model.outputs = [result]
    with Program(model, "builtin") as program:
        (found,) = program(*arrays)
    return result, found


@pytest.mark.parametrize(
    "formula",
    [
        pytest.param(lambda x, y: (x - y) * x + y, id="sums and products"),
        pytest.param(lambda x, y: 2 * x - 1, id="numbers on the left"),
        pytest.param(lambda x, y: 1 / (y + 8), id="a number divided"),
        pytest.param(lambda x, y: abs(-x) ** 2, id="powers"),
        pytest.param(lambda x, y: (x // 2) + x % 3, id="quotients rounded down"),
        pytest.param(lambda x, y: np.float32(3) * x, id="numbers of NumPy"),
        pytest.param(lambda x, y: np.array([1, 2, 3, 4], np.float32) + x, id="arrays of NumPy"),
    ],
)
def test_formulas_mean_what_they_mean_in_numpy(formula: Callable[..., Any]) -> None:
    value, found = run(formula, X, Y)
    want = formula(X, Y)
    assert value.precision == F32
    assert found.dtype == want.dtype
    np.testing.assert_array_equal(found, want)


@pytest.mark.parametrize("compared", [operator.lt, operator.le, operator.gt, operator.ge])
def test_comparisons(compared: Callable[..., Any]) -> None:
    for given in ((X, Y), (X, X)):
        value, found = run(compared, *given)
        assert value.precision == BOOL
        np.testing.assert_array_equal(found, compared(*given))
    np.testing.assert_array_equal(run(lambda x: compared(0, x), X)[1], compared(0, X))


@pytest.mark.parametrize("joined", [operator.and_, operator.or_, operator.xor])
def test_truths_and_bits(joined: Callable[..., Any]) -> None:
    np.testing.assert_array_equal(
        run(joined, TRUTHS, TRUTHS[::-1])[1], joined(TRUTHS, TRUTHS[::-1])
    )
    np.testing.assert_array_equal(run(joined, WHOLE, WHOLE[::-1])[1], joined(WHOLE, WHOLE[::-1]))
    np.testing.assert_array_equal(run(operator.invert, TRUTHS)[1], ~TRUTHS)
    np.testing.assert_array_equal(run(operator.invert, WHOLE)[1], ~WHOLE)


def test_integers_divide_toward_zero() -> None:
    np.testing.assert_array_equal(run(lambda x: x / 2, WHOLE)[1], [-3, 3, 2, -1])
    np.testing.assert_array_equal(run(lambda x: x // 2, WHOLE)[1], WHOLE // 2)


def test_a_number_takes_the_precision_beside_it_not_that_of_a_mask() -> None:
    value, found = run(lambda x: compare.where(x < 0, 0, x), X)
    assert value.precision == F32
    np.testing.assert_array_equal(found, np.where(X < 0, np.float32(0), X))
    value, _ = run(lambda x: binary.max_(x, 0.5), X)
    assert value.precision == F32


def test_the_first_formula_needs_nothing_else_imported() -> None:
    code = (
        "from nnir import Model, Precision, TensorType; "
        "x = Model().input('x', TensorType(Precision.FLOAT32, (2,))); print((1 - x).type)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "float32[2]"), done.stderr


def test_precisions_are_not_mixed() -> None:
    model = Model()
    x = model.input("x", TensorType(F32, (2,)))
    y = model.input("y", TensorType(I32, (2,)))
    with pytest.raises(BadType, match="operands of one type"):
        x + y
    assert (x + y.cast(F32)).precision == F32
    assert x.cast(F32) is x


def test_values_are_keys_and_have_no_truth() -> None:
    model = Model()
    x = model.input("x", TensorType(F32, (2,)))
    y = model.input("y", TensorType(F32, (2,)))
    assert {x: 1, y: 2}[y] == 2
    assert x in model.inputs
    assert (x == y) is False
    with pytest.raises(TypeError, match="choose with `where`"):
        bool(x < y)


def test_sizes() -> None:
    model = Model()
    x = model.input("x", TensorType(F32, (symbol("n"), 3)))
    assert x.size(1).constant == 3
    assert x.size(0).producer is not None
    assert (x.size(0).precision, x.size(0).shape) == (Precision.INT64, ())
    with pytest.raises(NotConstant, match="sizes must be known"):
        assert x.sizes
    assert model.input("y", TensorType(F32, (2, 3))).sizes == (2, 3)
    assert x.scalar(2).type == TensorType(F32, ())


def test_operators_with_several_results_give_a_tuple() -> None:
    model = Model()
    x = model.input("x", TensorType(F32, (4,)))
    values, indices = sort.top_k(x, [2], axis=0)
    assert (values.precision, indices.precision) == (F32, Precision.INT64)
