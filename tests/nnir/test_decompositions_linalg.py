"""Matrices, volumes and regions in operators of the standard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from nnir.check import check, extensions
from nnir.errors import Unsupported
from nnir.evaluate import evaluate
from nnir.model import Model
from nnir.operator import Operator
from nnir.ops import detection, linalg, linear, pool
from nnir.standard import to_standard
from nnir.types import PRECISIONS, TensorType

NEAR = {np.dtype(np.float32): 2e-5, np.dtype(np.float64): 1e-12}
DOUBLES = [np.float32, np.float64]


def both(
    operator: Operator[Any],
    arrays: Sequence[np.ndarray],
    level: str = "unrolled",
    **attributes: Any,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Each result in operators of the standard, and what the operator itself means."""
    model = Model()
    types = [TensorType(PRECISIONS[a.dtype], a.shape) for a in arrays]
    values = [model.input(f"x{k}", t) for k, t in enumerate(types)]
    made = operator(*values, **attributes)
    model.outputs = list(made) if isinstance(made, tuple) else [made]
    plain = to_standard(model, level=level)
    check(plain)
    assert extensions(plain, "v1.1") == {}
    with np.errstate(all="ignore"):
        return list(zip(evaluate(plain, arrays), evaluate(model, arrays), strict=True))


def assert_near(
    operator: Operator[Any], arrays: Sequence[np.ndarray], factor: float = 1, **attributes: Any
) -> None:
    for result, expected in both(operator, arrays, **attributes):
        limit = factor * NEAR[expected.dtype] * max(1.0, float(np.abs(expected).max(initial=0)))
        assert result.dtype == expected.dtype
        np.testing.assert_allclose(result, expected, rtol=0, atol=limit)


def matrices(*shape: int, dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", DOUBLES)
@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 5, 5), (2, 1, 4, 4), (16, 16)], ids=str)
def test_elimination(shape: tuple[int, ...], dtype: Any) -> None:
    a = matrices(*shape, dtype=dtype)
    b = matrices(shape[-1], 3, dtype=dtype, seed=1)
    for operator in (linear.inverse, linalg.matrix_inverse, linear.determinant):
        assert_near(operator, [a])
    assert_near(linalg.solve, [a, b])
    assert_near(linalg.sign_log_det, [a])


def test_the_leading_axes_of_both_sides_broadcast() -> None:
    assert_near(linalg.solve, [matrices(2, 1, 3, 3), matrices(4, 3, 2)])
    assert_near(linalg.solve, [matrices(3, 3), matrices(4, 3, 2)])


def test_an_elimination_takes_rows_in_the_order_of_their_size() -> None:
    """The first pivot is 0, and one that is tiny would ruin the digits of a float32."""
    for a in ([[0, 1], [1, 0]], [[1e-9, 1], [1, 1]], [[0, 2, 1], [0, 1, 3], [5, 1, 1]]):
        matrix = np.array(a, np.float32)
        for operator in (linear.inverse, linear.determinant, linalg.sign_log_det):
            assert_near(operator, [matrix])


@pytest.mark.parametrize(
    "matrix", [np.zeros((3, 3)), np.diag([1.0, 0, 2]), np.array([[1.0, 2], [2, 4]])]
)
def test_determinants_of_singular_matrices(matrix: np.ndarray) -> None:
    for operator in (linear.determinant, linalg.sign_log_det):
        for result, expected in both(operator, [matrix.astype(np.float32)]):
            np.testing.assert_array_equal(result, expected)


def test_a_singular_matrix_has_no_finite_inverse() -> None:
    model = Model()
    a = model.input("a", TensorType(PRECISIONS[np.dtype(np.float32)], (2, 2)))
    model.outputs = [linear.inverse(a)]
    with np.errstate(all="ignore"):
        (result,) = evaluate(to_standard(model, level="unrolled"), [np.float32([[1, 2], [2, 4]])])
    assert not np.isfinite(result).all()


@pytest.mark.parametrize("dtype", DOUBLES)
@pytest.mark.parametrize(
    "shape", [(1, 1), (1, 4), (4, 1), (5, 3), (2, 3, 5), (2, 3, 4, 4)], ids=str
)
def test_reflections(shape: tuple[int, ...], dtype: Any) -> None:
    a = matrices(*shape, dtype=dtype)
    for complete in (False, True):
        assert_near(linalg.qr, [a], complete=complete)
    assert_near(linalg.householder, [a])
    (_, vectors), (_, tau) = both(linalg.householder, [a])
    other = matrices(*shape[:-1], 2, dtype=dtype, seed=1)
    for adjoint in (False, True):
        assert_near(linalg.apply_householder, [vectors, tau, other], adjoint=adjoint)


def test_columns_that_need_no_reflection() -> None:
    for a in (np.eye(3), np.zeros((3, 2)), np.triu(matrices(4, 4))):
        assert_near(linalg.qr, [a.astype(np.float32)])
        assert_near(linalg.householder, [a.astype(np.float32)])


@pytest.mark.parametrize("operator", [linear.inverse, linalg.qr], ids=lambda o: o.name)
def test_large_matrices_stay(operator: Operator[Any]) -> None:
    with pytest.raises(Unsupported, match="over 32 rows"):
        both(operator, [matrices(33, 33)])


@pytest.mark.parametrize(
    ("kernel", "strides", "pads", "ceil"),
    [
        ((2, 2, 2), (2, 2, 2), (0,) * 6, False),
        ((3, 2, 3), (2, 1, 2), (1, 0, 1, 1, 1, 0), False),
        ((1, 3, 2), (1, 2, 1), (0, 1, 1, 0, 1, 0), True),
        ((3, 3, 2), (2, 2, 2), (0,) * 6, True),
    ],
)
def test_places_of_maxima_in_volumes(
    kernel: tuple[int, ...], strides: tuple[int, ...], pads: tuple[int, ...], ceil: bool
) -> None:
    """Small integers, so that many maxima are equal; and NaN, which wins."""
    x = np.random.default_rng(0).integers(-2, 3, (2, 3, 5, 6, 7)).astype(np.float32)
    x[0, 0, 1:3, 3, 3] = np.nan
    geometry = {"kernel_shape": kernel, "strides": strides, "pads": pads, "ceil_mode": ceil}
    for result, expected in both(pool.max_pool, [x], "exact", return_indices=True, **geometry):
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("bins", [(1, 1), (3, 2), (7, 5)], ids=str)
def test_maxima_of_regions(bins: tuple[int, int], dtype: Any) -> None:
    """Regions that leave the plane, are turned over, or have bins of nothing."""
    random = np.random.default_rng(0)
    x = random.standard_normal((2, 3, 9, 11)).astype(dtype)
    corners = [random.integers(0, 2, (20, 1)), random.uniform(-6, 14, (20, 4))]
    regions = np.concatenate(corners, axis=1).astype(dtype)
    ((result, expected),) = both(
        detection.max_roi_pool, [x, regions], "exact", pooled_shape=bins, spatial_scale=0.6
    )
    assert result.dtype == expected.dtype
    assert (expected == 0).any()
    np.testing.assert_array_equal(result, expected)
