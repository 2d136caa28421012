"""How real numbers become integers of quantised types, over every integer of 8 bits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from nnir.affine import limits_of, problem_of, to_integers, to_real
from nnir.check import check
from nnir.errors import BadModel, BadType
from nnir.evaluate import evaluate
from nnir.model import Model, Value
from nnir.ops import activation, binary, conv, quant, reduce, shape
from nnir.types import DTYPES, Fuse, Precision, Quantization, TensorType

ASYMM, SYMM = Precision.QUANT_UINT8_ASYMM_PER_LAYER, Precision.QUANT_INT8_SYMM_PER_LAYER
CHANNELS = Precision.QUANT_INT8_SYMM_PER_CHANNEL
WINDOW = {"strides": (1, 1), "dilations": (1, 1)}
BYTES = np.arange(256, dtype=np.uint8)


def layer(
    scale: float, zero: int = 0, kind: Precision = ASYMM, sizes: tuple[int, ...] = (256,)
) -> TensorType:
    return TensorType(kind, sizes, quantization=Quantization((scale,), (zero,)))


def nearest(real: Fraction, scale: Fraction, zero: int, kind: Precision) -> int:
    """The integer by exact arithmetic; Python rounds halves to even."""
    low, high = limits_of(kind)
    return min(max(round(real / scale) + zero, low), high)


@pytest.mark.parametrize("kind", [ASYMM, SYMM])
def test_halves_go_to_even_and_the_rest_saturates(kind: Precision) -> None:
    halves = np.arange(-1200, 1200) / np.float32(2)
    steps = np.array([round(Fraction(float(x)) / Fraction(1, 2)) for x in halves])
    for zero in range(256) if kind == ASYMM else (0,):
        got = to_integers(halves.astype(np.float32), kind, Quantization((0.5,), (zero,)))
        want = np.clip(steps + zero, *limits_of(kind))
        assert got.dtype == DTYPES[kind]
        assert got.tolist() == want.tolist()
    ends = to_integers(np.array([-np.inf, np.inf], np.float32), kind, Quantization((0.5,)))
    assert tuple(ends) == limits_of(kind)


@pytest.mark.parametrize("kind", [p for p in Precision if p.is_quantized])
def test_symmetric_types_leave_the_lowest_integer_out(kind: Precision) -> None:
    info = np.iinfo(DTYPES[kind])
    low = -info.max if "_SYMM_" in kind.name else info.min
    assert limits_of(kind) == (low, info.max)


@pytest.mark.parametrize("scale", [0.0123, 1e-20, 3e30, 1.0])
def test_every_integer_comes_back(scale: float) -> None:
    for zero in range(256):
        how = Quantization((float(np.float32(scale)),), (zero,))
        assert np.array_equal(to_integers(to_real(BYTES, how), ASYMM, how), BYTES)
    wide = np.arange(1 << 16, dtype=np.uint16)
    how = Quantization((float(np.float32(scale)),), (1 << 15,))
    kind = Precision.QUANT_UINT16_ASYMM_PER_LAYER
    assert np.array_equal(to_integers(to_real(wide, how), kind, how), wide)


# Operations


def binary_model(operator: object, a: TensorType, b: TensorType, to: TensorType) -> Model:
    model = Model()
    values = model.input("a", a), model.input("b", b)
    bound = operator.bind_attributes({"fuse_code": Fuse.NONE})  # type: ignore[attr-defined]
    model.outputs = list(model.append(operator, values, bound, [to]))  # type: ignore[arg-type]
    check(model)
    return model


@pytest.mark.parametrize("operator", [binary.add, binary.sub, binary.mul], ids=lambda o: o.name)
def test_every_pair_of_bytes_is_rounded_once(operator: object) -> None:
    """The scales are powers of two, so that each result is known exactly, halves among them."""
    first = layer(0.5, 100, sizes=(256, 1))
    second = layer(0.25, 7, SYMM if operator is binary.sub else ASYMM, (1, 256))
    if operator is binary.sub:
        second = layer(0.25, 0, SYMM, (1, 256))
    other = BYTES.view(np.int8) if operator is binary.sub else BYTES
    to = layer(2.0 if operator is binary.mul else 1.0, 128, sizes=(256, 256))
    model = binary_model(operator, first, second, to)
    (got,) = evaluate(model, [BYTES.reshape(256, 1), other.reshape(1, 256)])
    zero = 0 if operator is binary.sub else 7
    x = (np.arange(256).reshape(256, 1) - 100) * 2  # in quarters
    y = other.astype(int).reshape(1, 256) - zero
    quarters = {"ADD": x + y, "SUB": x - y, "MUL": x * y}[operator.name]  # type: ignore[attr-defined]
    unit = Fraction(1, 16) if operator is binary.mul else Fraction(1, 4)
    step = Fraction(2) if operator is binary.mul else Fraction(1)
    known = {int(q): nearest(int(q) * unit, step, 128, ASYMM) for q in np.unique(quarters)}
    assert np.array_equal(got, np.vectorize(known.__getitem__)(quarters))


def test_a_convolution_adds_int32_in_steps_of_its_products() -> None:
    model = Model()
    x = model.input("x", layer(0.5, 3, sizes=(1, 1, 1, 256)))
    weights, bias = np.array([-127, -1, 1, 127], np.int8), np.array([5, -4, 3, 1000], np.int32)
    scales = (0.5, 0.25, 0.125, 1.0)
    kernel = Value(
        model, TensorType(CHANNELS, (4, 1, 1, 1), quantization=Quantization(scales, (0,), 0))
    )
    kernel.constant = weights.reshape(4, 1, 1, 1)
    kind = Precision.QUANT_INT32_SYMM_PER_CHANNEL
    steps = Quantization(tuple(s / 2 for s in scales), (0,), 0)
    added = Value(model, TensorType(kind, (4,), quantization=steps))
    added.constant = bias
    to = layer(8.0, 10, sizes=(1, 4, 1, 256))
    bound = conv.conv_2d.bind_attributes(WINDOW | {"fuse_code": Fuse.RELU6})
    model.outputs = list(model.append(conv.conv_2d, (x, kernel, added), bound, [to]))
    check(model)
    (got,) = evaluate(model, [BYTES.reshape(1, 1, 1, 256)])
    for k in range(4):
        for q in range(256):
            total = (q - 3) * int(weights[k]) + int(bias[k])
            real = min(max(total * Fraction(scales[k]) / 2, Fraction(0)), Fraction(6))
            assert got[0, k, 0, q] == nearest(real, Fraction(8), 10, ASYMM)


def test_integers_that_are_only_moved_keep_the_lowest_one() -> None:
    model = Model()
    type = layer(0.1, 0, SYMM, (256,))
    x = model.input("x", type)
    (y,) = model.append(
        shape.reshape,
        shape.reshape.bind_inputs(model, (x, [2, 128])),
        {},
        [type.with_shape((2, 128))],
    )
    model.outputs = [y]
    data = BYTES.view(np.int8)
    assert np.array_equal(evaluate(model, [data])[0], data.reshape(2, 128))


def test_the_maximum_of_integers_is_that_of_their_numbers() -> None:
    model = Model()
    x = model.input("x", layer(0.5, 7, sizes=(2, 128)))
    axes = model.constant(np.array([1]))
    bound = reduce.reduce_max.bind_attributes({"keepdim": False})
    to = layer(1.0, 9, sizes=(2,))
    model.outputs = list(model.append(reduce.reduce_max, (x, axes), bound, [to]))
    check(model)
    (got,) = evaluate(model, [BYTES.reshape(2, 128)])
    want = [nearest(Fraction(q - 7, 2), Fraction(1), 9, ASYMM) for q in (127, 255)]
    assert got.tolist() == want


# Types


WRONG = [
    (TensorType(ASYMM, (2,)), "without a scale"),
    (TensorType(Precision.UINT8, (2,), quantization=Quantization((1.0,))), "only quantised"),
    (layer(0.0), "not above 0"),
    (layer(float("nan")), "not above 0"),
    (layer(-1.0), "not above 0"),
    (layer(1.0, 256), "zero point 256, not from 0 to 255"),
    (layer(1.0, 1, SYMM), "zero point 1, not from 0 to 0"),
    (TensorType(ASYMM, (2,), quantization=Quantization((1.0, 1.0))), "2 scales"),
    (TensorType(CHANNELS, (2,), quantization=Quantization((1.0, 1.0, 1.0), (0,), 0)), "3 scales"),
    (TensorType(CHANNELS, (2,), quantization=Quantization((1.0, 1.0), (0,), 1)), "axis 1"),
    (TensorType(CHANNELS, (2,), quantization=Quantization((1.0, 1.0), (0,))), "axis None"),
    (
        TensorType(ASYMM, (2,), quantization=Quantization((1.0,), (0,), stored=Precision.INT16)),
        "never INT16",
    ),
]


@pytest.mark.parametrize(("type", "why"), WRONG)
def test_a_type_that_says_no_numbers_is_refused(type: TensorType, why: str) -> None:
    assert why in (problem_of(type) or "")
    model = Model()
    model.outputs = [shape.flatten(model.input("x", type), start_axis=0, end_axis=0)]
    with pytest.raises(BadModel, match=why):
        check(model)


def test_a_result_of_another_kind_than_numbers_has_no_scale() -> None:
    model = Model()
    x = model.input("x", layer(1.0))
    bound = reduce.arg_max.bind_attributes({"axis": 0, "keepdim": False})
    made = model.append(reduce.arg_max, (x,), bound, [layer(1.0, sizes=())])
    assert made[0].precision == bound["dtype"]


def test_quantize_makes_what_its_operands_say() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    bind = quant.quantize.bind_inputs
    inputs = bind(model, (x, np.array([0.5], np.float32), np.array([0], np.int32)))
    (made,) = model.append(quant.quantize, inputs, {"axis": 1}, [layer(0.5, 0, sizes=(3,))])
    model.outputs = [made]
    check(model)
    got = evaluate(model, [np.array([-1, 0.75, 500], np.float32)])[0]
    assert (got.dtype, got.tolist()) == (np.uint8, [0, 2, 255])
    with pytest.raises(BadType, match=r"quantize makes .*, not"):
        model.append(quant.quantize, inputs, {"axis": 1}, [layer(0.25, 0, sizes=(3,))])


def test_operands_are_real_where_no_result_is_stated() -> None:
    model = Model()
    with pytest.raises(BadType):
        activation.softmax(model.input("x", layer(1.0)), axis=0)
