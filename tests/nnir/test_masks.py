"""Masks of zeros are left out, and only those."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nnir import passes
from nnir.evaluate import evaluate
from nnir.model import Model, Value
from nnir.ops import activation, attention, binary, compare, shape
from nnir.types import Fuse, Precision, TensorType

F32 = Precision.FLOAT32
SCORES = (2, 3, 4, 4)


def zeros(model: Model) -> Value:
    return model.constant(np.zeros((1, 1, 4, 4), np.float32))


def negative_zero(model: Model) -> Value:
    return model.constant(np.float32(-0.0))


def computed(model: Model) -> Value:
    """As exporters write what everything sees."""
    seen = shape.expand(
        model.constant(np.ones((1, 1, 4, 1), bool)), model.constant(np.array([1, 1, 4, 4]))
    )
    return compare.where(seen, model.constant(np.float32(0)), model.constant(np.float32(-np.inf)))


def hiding(model: Model) -> Value:
    return model.constant(np.triu(np.full((4, 4), -np.inf, np.float32), 1))


def given(model: Model) -> Value:
    return model.input("mask", TensorType(F32, (4, 4)))


def larger(model: Model) -> Value:
    """Zeros that give the sum more rows than the scores have."""
    return model.constant(np.zeros((5, 1, 3, 4, 4), np.float32))


Mask = Callable[[Model], Value]
Softmax = Callable[..., Value]


def masked(mask: Mask, softmax: Softmax, *, first: bool = False) -> Model:
    model = Model()
    scores = model.input("scores", TensorType(F32, SCORES))
    operands = (mask(model), scores) if first else (scores, mask(model))
    model.outputs = [softmax(binary.add(*operands), axis=-1)]
    return model


@pytest.mark.parametrize("mask", [zeros, negative_zero, computed])
@pytest.mark.parametrize("softmax", [activation.softmax, attention.safe_softmax])
@pytest.mark.parametrize("first", [False, True])
def test_zeros_are_left_out(mask: Mask, softmax: Softmax, *, first: bool) -> None:
    model = masked(mask, softmax, first=first)
    scores = np.random.default_rng(0).normal(size=SCORES).astype(np.float32)
    scores[0, 0] = -np.inf
    (want,) = evaluate(model, [scores])
    assert passes.apply(model, (passes.remove_masks,), checked=True) == ["remove_masks"]
    assert [o.operator for o in model.operations] == [softmax]
    np.testing.assert_array_equal(evaluate(model, [scores])[0], want)


@pytest.mark.parametrize("mask", [hiding, given, larger])
def test_other_masks_stay(mask: Mask) -> None:
    model = masked(mask, activation.softmax)
    count = len(model.operations)
    assert passes.apply(model, (passes.remove_masks,), checked=True) == []
    assert len(model.operations) == count


@pytest.mark.parametrize("kind", ["output", "read", "fused"])
def test_a_sum_that_is_more_than_scores_stays(kind: str) -> None:
    """0.0 is not -0.0 to all who read it."""
    model = Model()
    scores = model.input("scores", TensorType(F32, SCORES))
    fused = Fuse.RELU if kind == "fused" else Fuse.NONE
    total = binary.add(scores, zeros(model), fuse_code=fused)
    model.outputs = [activation.softmax(total, axis=-1)]
    if kind != "fused":
        model.outputs.append(total if kind == "output" else binary.div(1.0, total))
    assert passes.apply(model, (passes.remove_masks,), checked=True) == []
