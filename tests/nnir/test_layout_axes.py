"""Transposes sink through every operator along every axis: values, types and names stay."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations

import numpy as np
import pytest

from nnir.dim import Expr, symbol
from nnir.evaluate import evaluate
from nnir.model import Model, Value
from nnir.ops import activation, binary, compare, index, norm, quant, reduce, shape, unary
from nnir.passes import apply
from nnir.passes.layout import sink_transposes
from nnir.types import PadMode, Precision, TensorType

SIZES = (2, 3, 4, 5)
ORDERS = ((0, 2, 3, 1), (0, 3, 1, 2), (3, 1, 0, 2), (2, 0, 3, 1))
INT64 = Precision.INT64
Build = Callable[[Value], Value | list[Value]]


def numbers(*sizes: int) -> np.ndarray:
    """Numbers that all differ, of either sign."""
    return np.linspace(-2, 3, int(np.prod(sizes)), dtype=np.float32).reshape(sizes)


AXIS: dict[str, Callable[[Value, int], Value | list[Value]]] = {
    "arg_max": lambda x, a: reduce.arg_max(x, axis=a, keepdim=False, dtype=INT64),
    "arg_min": lambda x, a: reduce.arg_min(x, axis=a, keepdim=True, dtype=INT64),
    "cum_sum": lambda x, a: reduce.cum_sum(x, a, exclusive=True),
    "cum_prod": lambda x, a: reduce.cum_prod(x, a, reverse=True),
    "softmax": lambda x, a: activation.softmax(x, axis=a),
    "lp_normalization": lambda x, a: norm.lp_normalization(x, axis=a, p=2),
    "concat": lambda x, a: shape.concat(x, unary.neg(x), axis=a),
    "gather": lambda x, a: index.gather(x, [1, 0, 1], axis=a),
    "gather one": lambda x, a: index.gather(x, 1, axis=a),
    "split": lambda x, a: list(shape.split(x, [1, x.sizes[a] - 1], axis=a)),
    "unstack": lambda x, a: list(shape.unstack(x, axis=a, num=x.sizes[a])),
    "stack": lambda x, a: shape.stack(x, unary.neg(x), axis=a),
    "stack behind": lambda x, a: shape.stack(x, unary.neg(x), axis=a + 1 if a >= 0 else a - 1),
    "slice": lambda x, a: index.slice_(x, [a], [1], [9]),
    "slice backwards": lambda x, a: index.slice_(x, [a], [-1], [-9], [-1]),
    "scales": lambda x, a: quant.quantize_linear(x, numbers(x.sizes[a]) + 3, axis=a),
    "pad": lambda x, a: shape.pad(x, around(a, 1, 2), np.float32(7)),
    "pad by reflection": lambda x, a: shape.pad(x, around(a, 0, 1), mode=PadMode.REFLECT),
    "tile": lambda x, a: shape.tile(x, [3 if k == a % 4 else 1 for k in range(4)]),
    "expand": lambda x, a: shape.expand(reduce.reduce_max(x, [a], keepdim=True), [*x.sizes]),
}
"""What takes one axis."""

AXES: dict[str, tuple[Callable[[Value, list[int]], Value], list[tuple[int, ...]]]] = {
    "sum": (
        lambda x, a: reduce.reduce_sum(x, a, keepdim=False),
        [*combinations(range(4), 2), (-1, 0), (-2, -3), (1,), (0, 1, 3), ()],
    ),
    "sum that keeps": (
        lambda x, a: reduce.reduce_sum(x, a, keepdim=True),
        [*combinations(range(4), 2), (-1,), ()],
    ),
    "unsqueeze": (
        shape.unsqueeze,
        [*combinations(range(6), 2), (-1,), (-5, 0), (2,), (0, 1, 2), (1, 2, 5)],
    ),
    "slice": (
        lambda x, a: index.slice_(x, a, [1] * len(a), [9] * len(a)),
        [(3, 0), (-2, 1), (0, 1, 2)],
    ),
    "slice of the first": (
        lambda x, a: index.slice_(x, None, [1] * len(a), [9] * len(a)),
        [(0,), (0, 1)],
    ),
}
"""What takes a list of axes."""


def around(axis: int, before: int, behind: int) -> list[int]:
    """Pads of one axis."""
    pairs = [(before, behind) if k == axis % 4 else (0, 0) for k in range(4)]
    return [n for pair in pairs for n in pair]


PAIRED: dict[str, Build] = {
    "number": lambda x: binary.sub(np.float32(2), x),
    "vector": lambda x: binary.mul(x, numbers(x.sizes[3])),
    "planes": lambda x: binary.add(numbers(x.sizes[2], 1), x),
    "itself": lambda x: binary.mul(x, unary.exp(x)),
    "choice": lambda x: compare.where(compare.greater(x, 0), x, unary.neg(x)),
    "one of each image": lambda x: binary.add(
        x, shape.reshape(x.model.input("more", TensorType(Precision.FLOAT32, (1,))), [1, 1, 1])
    ),
}
"""What needs other operands in the same order."""


def judge(build: Build, sizes: tuple[int, ...], order: tuple[int, ...]) -> Model:
    """The model behind the pass, whose results must be those before it."""
    models = []
    for _ in range(2):
        model = Model()
        x = model.input("x", TensorType(Precision.FLOAT32, sizes))
        made = build(shape.transpose(x, perm=order))
        model.outputs = made if isinstance(made, list) else [made]
        model.output_names = [f"y{k}" for k in range(len(model.outputs))]
        models.append(model)
    plain, sunk = models
    assert apply(sunk, [sink_transposes], checked=True) == ["sink_transposes"]
    assert apply(sunk, [sink_transposes], checked=True) == [], "a second run finds nothing"
    arrays = [numbers(*v.sizes) for v in plain.inputs]
    assert [n for n, _ in sunk.named_outputs()] == plain.output_names
    for want, got in zip(evaluate(plain, arrays), evaluate(sunk, arrays), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)
    return sunk


def require_sunk(build: Build) -> None:
    """The results stay, and nothing but the operator reads the input."""
    for order in ORDERS:
        sunk = judge(build, SIZES, order)
        first = sunk.inputs[0]
        readers = {o.operator.name for o in sunk.operations if first in o.inputs}
        assert "TRANSPOSE" not in readers, f"{order}: {sunk}"


@pytest.mark.parametrize("axis", range(-4, 4))
@pytest.mark.parametrize("name", AXIS)
def test_one_axis(name: str, axis: int) -> None:
    require_sunk(lambda x: AXIS[name](x, axis))


@pytest.mark.parametrize("name", AXES)
def test_several_axes(name: str) -> None:
    build, axes = AXES[name]
    for some in axes:
        require_sunk(lambda x, some=some: build(x, [*some]))  # type: ignore[misc]


@pytest.mark.parametrize("name", PAIRED)
def test_several_operands(name: str) -> None:
    require_sunk(PAIRED[name])


@pytest.mark.parametrize("order", [*permutations(range(4))][1:], ids=str)
def test_reshapes_of_every_order(order: tuple[int, ...]) -> None:
    """Axes of size 1, merged and split ones. A rule may leave them; the results stay."""
    for sizes in ((2, 1, 3, 4), (1, 2, 1, 3), (2, 3, 4, 5)):
        a, b, c, d = (sizes[p] for p in order)
        for target in (
            [a * b, c, d],
            [a, b, c * d],
            [a * b * c * d],
            [a, 1, b, c, d],
            [a, b * c, d, 1],
        ):
            models = [reshaped(sizes, order, target) for _ in range(2)]
            apply(models[1], [sink_transposes], checked=True)
            want, got = (evaluate(m, [numbers(*sizes)])[0] for m in models)
            np.testing.assert_array_equal(got, want)


def reshaped(sizes: tuple[int, ...], order: tuple[int, ...], target: list[int]) -> Model:
    """A model of a reshape behind a transpose."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, sizes))
    model.outputs = [shape.reshape(shape.transpose(x, perm=order), target)]
    return model


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_sizes_that_are_open(order: tuple[int, ...]) -> None:
    """Two of them cannot both be -1."""
    for sizes in ((symbol("b"), 3, symbol("s"), 1), (symbol("b"), 3, 4, 5), (2, symbol("s"), 1, 1)):
        model = Model()
        model.symbols.update(b=(1, None), s=(1, None))
        x = model.input("x", TensorType(Precision.FLOAT32, sizes))
        turned = shape.transpose(x, perm=order)
        model.outputs = [
            shape.reshape(turned, [0, 0, -1]),
            shape.reshape(turned, [-1]),
            reduce.reduce_sum(turned, [-1], keepdim=True) + turned,
        ]
        array = numbers(*(7 if isinstance(d, Expr) else d for d in sizes))
        before = evaluate(model, [array])
        apply(model, [sink_transposes], checked=True)
        for want, got in zip(before, evaluate(model, [array]), strict=True):
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("order", [(1, 0), (0, 1), None], ids=str)
@pytest.mark.parametrize("stored", ["constant", "input"])
@pytest.mark.parametrize("block", [0, 2])
def test_quantised_matrices(order: tuple[int, ...] | None, stored: str, block: int) -> None:
    """A constant is stored in the order in which it is read, with its scales along its axis."""
    model = Model()
    whole = np.arange(-6, 6, dtype=np.int8).reshape(4, 3)
    x = model.input("x", TensorType(Precision.INT8, (4, 3)))
    data = model.constant(whole) if stored == "constant" else x
    scales = model.constant(numbers(2, 3) + 3 if block else numbers(4) + 3)
    real = quant.dequantize_linear(data, scales, axis=0, block_size=block)
    model.outputs = [shape.transpose(real, perm=order), unary.cast(x, dtype=Precision.FLOAT32)]
    before = evaluate(model, [whole])
    apply(model, [sink_transposes], checked=True)
    names = [o.operator.name for o in model.operations]
    assert ("TRANSPOSE" in names) == (stored == "input" or block > 0)
    for want, got in zip(before, evaluate(model, [whole]), strict=True):
        np.testing.assert_array_equal(got, want)
