"""Transposes sink through what does not care for the order of axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nnir.dim import symbol
from nnir.evaluate import evaluate
from nnir.model import Model, Value
from nnir.ops import activation, binary, conv, index, linear, pool, quant, reduce, shape
from nnir.passes import CLEAN, apply
from nnir.passes.layout import sink_transposes
from nnir.types import Precision, TensorType

RNG = np.random.default_rng(0)
FIRST, LAST = (0, 3, 1, 2), (0, 2, 3, 1)
SWAP = (0, 1, 2, 4, 3)


def data(*sizes: int) -> np.ndarray:
    return RNG.standard_normal(sizes).astype(np.float32)


FILTERS = {k: data(4, k, 3, 3) for k in (3, 4, 8)}
BIAS, SCALE, DENSE = data(4), data(4), data(4, 5)


def convolved(x: Value) -> Value:
    """A convolution with channels last, between two transposes."""
    inner = shape.transpose(x, perm=FIRST)
    made = conv.conv_2d(
        inner,
        FILTERS[int(str(x.shape[3]))],
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


def first(*sizes: int | str) -> tuple[Model, Value]:
    """A model whose value has channels last behind a transpose."""
    model = Model()
    model.symbols["b"] = (1, None)
    dims = tuple(symbol(s) if isinstance(s, str) else s for s in sizes)
    return model, model.input("x", TensorType(Precision.FLOAT32, dims))


RULES: dict[str, Callable[[Value], Value | list[Value]]] = {
    "arg_max": lambda x: reduce.arg_max(x, axis=3, keepdim=False, dtype=Precision.INT64),
    "arg_max_kept": lambda x: reduce.arg_max(x, axis=-2, keepdim=True, dtype=Precision.INT64),
    "clip": lambda x: activation.clip(x, np.float32(-1), np.ones(1, np.float32)),
    "cum_sum": lambda x: reduce.cum_sum(x, 3),
    "expand": lambda x: shape.expand(reduce.reduce_max(x, [1], keepdim=True), [2, 5, 4, 3]),
    "gather": lambda x: index.gather(x, [2, 0], axis=3),
    "gather_one": lambda x: index.gather(x, 1, axis=3),
    "merge": lambda x: shape.reshape(x, [2, 24, 3]),
    "pad": lambda x: shape.pad(x, [0, 0, 1, 2, 0, 0, 0, 1]),
    "quantized": lambda x: quant.quantize_linear(x, np.ones(3, np.float32), axis=3),
    "softmax": lambda x: activation.softmax(x, axis=-1),
    "split": lambda x: shape.reshape(x, [2, 6, 2, 2, 3, 1]),
    "split_parts": lambda x: list(shape.split(x, [2, 4], axis=1)),
    "stack": lambda x: shape.stack(x, activation.relu(x), axis=3),
    "tile": lambda x: shape.tile(x, [1, 2, 1, 3]),
    "unsqueeze": lambda x: shape.unsqueeze(x, [0, 2, 5]),
    "unstack": lambda x: list(shape.unstack(x, axis=3, num=3)),
    "shuffled": lambda x: shape.transpose(
        shape.reshape(
            shape.transpose(shape.reshape(shape.concat(x, x, axis=3), [2, 6, 4, 2, 3]), perm=SWAP),
            [2, 6, 4, 6],
        ),
        perm=FIRST,
    ),
    "upsampled": lambda x: shape.reshape(
        shape.tile(shape.unsqueeze(x, [2]), [1, 1, 2, 1, 1]), [2, 12, 4, 3]
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule_for_each_operator(name: str) -> None:
    """The transpose comes after the operator, which gives the same."""
    models = []
    for _ in range(2):
        model, x = first(2, 3, 6, 4)
        made = RULES[name](shape.transpose(activation.tanh(x), perm=LAST))
        model.outputs = made if isinstance(made, list) else [made]
        models.append(model)
    plain, sunk = models
    apply(sunk, (*CLEAN, sink_transposes, *CLEAN), checked=True)
    start = sunk.operations[0].outputs[0]
    readers = [o.operator.name for o in sunk.operations if start in o.inputs]
    assert "TRANSPOSE" not in readers, str(sunk)
    image = data(2, 3, 6, 4)
    for want, got in zip(evaluate(plain, [image]), evaluate(sunk, [image]), strict=True):
        np.testing.assert_array_equal(got, want)


def test_sizes_of_a_transpose() -> None:
    """They are read before it, so that it can go."""
    model, x = first("b", 3, 6, 4)
    turned = shape.transpose(x, perm=LAST)
    model.outputs = [index.gather(shape.shape(turned, dtype=Precision.INT64), [0, 3])]
    apply(model, (*CLEAN, sink_transposes, *CLEAN), checked=True)
    assert "TRANSPOSE" not in [o.operator.name for o in model.operations]
    np.testing.assert_array_equal(evaluate(model, [data(5, 3, 6, 4)])[0], [5, 3])


@pytest.mark.parametrize("back", [False, True])
def test_axes_of_size_1_are_moved_by_a_reshape(back: bool) -> None:
    """From a vector for each image to an image of one pixel, and from that to a vector."""
    model, x = first("b", 8, *((1, 1) if back else ()))
    if back:
        made = shape.reshape(shape.transpose(x, perm=LAST), [-1, 8])
    else:
        made = shape.transpose(shape.reshape(x, [-1, 1, 1, 8]), perm=FIRST)
    model.outputs = [made]
    apply(model, (sink_transposes, *CLEAN), checked=True)
    assert [o.operator.name for o in model.operations] == ["RESHAPE"]
    image = data(2, 8, *((1, 1) if back else ()))
    got = evaluate(model, [image])[0]
    np.testing.assert_array_equal(got.reshape(-1), image.reshape(-1))


@pytest.mark.parametrize(("axes", "before"), [([2], [3]), ([2, 3], [3, 4]), ([0, 3], [0, 4])])
def test_a_new_axis_stays_behind_the_one_in_front_of_it(axes: list[int], before: list[int]) -> None:
    """Memory stays in one order: behind axis 1 of the transposed tensor is behind its own axis."""
    model, x = first(2, 3, 6, 4)
    model.outputs = [shape.unsqueeze(shape.transpose(activation.tanh(x), perm=LAST), axes)]
    apply(model, (sink_transposes,), checked=True)
    (made,) = [o for o in model.operations if o.operator is shape.unsqueeze]
    added = made.inputs[1]
    assert added is not None
    assert added.known is not None
    assert sorted(added.known.tolist()) == before
