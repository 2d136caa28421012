"""OpenVINO fuses what comes after a reduction, and moves what comes before behind it."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

import nnadapter as nna
from nnir.dim import symbol
from nnir.model import Model, Value
from nnir.ops import activation, binary, reduce, shape
from nnir.types import Precision, TensorType

RNG = np.random.default_rng(0)
FLOAT32 = Precision.FLOAT32
AXES = [a for count in (1, 2, 3) for a in itertools.combinations(range(3), count)]
SIZES = (2, 3, 4), (1, 8, 5), (6, 5, 2), (7, 1, 9), (5, 6, 1)


def row(y: Value) -> Value:
    """A product with a number for each place of the last axis."""
    return binary.mul(y, y.model.constant(RNG.normal(size=y.shape[-1:]).astype(np.float32)))


def slope(y: Value) -> Value:
    """A slope for each place of the second axis, of all there are."""
    count = y.shape[1] if y.rank > 1 else 1
    return activation.prelu(y, y.model.constant(RNG.normal(size=count).astype(np.float32)))


def stacked(y: Value) -> Value:
    return shape.stack(y, y, y, axis=y.rank)


def widened(y: Value) -> Value:
    """An axis behind, and sums over the first one."""
    wide = shape.unsqueeze(y, [y.rank])
    return shape.unsqueeze(reduce.reduce_sum(wide, [0], keepdim=True), [0])


def turned(y: Value) -> Value:
    return activation.relu(shape.transpose(y, perm=tuple(range(y.rank))[::-1]))


AFTER: dict[str, Callable[[Value], Value]] = {
    f.__name__: f for f in (row, slope, stacked, widened, turned)
}


def differences(model: Model, x: np.ndarray) -> list[float]:
    """Of the results of OpenVINO to those of the references."""
    found, wanted = (nna.compile(model, d)(x) for d in ("openvino", "builtin"))
    assert [a.shape for a in found] == [a.shape for a in wanted]
    return [float(np.abs(a - b).max(initial=0)) for a, b in zip(found, wanted, strict=True)]


def reduced(operator: Callable[..., Value], sizes: tuple[int, ...], is_open: bool) -> Model:
    """All reductions of three axes, and all that may come after each."""
    model = Model("reduced")
    given = tuple(symbol(f"n{k}") for k in range(3)) if is_open else sizes
    x = model.input("x", TensorType(FLOAT32, given))
    for axes, keepdim in itertools.product(AXES, (True, False)):
        y = operator(x, list(axes), keepdim=keepdim)
        known = {"row", "slope"} if is_open else set[str]()
        able = [f for name, f in AFTER.items() if y.rank and name not in known]
        model.outputs += [y, *(f(y) for f in able)]
    return model


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("is_open", [False, True])
def test_what_comes_after_a_reduction(sizes: tuple[int, ...], is_open: bool) -> None:
    model = reduced(reduce.reduce_sum, sizes, is_open)
    x = RNG.normal(size=sizes).astype(np.float32)
    assert max(differences(model, x)) < 1e-4


@pytest.mark.parametrize("name", ["reduce_max", "reduce_mean", "reduce_min"])
@pytest.mark.parametrize("axes", AXES, ids=str)
@pytest.mark.parametrize("after", AFTER)
def test_one_at_a_time(name: str, axes: tuple[int, ...], after: str) -> None:
    """Where others read a reduction too, less is fused."""
    for sizes, keepdim in itertools.product(SIZES, (True, False)):
        model = Model("one")
        x = model.input("x", TensorType(FLOAT32, sizes))
        y = getattr(reduce, name)(x, list(axes), keepdim=keepdim)
        if y.rank:
            model.outputs = [AFTER[after](y)]
            data = RNG.normal(size=sizes).astype(np.float32)
            assert max(differences(model, data)) < 1e-4, (sizes, keepdim)


def test_nothing_to_reduce_of_an_open_size() -> None:
    model = Model("empty")
    x = model.input("x", TensorType(FLOAT32, (symbol("a"), symbol("b"), 3)))
    ways = itertools.product(AXES, (True, False))
    model.outputs = [reduce.reduce_sum(x, list(axes), keepdim=keepdim) for axes, keepdim in ways]
    for sizes in ((0, 2, 3), (2, 0, 3), (0, 0, 3), (2, 2, 3)):
        assert max(differences(model, np.ones(sizes, np.float32))) < 1e-5
