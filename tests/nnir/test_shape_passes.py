"""Passes over shapes: sizes that are known become constants, and what changes nothing goes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nnir.dim import symbol
from nnir.evaluate import evaluate
from nnir.model import Model, Value
from nnir.ops import binary, index, logic, shape, unary
from nnir.passes import CLEAN, apply
from nnir.types import Precision, TensorType

B, S = symbol("b"), symbol("s")


def sizes(x: Value, *parts: int | Value) -> Value:
    """A vector of sizes; a Value is one of them."""
    pieces = [p if isinstance(p, Value) else x.model.constant(np.array([p])) for p in parts]
    return shape.concat(*pieces, axis=0)


def size(x: Value, axis: int) -> Value:
    return index.gather(shape.shape(x, dtype=Precision.INT64), np.array([axis]), axis=0)


def heads(x: Value) -> Value:
    return shape.reshape(x, sizes(x, size(x, 0), size(x, 1), 2, 3))


def flat(x: Value) -> Value:
    return shape.reshape(x, sizes(x, binary.mul(size(x, 0), size(x, 1)), 6))


def behind(x: Value) -> Value:
    return shape.reshape(x, sizes(x, size(x, 0), 2, 3, size(x, 1)))


def expanded(x: Value) -> Value:
    y = shape.unsqueeze(x, [1])
    return shape.expand(y, sizes(x, size(x, 0), 4, size(x, 1), 6))


def twice(x: Value) -> Value:
    return shape.reshape(shape.reshape(x, [0, 0, 3, 2]), [-1, 6])


def whole(x: Value) -> Value:
    return binary.add(index.slice_(x, [1], [0], size(x, 1)), 1.0)


def same(x: Value) -> Value:
    y = shape.transpose(shape.reshape(x, sizes(x, size(x, 0), size(x, 1), 6)), perm=(0, 1, 2))
    return unary.exp(y)


def axes(x: Value) -> Value:
    return shape.unsqueeze(shape.unsqueeze(shape.unsqueeze(x, [0]), [2]), [-1])


def neutral(x: Value) -> Value:
    count = unary.cast(x, dtype=Precision.INT64)
    y = binary.mul(binary.add(binary.sub(count, 0), 0), 1)
    mask = logic.or_(logic.and_(True, compare(y)), False)
    return binary.div(binary.mul(unary.cast(mask, dtype=Precision.FLOAT32), 1.0), 1.0)


def compare(x: Value) -> Value:
    from nnir.ops.compare import greater

    return greater(x, 1)


@pytest.mark.parametrize(
    ("build", "operations"),
    [(heads, 1), (flat, 1), (behind, 1), (expanded, 2), (twice, 1), (whole, 1), (same, 1),
     (axes, 1), (neutral, 3)],
    ids=lambda f: getattr(f, "__name__", f),
)  # fmt: skip
def test_what_is_left(build: Callable[[Value], Value], operations: int) -> None:
    models = []
    for _ in range(2):
        model = Model()
        model.symbols.update(b=(1, 9), s=(1, None))
        x = model.input("x", TensorType(Precision.FLOAT32, (B, S, 6)))
        model.outputs = [build(x)]
        models.append(model)
    plain, simple = models
    apply(simple, CLEAN, checked=True)
    assert len(simple.operations) == operations, str(simple)
    for b, s in ((2, 3), (1, 1), (4, 2)):
        data = np.random.default_rng(b).uniform(0, 4, (b, s, 6)).astype(np.float32)
        for want, got in zip(evaluate(plain, [data]), evaluate(simple, [data]), strict=True):
            np.testing.assert_array_equal(got, want)
            assert got.dtype == want.dtype


def test_a_size_that_may_be_nothing_stays_computed() -> None:
    """-1 cannot be inferred when another size is 0."""
    model = Model()
    model.symbols.update(b=(0, None), s=(0, None))
    x = model.input("x", TensorType(Precision.FLOAT32, (B, S, 6)))
    model.outputs = [flat(x)]
    apply(model, CLEAN, checked=True)
    assert len(model.operations) > 1
    (got,) = evaluate(model, [np.zeros((0, 3, 6), np.float32)])
    assert got.shape == (0, 6)


def test_two_sizes_that_are_only_known_while_running_stay_computed() -> None:
    """One size of a reshape can be left open, not two."""
    model = Model()
    model.symbols.update(b=(1, None), s=(1, None))
    x = model.input("x", TensorType(Precision.FLOAT32, (B, S, 6)))
    halves = binary.mul(size(x, 1), 2)
    model.outputs = [shape.reshape(x, sizes(x, halves, size(x, 0), 3))]
    apply(model, CLEAN, checked=True)
    (got,) = evaluate(model, [np.zeros((4, 5, 6), np.float32)])
    assert got.shape == (10, 4, 3)


def test_adding_zero_to_floats_is_kept() -> None:
    """-0.0 + 0.0 is 0.0."""
    model = Model()
    model.outputs = [binary.add(model.input("x", TensorType(Precision.FLOAT32, (2,))), 0.0)]
    apply(model, CLEAN, checked=True)
    (got,) = evaluate(model, [np.array([-0.0, 1], np.float32)])
    assert not np.signbit(got[0])
