"""Control flow; in ONNX its sub-graphs are no arrays, so no ONNX case can hold them."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.model import Model
from nnir.ops import activation, binary, compare, control, reduce
from nnir.types import Precision, TensorType

from ...case import f, i, rand
from .direct import DirectCase

KNOWN, FLAGS = rand(2, 3, seed=5), rand(2, 3, seed=6) > 0
FLOATS, COUNT, FLAG = Precision.FLOAT32, Precision.INT64, Precision.BOOL8


def _sum_model() -> Model:
    model = Model("sum")
    a, b = (model.input(n, TensorType(FLOATS, (2, 3))) for n in "ab")
    model.outputs = [binary.add(a, b), b]
    return model


def _relu_model() -> Model:
    model = Model("relu")
    a, b = (model.input(n, TensorType(FLOATS, (2, 3))) for n in "ab")
    model.outputs = [activation.relu(b), a]
    return model


def _row_model() -> Model:
    """The first output of another size than that of the other branch."""
    model = Model("row")
    a, b = (model.input(n, TensorType(FLOATS, (2, 3))) for n in "ab")
    model.outputs = [reduce.reduce_sum(a, [0], keepdim=True), b]
    return model


def _known_model() -> Model:
    """What is known before: floats and flags."""
    model = Model("known")
    for name in "ab":
        model.input(name, TensorType(FLOATS, (2, 3)))
    model.outputs = [model.constant(KNOWN), model.constant(FLAGS)]
    return model


def _signs_model() -> Model:
    model = Model("signs")
    a, b = (model.input(n, TensorType(FLOATS, (2, 3))) for n in "ab")
    model.outputs = [a, compare.greater(b, 0)]
    return model


def _halving() -> Model:
    """State (count, x) and a fixed step: go on while count < 5; scan x."""
    model = Model("halving")
    count = model.input("count", TensorType(COUNT, (1,)))
    x = model.input("x", TensorType(FLOATS, (3,)))
    step = model.input("step", TensorType(FLOATS, (3,)))
    after = binary.add(count, 1)
    moved = binary.mul(x, step)
    model.outputs = [compare.less(after, 5), after, moved, x]
    return model


def when(
    condition: np.ndarray, a: np.ndarray, b: np.ndarray, *, then_model: Model, else_model: Model
) -> list[np.ndarray]:
    """What the models above compute."""
    made = {
        "sum": [a + b, b],
        "relu": [np.maximum(b, 0), a],
        "row": [a[:1] + a[1:], b],
        "known": [KNOWN, FLAGS],
        "signs": [a, b > 0],
    }
    return made[(then_model if condition.flat[0] else else_model).name]


def halving(
    condition: np.ndarray,
    count: np.ndarray,
    x: np.ndarray,
    step: np.ndarray,
    *,
    body: Model,
    carried: int,
    trips: int | None = None,
) -> list[np.ndarray]:
    """The same loop in Python."""
    seen = []
    go = bool(condition.flat[0])
    while go:
        seen.append(x)
        count, x = count + 1, x * step
        go = bool(count[0] < 5)
    return [count, x, np.array(seen, np.float32).reshape(-1, 3)]


SUM, RELU, ROW, HALVING = _sum_model(), _relu_model(), _row_model(), _halving()
PAIR = rand(2, 3), rand(2, 3, seed=1)
START = f(1, np.nan, -8), f(0.5, 2, -0.25)
LOOP = {"body": HALVING, "carried": 2}
YES, NO = np.array([True]), np.array([False])
BRANCHES = {"then_model": SUM, "else_model": RELU}
SIZES = {"then_model": SUM, "else_model": ROW}
CONSTANTS = {"then_model": _known_model(), "else_model": _signs_model()}
CASES = [
    DirectCase(control.if_, (YES, *PAIR), BRANCHES, when, why="true"),
    DirectCase(control.if_, (NO, *PAIR), BRANCHES, when, why="false"),
    DirectCase(control.if_, (np.array(True), *PAIR), BRANCHES, when, why="rank 0"),
    DirectCase(control.if_, (YES, *PAIR), SIZES, when, why="other sizes, true"),
    DirectCase(control.if_, (NO, *PAIR), SIZES, when, why="other sizes, false"),
    DirectCase(control.if_, (f(1), *PAIR), BRANCHES, why="a number", raises=BadType),
    DirectCase(control.if_, (YES, PAIR[0]), BRANCHES, why="an input missing", raises=BadType),
    DirectCase(control.while_, (YES, i(0), *START), LOOP, halving, why="five times"),
    DirectCase(control.while_, (YES, i(9), *START), LOOP, halving, why="once"),
    DirectCase(control.while_, (NO, i(0), *START), LOOP, halving, why="never"),
    DirectCase(
        control.while_, (YES, i(2), *START), LOOP | {"trips": 3}, halving, why="known number"
    ),
    DirectCase(control.while_, (i(1), i(0), *START), LOOP, why="a number", raises=BadType),
    DirectCase(
        control.while_, (YES, i(0, dtype=np.int32), *START), LOOP, why="int32 state", raises=BadType
    ),
    DirectCase(control.if_, (YES, *PAIR), CONSTANTS, when, why="constants, true"),
    DirectCase(control.if_, (NO, *PAIR), CONSTANTS, when, why="constants, false"),
]
