"""Transposes sink through what does not care for the order of axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nnir.dim import symbol
from nnir.evaluate import evaluate
from nnir.model import Model, Value
from nnir.ops import activation, binary, conv, index, linear, pool, reduce, shape
from nnir.passes import CLEAN, apply
from nnir.passes.layout import sink_transposes
from nnir.types import Precision, TensorType

RNG = np.random.default_rng(0)
FIRST, LAST = (0, 3, 1, 2), (0, 2, 3, 1)


def data(*sizes: int) -> np.ndarray:
    return RNG.standard_normal(sizes).astype(np.float32)


FILTERS = {k: data(4, k, 3, 3) for k in (3, 4, 8)}
BIAS, SCALE, DENSE = data(4), data(4), data(4, 5)


def convolved(x: Value) -> Value:
    """A convolution with channels last, between two transposes."""
    inner = shape.transpose(x, perm=FIRST)
    made = conv.conv_2d(
        inner,
        FILTERS[x.shape[3]],
        np.zeros(4, np.float32),
        pads=(1, 1, 1, 1),
        strides=(1, 1),
        dilations=(1, 1),
    )
    return shape.transpose(binary.add(shape.transpose(made, perm=LAST), BIAS), perm=(0, 1, 2, 3))


def residual(x: Value) -> Value:
    y = activation.relu(convolved(x))
    return binary.add(convolved(activation.relu(binary.mul(convolved(y), SCALE))), y)


def excited(x: Value) -> Value:
    y = convolved(x)
    mean = reduce.reduce_mean(y, [1, 2], keepdim=False)
    gate = activation.sigmoid(linear.mat_mul(mean, np.eye(4, dtype=np.float32)))
    return binary.mul(y, shape.reshape(gate, [-1, 1, 1, 4]))


def joined(x: Value) -> Value:
    y = convolved(x)
    left, right = shape.split(shape.concat(y, activation.relu(y), axis=-1), [3, 5], axis=3)
    both = shape.concat(right, left, axis=3)
    padded = shape.pad(both, [0, 0, 1, 2, 0, 1, 0, 0])
    return convolved(index.slice_(padded, [1, 2], [1, 0], [100, -1]))


def pooled(x: Value) -> Value:
    y = shape.transpose(convolved(x), perm=FIRST)
    y = shape.transpose(pool.max_pool_2d(y, kernel_shape=(2, 2), strides=(2, 2)), perm=LAST)
    mean = reduce.reduce_mean(y, [1, 2], keepdim=True)
    return linear.mat_mul(shape.squeeze(mean, [1, 2]), DENSE)


@pytest.mark.parametrize(
    ("build", "left"),
    [(convolved, 2), (residual, 2), (excited, 2), (joined, 2), (pooled, 1)],
    ids=lambda f: getattr(f, "__name__", f),
)
def test_transposes_that_are_left(build: Callable[[Value], Value], left: int) -> None:
    """One at the input, and one at an output that still has channels."""
    models = []
    for _ in range(2):
        model = Model()
        model.symbols["b"] = (1, None)
        x = model.input("x", TensorType(Precision.FLOAT32, (symbol("b"), 6, 8, 3)))
        model.outputs = [build(x)]
        models.append(model)
    plain, sunk = models
    apply(sunk, (*CLEAN, sink_transposes, *CLEAN), checked=True)
    names = [o.operator.name for o in sunk.operations]
    assert names.count("TRANSPOSE") == left, str(sunk)
    for batch in (1, 3):
        image = data(batch, 6, 8, 3)
        for want, got in zip(evaluate(plain, [image]), evaluate(sunk, [image]), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
