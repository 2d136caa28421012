"""Models in 16 bits: what is rounded, what stays float32, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from nnir.dim import symbol
from nnir.errors import BadInput
from nnir.model import Model, Value
from nnir.ops import activation, binary, control, generate, index, linear, norm, quant, shape, unary
from nnir.precision import Narrowed, largest, narrow, narrow_weights
from nnir.types import Precision, TensorType

F16, BF16, F32 = Precision.FLOAT16, Precision.BFLOAT16, Precision.FLOAT32
I64 = Precision.INT64


def one(build: Callable[[Model, Value], Any], sizes: tuple[int, ...] = (2, 64)) -> Model:
    """A model of one float32 input."""
    model = Model()
    x = model.input("x", TensorType(F32, sizes))
    model.outputs = [build(model, x)]
    return model


def half(model: Model, precision: Precision = F16) -> Narrowed:
    return narrow(model, precision, {})


def kinds(model: Model) -> list[tuple[str, str]]:
    return [(o.operator.name, o.outputs[0].precision.name) for o in model.operations]


def run(model: Model, x: np.ndarray) -> np.ndarray:
    (y,) = nna.compile(model)(x)
    return y


def constant(model: Model, operation: int, place: int) -> np.ndarray:
    """What an operation reads."""
    value = model.operations[operation].inputs[place]
    assert value is not None
    assert value.constant is not None
    return value.constant


def dense(model: Model, x: Value) -> Value:
    weights = np.random.default_rng(0).standard_normal((64, 32)).astype(np.float32)
    made = linear.mat_mul(
        x, model.constant(weights, name="w"), transpose_x=False, transpose_y=False
    )
    return activation.relu(made)


@pytest.mark.parametrize("precision", [F16, BF16])
def test_all_but_the_ends_is_rounded(precision: Precision) -> None:
    model = one(dense)
    done = half(model, precision)
    name = precision.name
    assert kinds(done.model) == [
        ("CAST", name), ("MAT_MUL", name), ("RELU", name), ("CAST", "FLOAT32")
    ]  # fmt: skip
    assert (done.count, done.kept, done.bounded) == (2, {}, ())
    assert [v.precision for v in (*done.model.inputs, *done.model.outputs)] == [F32, F32]
    assert [n for n, _ in done.model.named_outputs()] == [n for n, _ in model.named_outputs()]
    assert kinds(model) == [("MAT_MUL", "FLOAT32"), ("RELU", "FLOAT32")]  # as it was
    x = np.random.default_rng(1).standard_normal((2, 64)).astype(np.float32)
    exact, rounded = run(model, x), run(done.model, x)
    assert exact.dtype == rounded.dtype == np.float32
    error = np.abs(exact - rounded).max() / np.abs(exact).max()
    assert 0 < error < 4 * float(np.finfo(np.float16).eps if precision == F16 else 2**-7)


def test_what_is_named_stays_with_casts_beside_it() -> None:
    model = one(lambda m, x: activation.relu(unary.sqrt(activation.relu(x))))
    middle = model.operations[1]
    done = narrow(model, F16, {middle: "kept by 'SQRT'"})
    assert kinds(done.model)[2:4] == [("CAST", "FLOAT32"), ("SQRT", "FLOAT32")]
    assert list(done.kept.values()) == ["kept by 'SQRT'"]
    assert done.count == 2


@pytest.mark.parametrize("far", [np.finfo(np.float32).min, -1e9])
def test_a_mask_becomes_the_largest_number(far: float) -> None:
    mask = np.where(np.arange(64) < 60, 0, far).astype(np.float32)
    model = one(
        lambda m, x: activation.softmax(binary.add(x, m.constant(mask, name="mask")), axis=1)
    )
    done = half(model)
    assert done.bounded == ("mask",)
    found = constant(done.model, 1, 1)
    assert found.min() == -largest(F16)
    y = run(done.model, np.zeros((2, 64), np.float32))
    np.testing.assert_allclose(y[:, :60], 1 / 60, rtol=1e-3)


@pytest.mark.parametrize(
    ("number", "why"), [(70_000.0, "reaches 7e"), (1e-12, "is below what FLOAT16 holds: 1e-12")]
)
def test_a_constant_that_16_bits_cannot_hold_keeps_its_operation(number: float, why: str) -> None:
    model = one(lambda m, x: binary.mul(x, m.constant(np.float32(number), name="factor")))
    done = half(model)
    assert [why in reason for reason in done.kept.values()] == [True]
    assert done.model.operations[-1].operator.name == "MUL"
    assert kinds(half(model, BF16).model)[1] == ("MUL", "BFLOAT16")  # which has the exponents


def test_sizes_and_positions_are_computed_as_before() -> None:
    def doubled(model: Model, x: Value) -> Value:
        """Repeated as often as half of the axis has elements, computed with real numbers."""
        count = unary.cast(shape.shape(x, dtype=I64), dtype=F32)
        halved = unary.cast(binary.mul(count, model.constant(np.float32(0.5))), dtype=I64)
        return shape.expand(activation.relu(x), binary.mul(halved, model.constant(np.int64(2))))

    model = Model()
    model.symbols["n"] = (0, None)
    x = model.input("x", TensorType(F32, (symbol("n"), 64)))
    model.outputs = [doubled(model, x)]
    done = half(model)
    assert "it computes sizes" in done.kept.values()
    x_data = np.zeros((4100, 64), np.float32)  # float16 has no 4100
    assert run(done.model, x_data).shape == (4100, 64)


def test_types_in_attributes_follow() -> None:
    def built(model: Model, x: Value) -> Value:
        whole = unary.cast(x, dtype=I64)
        return binary.add(unary.cast(whole, dtype=F32), x)

    done = half(one(built))
    assert ("CAST", "FLOAT16") in kinds(done.model)[1:]
    assert kinds(done.model)[-2] == ("ADD", "FLOAT16")


def test_operators_that_16_bits_do_not_suit() -> None:
    def counted(model: Model, x: Value) -> Value:
        numbers = (model.constant(np.float32(k)) for k in (0, 64, 1))
        return binary.add(x, generate.range_(*numbers))

    model = one(counted)
    reasons = narrow(model, F16, {}).kept
    assert list(reasons.values()) == ["it counts or finds positions"]

    def quantised(model: Model, x: Value) -> Value:
        whole = np.random.default_rng(0).integers(-128, 127, (64, 32)).astype(np.int8)
        scale, zero = model.constant(np.float32(0.01)), model.constant(np.int8(0))
        weights = quant.dequantize_linear(model.constant(whole), scale, zero)
        return linear.mat_mul(x, weights, transpose_x=False, transpose_y=False)

    done = half(one(quantised))
    assert list(done.kept.values()) == ["its scales stay exact"]
    assert ("MAT_MUL", "FLOAT16") in kinds(done.model)


def test_models_of_operations_stay() -> None:
    inner = Model()
    y = inner.input("y", TensorType(F32, (2, 64)))
    inner.outputs = [activation.relu(y)]
    other = Model()
    z = other.input("z", TensorType(F32, (2, 64)))
    other.outputs = [unary.neg(z)]

    def chosen(model: Model, x: Value) -> Value:
        flag = model.input("flag", TensorType(Precision.BOOL8, ()))
        (made,) = control.if_(flag, activation.relu(x), then_model=inner, else_model=other)
        return made

    done = half(one(chosen))
    assert list(done.kept.values()) == ["it runs models of its own"]


def test_weights_alone() -> None:
    model = one(dense)
    done = narrow_weights(model, F16, {})
    assert kinds(done.model) == [
        ("CAST", "FLOAT32"), ("MAT_MUL", "FLOAT32"), ("RELU", "FLOAT32")
    ]  # fmt: skip
    assert constant(done.model, 0, 0).dtype == np.float16
    x = np.random.default_rng(1).standard_normal((2, 64)).astype(np.float32)
    rounded = constant(model, 0, 1).astype(np.float16).astype(np.float32)
    np.testing.assert_allclose(run(done.model, x), np.maximum(x @ rounded, 0), rtol=1e-5, atol=1e-5)
    kept = narrow_weights(model, F16, {model.operations[0]: "kept"})
    assert kinds(kept.model) == kinds(model)
    assert list(kept.kept.values()) == ["kept"]


def test_scales_are_no_weights() -> None:
    """One for each of 300 channels: the integers would stand for other numbers."""
    whole = np.random.default_rng(0).integers(-128, 127, (64, 300)).astype(np.int8)
    scales = np.random.default_rng(1).uniform(0.01, 0.1, 300).astype(np.float32)

    def build(model: Model, x: Value) -> Value:
        real = quant.dequantize_linear(model.constant(whole), model.constant(scales), axis=1)
        return linear.mat_mul(x, real, transpose_x=False, transpose_y=False)

    done = narrow_weights(one(build), F16, {})
    assert constant(done.model, 0, 1).dtype == np.float32
    assert list(done.kept.values()) == ["its scales stay exact"]


def test_what_stays_float32_bounds_nothing() -> None:
    far = np.full(64, np.finfo(np.float32).min, np.float32)
    model = one(lambda m, x: binary.add(x, m.constant(far, name="mask")))
    done = narrow(model, F16, {model.operations[0]: "kept"})
    assert done.bounded == ()
    assert constant(done.model, 0, 1).min() == far.min()


def test_layers_that_engines_compute_whole() -> None:
    def layered(model: Model, x: Value) -> Value:
        ones = model.constant(np.ones(64, np.float32))
        made = norm.layer_normalization(x, ones, ones, begin_norm_axis=1, epsilon=1e-12)
        return index.gather(made, model.constant(np.array([1, 0])), axis=0)

    done = half(one(layered))
    assert [k for k, _ in kinds(done.model)] == ["CAST", "LAYER_NORMALIZATION", "GATHER", "CAST"]


def test_another_precision_is_refused() -> None:
    with pytest.raises(BadInput, match="float16, bfloat16"):
        nna.to_precision(one(dense), "int8")
    with pytest.raises(BadInput, match="no operation is called 'MATMUL': did you mean MAT_MUL"):
        nna.to_precision(one(dense), "float16", keep_float32=["MATMUL"])
    kept = nna.to_precision(one(dense), "float16", keep_float32=["RELU, MAT_*"])
    assert kinds(kept) == kinds(one(dense))
