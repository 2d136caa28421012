"""Models in float64 that compute in float32, for devices without float64."""

from __future__ import annotations

import numpy as np
import pytest

import nnadapter as nna
from nnir.dim import symbol
from nnir.errors import NoLowering
from nnir.model import Model, Value
from nnir.ops import activation, binary, compare, complex, control, generate, shape, unary
from nnir.precision import Narrowed, is_wide, narrow, narrow_weights
from nnir.state import State
from nnir.stateful import make_explicit, make_held
from nnir.types import Precision, TensorType

F32, F64, I64 = Precision.FLOAT32, Precision.FLOAT64, Precision.INT64


def begin(sizes: tuple[object, ...] = (2, 64)) -> tuple[Model, Value]:
    model = Model()
    return model, model.input("x", TensorType(F64, sizes))  # type: ignore[arg-type]


def single(model: Model) -> Narrowed:
    done = narrow(model, F32, {})
    assert is_wide(model)
    return done


def draw(*sizes: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(sizes)


def test_the_ends_change_too() -> None:
    model, x = begin()
    weights = model.constant(draw(2, 64), name="w")
    model.outputs = [activation.relu(x * weights), compare.greater(x, weights), weights]
    done = single(model)
    assert not is_wide(done.model)
    assert (done.count, done.kept, done.bounded) == (3, {}, ())
    assert [v.precision for v in done.model.outputs] == [F32, Precision.BOOL8, F32]
    given = draw(2, 64)
    wide = nna.compile(model)(given)
    narrowed = nna.compile(done.model)(given.astype(np.float32))
    np.testing.assert_allclose(narrowed[0], wide[0], rtol=1e-6)
    np.testing.assert_array_equal(narrowed[1], wide[1])
    np.testing.assert_array_equal(narrowed[2], wide[2].astype(np.float32))


def test_types_among_attributes_and_complex_numbers() -> None:
    model, x = begin()
    count = model.input("count", TensorType(I64, (64,)))
    real = unary.cast(count, dtype=F64) + x
    both = complex.complex_(real, real)
    model.outputs = [unary.abs_(both), both]
    done = single(model)
    assert not is_wide(done.model)
    assert not done.kept


def test_branches_are_narrow_inside() -> None:
    bodies = []
    for operator in (activation.relu, unary.neg):
        body = Model()
        y = body.input("y", TensorType(F64, (2, 64)))
        body.outputs = [operator(y) * body.constant(np.float64(1.1))]
        bodies.append(body)
    model, x = begin()
    flag = model.input("flag", TensorType(Precision.BOOL8, ()))
    then, other = bodies
    model.outputs = list(control.if_(flag, x, then_model=then, else_model=other))
    done = single(model)
    assert not is_wide(done.model)
    assert done.count == 5  # two in each branch, and the choice
    assert is_wide(bodies[0])
    given = draw(2, 64)
    for chosen in (True, False):
        (wide,) = nna.compile(model)(given, np.array(chosen))
        (narrowed,) = nna.compile(done.model)(given.astype(np.float32), np.array(chosen))
        assert narrowed.dtype == np.float32
        np.testing.assert_allclose(narrowed, wide, rtol=1e-6)


def test_sizes_are_computed_in_float64() -> None:
    """16,777,217 is no float32."""
    model, x = begin((symbol("n"),))
    size = unary.cast(shape.shape(x, dtype=I64), dtype=F64) + model.constant(np.float64(16_777_216))
    exact = unary.cast(size, dtype=I64)
    filled = generate.fill(exact - 16_777_215, model.constant(np.float64(2)))
    model.outputs = [x.cast(F64), filled, exact]
    done = single(model)
    assert set(done.kept.values()) == {"it computes sizes"}
    wide = nna.compile(model)(draw(1))
    narrowed = nna.compile(done.model)(draw(1).astype(np.float32))
    assert narrowed[1].shape == wide[1].shape == (2,)
    assert narrowed[1].dtype == np.float32
    assert narrowed[2] == wide[2] == 16_777_217


def test_constants_beyond_float32() -> None:
    model, x = begin()
    mask = model.constant(np.array([0, -1e300]).repeat(32), name="mask")
    model.outputs = [activation.softmax(x + mask, axis=1)]
    done = single(model)
    assert done.bounded == ("mask",)
    given = draw(2, 64)
    (wide,), (narrowed,) = nna.compile(model)(given), nna.compile(done.model)(given.astype("f4"))
    np.testing.assert_allclose(narrowed, wide, rtol=1e-5)
    model, x = begin()
    model.outputs = [x / (x * x + model.constant(np.float64(1e-300), name="small"))]
    done = single(model)
    assert list(done.kept.values()) == ["small is below what FLOAT32 holds: 1e-300"]
    assert [v.precision for v in (*done.model.inputs, *done.model.outputs)] == [F32, F32]
    (sum_,) = (o for o in done.model.operations if o.label in done.kept)
    assert sum_.outputs[0].precision == F64


def test_states_are_narrow() -> None:
    model, x = begin((2,))
    total = model.input("total", TensorType(F64, (2,)))
    model.outputs = [x * 2, total + x]
    model.states = [State("total", np.array([0.5, 1.5]))]
    done = single(model)
    assert done.model.states[0].initial.dtype == np.float32
    with nna.compile(model) as wide, nna.compile(done.model) as narrowed:
        for _ in range(3):
            want = wide(np.ones(2))
            np.testing.assert_array_equal(narrowed(np.ones(2, "f4"))[0], want[0])
        np.testing.assert_array_equal(narrowed.states["total"], wide.states["total"])
    explicit = make_held(single(make_explicit(model)).model)
    assert [s.initial.dtype for s in explicit.states] == [np.float32]


def test_weights_alone_and_what_is_float32_already() -> None:
    model, x = begin((2, 300))
    model.outputs = [binary.add(x, model.constant(draw(300), name="w"))]
    done = narrow_weights(model, F32, {})
    assert done.count == 1
    assert [v.precision for v in (*done.model.inputs, *done.model.outputs)] == [F64, F64]
    (value,) = (v for v in done.model.values() if v.constant is not None)
    assert value.precision == F32
    narrowed = nna.to_precision(model, "float32")
    assert narrow(narrowed, F32, {}).count == 0


def test_a_device_without_float64_names_the_option() -> None:
    model, x = begin()
    model.outputs = [activation.relu(x)]
    for device in ("openvino", "litert"):
        with pytest.raises(NoLowering, match="`nnadapter convert FILE NEW --precision float32`"):
            nna.compile(model, device)
        with nna.compile(nna.to_precision(model, "float32"), device) as program:
            (found,) = program(draw(2, 64).astype(np.float32))
        np.testing.assert_array_equal(found, np.maximum(draw(2, 64), 0).astype(np.float32))
