"""How often loops run: what is counted when sizes become known, and what stays open."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import nnadapter as nna
from nnir import build
from nnir.dim import symbol
from nnir.iterations import MOST_TRIPS
from nnir.model import Model, Value
from nnir.ops import control, index, random, reduce, shape
from nnir.specialise import fix_sizes, specialise
from nnir.types import Precision, TensorType

F32, I64 = Precision.FLOAT32, Precision.INT64


def rows_of(x: Value) -> Value:
    return shape.reshape(build.vector(x.model, [build.size_of(x, 0)]), [])


def looping(
    limit: Callable[[Value], Value | int] = rows_of,
    start: Callable[[Value], Value | int] = lambda x: 0,
    go_on: Callable[[Value, Value, Value], Value] = lambda count, end, state: count < end,
    step: int = 1,
) -> Model:
    """Adds 1 to a state and stacks its doubles, from a start to a limit."""
    model = Model()
    x = model.input("x", TensorType(F32, (symbol("n"), 4)))

    def number(made: Value | int) -> Value:
        return made if isinstance(made, Value) else model.constant(np.int64(made))

    first, end, ones = number(start(x)), number(limit(x)), model.constant(np.ones(4, np.float32))
    body = Model("body", model)
    count, state = body.input("count", TensorType(I64, ())), body.input("state", ones.type)
    inner = body.input("end", TensorType(I64, ()))
    after = count + step
    body.outputs = [go_on(after, inner, state), after, state + 1, state * 2]
    made = control.while_(first < end, first, ones, end, body=body, carried=2)
    model.outputs = list(made)
    return model


def trips_of(model: Model) -> int | None:
    (loop,) = (o for o in model.operations if o.operator is control.while_)
    found: int | None = loop.attributes["trips"]
    return found


@pytest.mark.parametrize(
    ("model", "trips"),
    [
        (looping(), 5),
        (looping(step=2), 3),
        (looping(limit=lambda x: rows_of(x) * 2 - 3, step=3), 3),
        (looping(limit=lambda x: 7, start=lambda x: 9), 0),
        (looping(limit=lambda x: MOST_TRIPS), MOST_TRIPS),
        (looping(limit=lambda x: MOST_TRIPS + 1), None),
        (looping(go_on=lambda count, end, state: count < end * 2), 10),
        (looping(go_on=lambda count, end, state: (count < end) & (count < 2)), 2),
    ],
    ids=str,
)
def test_counters(model: Model, trips: int | None) -> None:
    assert trips_of(model) is None
    closed = specialise(model, [(5, 4)])
    assert trips_of(closed) == trips
    if trips is not None:
        assert [v.shape for v in closed.outputs] == [(), (4,), (trips, 4)]
    x = np.zeros((5, 4), np.float32)
    results = nna.compile(model)(x), nna.compile(closed)(x)
    for open_, known in zip(*results, strict=True):
        np.testing.assert_array_equal(open_, known)
    if trips is not None:
        assert results[0][2].shape == (trips, 4)


def test_what_only_running_tells() -> None:
    """Where it starts by data, and what is drawn."""
    by_state = looping(go_on=lambda count, end, state: reduce.reduce_max(state, [0]) < 9)
    known = specialise(by_state, [(5, 4)])  # it begins with ones, whatever the data are
    assert trips_of(known) == len(nna.compile(by_state)(np.zeros((5, 4), np.float32))[2]) == 9
    by_data = looping(start=lambda x: shape.reshape(reduce.reduce_sum(x, []).cast(I64), []))
    assert trips_of(specialise(by_data, [(5, 4)])) is None
    by_chance = looping(go_on=lambda count, end, state: count < end + drawn(state))
    assert trips_of(specialise(by_chance, [(5, 4)])) is None


def drawn(state: Value) -> Value:
    one = random.random_uniform(state.model.constant(np.array([1])), dtype=F32)
    return shape.reshape(one.cast(I64), [])


def test_sizes_by_name_are_enough() -> None:
    assert trips_of(fix_sizes(looping(), {"n": 3})) == 3
    assert trips_of(fix_sizes(looping(), {})) is None


@pytest.mark.parametrize("device", ["litert", "nnrt", "openvino"])
def test_devices_write_it_out(device: str) -> None:
    """Those that have no stacking loops, too, once a call says the sizes."""
    x = np.zeros((3, 4), np.float32)
    want = nna.compile(looping())(x)
    with nna.compile(looping(), device) as program:
        for got, right in zip(program(x), want, strict=True):
            np.testing.assert_array_equal(got, right)


def test_a_limit_that_fails_is_told_while_running() -> None:
    """Positions beyond the end: counting leaves it to whoever runs the loop."""

    def go_on(count: Value, end: Value, state: Value) -> Value:
        table = count.model.constant(np.array([True, True]))
        return index.gather(table, count, axis=0) & (count < end)

    model = looping(limit=lambda x: 9, go_on=go_on)
    assert trips_of(fix_sizes(model, {"n": 2})) is None
