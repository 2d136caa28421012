"""FLOAT64 between sizes and FLOAT32."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from nnir.dim import symbol
from nnir.model import Model, Value
from nnir.operator import Operator
from nnir.ops import binary, compare, index, shape, unary
from nnir.passes import CLEAN, apply, narrow_doubles
from nnir.types import Precision, TensorType

F32, F64, I64 = Precision.FLOAT32, Precision.FLOAT64, Precision.INT64


def sizes() -> tuple[Model, Value, Value]:
    """The sizes of two axes as FLOAT64."""
    model = Model()
    x = model.input("x", TensorType(F32, (symbol("n"), symbol("m"))))
    model.symbols.update(n=(0, None), m=(0, None))
    whole = shape.shape(x, dtype=I64)
    n, m = (unary.cast(index.gather(whole, np.int64(k), axis=0), dtype=F64) for k in (0, 1))
    return model, n, m


@pytest.mark.parametrize("operator", [binary.add, binary.sub, binary.mul, binary.div])
@pytest.mark.parametrize("by", [0.5, 0.1, -3.0, None])
def test_one_rounding_is_as_good_as_two(operator: Operator[Any], by: float | None) -> None:
    model, n, m = sizes()
    given = m if by is None else model.constant(by, np.float64)
    model.outputs = [unary.cast(operator(n, given), dtype=F32)]
    wanted = [nna.compile(model)(np.zeros(s, np.float32))[0] for s in ((7, 3), (1001, 1), (49, 11))]
    apply(model, CLEAN, checked=True)
    held = {v.precision for o in model.operations for v in o.outputs}
    assert (F64 in held) == (by == 0.1), "FLOAT32 does not hold 0.1"
    run = nna.compile(model)
    for sizes_of, want in zip(((7, 3), (1001, 1), (49, 11)), wanted, strict=True):
        np.testing.assert_array_equal(run(np.zeros(sizes_of, np.float32))[0], want, strict=True)


NUMBERS = np.random.default_rng(0).standard_normal(64).astype(np.float32)


@pytest.mark.parametrize("operator", [binary.add, binary.sub, binary.mul, binary.div])
@pytest.mark.parametrize("by", [80.0, 3.0, 0.1])
def test_numbers_of_narrower_types(operator: Operator[Any], by: float) -> None:
    model = Model()
    x, y = (model.input(n, TensorType(t, (64,))) for n, t in (("x", F32), ("y", Precision.INT16)))
    first, second = (unary.cast(v, dtype=F64) for v in (x, y))
    number = model.constant(by, np.float64)
    model.outputs = [unary.cast(operator(v, number), dtype=F32) for v in (first, second)]
    given = NUMBERS, np.arange(-32, 32, dtype=np.int16)
    wanted = nna.compile(model)(*given)
    apply(model, CLEAN, checked=True)
    held = {v.precision for o in model.operations for v in o.outputs}
    assert (F64 in held) == (by == 0.1)
    for found, want in zip(nna.compile(model)(*given), wanted, strict=True):
        np.testing.assert_array_equal(found, want, strict=True)


@pytest.mark.parametrize("operator", [compare.less, compare.equal, compare.greater_equal])
@pytest.mark.parametrize("by", [0.5, 0.1])
def test_comparisons(operator: Operator[Any], by: float) -> None:
    model = Model()
    x = model.input("x", TensorType(F32, (65,)))
    model.outputs = [operator(unary.cast(x, dtype=F64), model.constant(by, np.float64))]
    given = np.append(NUMBERS, np.float32(by))
    want = nna.compile(model)(given)[0]
    apply(model, CLEAN, checked=True)
    assert any(o.operator is unary.cast for o in model.operations) == (by == 0.1)
    np.testing.assert_array_equal(nna.compile(model)(given)[0], want)


def test_what_is_no_size_and_what_is_rounded_twice_stay() -> None:
    model, n, m = sizes()
    y = model.input("y", TensorType(I64, ()))
    other = unary.cast(y, dtype=F64)
    model.outputs = [unary.cast(v, dtype=F32) for v in (n + other, n / m * n)]
    before = [o.operator for o in model.sorted()]
    apply(model, [narrow_doubles])
    assert [o.operator for o in model.sorted()] == before
