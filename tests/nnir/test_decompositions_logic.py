"""Bits and remainders of integers in operators of the standard, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nnir.operator import Operator
from nnir.ops import binary, logic, reduce, unary

from .decomposing import reference, standard

KINDS = [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64]


def integers(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Any pairs, and all edges beside each other."""
    info, random = np.iinfo(dtype), np.random.default_rng(0)
    edges = np.array([info.min, info.min + 1, 0, 1, 2, info.max - 1, info.max], dtype)
    draws = random.integers(info.min, info.max, (2, 500), dtype=dtype, endpoint=True)
    beside = np.meshgrid(edges, edges)
    first, second = (np.concatenate([d, e.ravel()]) for d, e in zip(draws, beside, strict=True))
    return first, second


def assert_same(
    operator: Operator[Any], arrays: list[np.ndarray], constants: Any = (), **k: Any
) -> None:
    result = standard(operator, arrays, "exact", constants, **k)
    expected = reference(operator, arrays, **k)
    assert result.dtype == expected.dtype
    assert np.array_equal(result, expected)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize(
    "operator", [logic.bitwise_and, logic.bitwise_or, logic.bitwise_xor], ids=lambda o: o.name
)
def test_bits_of_two(operator: Operator[Any], dtype: Any) -> None:
    first, second = integers(dtype)
    assert_same(operator, [first, second])
    assert_same(operator, [first[:, None], second[None, :40]])
    for mask in (0, 1, 12, 15, 127):
        assert_same(operator, [first, np.array(mask, dtype)], [1])
        assert_same(operator, [np.array([mask], dtype), first], [0])


@pytest.mark.parametrize("dtype", KINDS)
def test_bits_of_one(dtype: Any) -> None:
    first, second = integers(dtype)
    for operator in (logic.bitwise_not, unary.sign, unary.neg):
        assert_same(operator, [first])
    for left in (True, False):
        few = (second % (np.iinfo(dtype).bits + 3)).astype(dtype)
        assert_same(logic.bit_shift, [first, few], left=left)
        assert_same(logic.bit_shift, [first, second], left=left)
        assert_same(logic.bit_shift, [first, np.array(3, dtype)], [1], left=left)
    cube = first[:540].reshape(9, 6, 10)
    for axes in ([0], [1, -1], []):
        for keepdim in (True, False):
            assert_same(reduce.reduce_xor, [cube, np.array(axes, np.int64)], [1], keepdim=keepdim)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("fmod", [True, False])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_remainders(fmod: bool, dtype: Any) -> None:
    first, second = integers(dtype)
    assert_same(binary.mod, [first, second], fmod=fmod)
    assert_same(binary.mod, [first, np.array(7, dtype)], [1], fmod=fmod)
