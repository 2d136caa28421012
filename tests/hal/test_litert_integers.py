"""Integer kernels of the litert device, which differ from the references by one step at most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter, OpResolverType

import nnadapter as nna
from hal.drivers.litert import LiteRT
from nnir.dim import symbol
from nnir.model import Model, Value
from nnir.ops import activation, binary, conv, linear, pool, quant, reduce, resize, shape, unary
from nnir.types import Fuse, PadMode, Precision, Quantization, TensorType, precision_of

RNG = np.random.default_rng(0)
STEP = np.float32(0.01)
PLAIN = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
FLOATS = {"QUANTIZE", "DEQUANTIZE", "CAST", "DIV", "ROUND"}


def some(dtype: Any, *sizes: Any) -> np.ndarray:
    limits = np.iinfo(dtype)
    return RNG.integers(limits.min, limits.max + 1, sizes).astype(dtype)


def real(x: Value, scale: float, zero: int) -> Value:
    zeros = x.model.constant(np.array(zero, x.dtype)) if zero else None
    return quant.dequantize_linear(x, x.model.constant(np.float32(scale)), zeros)


def whole(x: Value, scale: float, zero: int, dtype: Any = np.int8) -> Value:
    constant = x.model.constant
    zeros = constant(np.array(zero, dtype))
    return quant.quantize_linear(x, constant(np.float32(scale)), zeros, dtype=precision_of(dtype))


def start(sizes: tuple[Any, ...], dtype: Any = np.int8) -> tuple[Model, Value]:
    model = Model()
    return model, model.input("x", TensorType(precision_of(dtype), sizes))


def convolution(
    x: Value,
    filters: int,
    group: int = 1,
    fuse: Fuse = Fuse.NONE,
    dtype: Any = np.int8,
    zero: int = 0,
    step: float = 0.02,
) -> Value:
    """3 by 3, with a scale for each filter where the zero point is that of INT8."""
    model = x.model
    data = some(dtype, filters, x.shape[1] // group, 3, 3)
    if zero:
        weights = real(model.constant(data), 0.004, zero)
        scales = np.full(filters, 0.004, np.float32)
    else:
        scales = RNG.uniform(0.002, 0.006, filters).astype(np.float32)
        weights = quant.dequantize_linear(model.constant(data), model.constant(scales), axis=0)
    bias = model.constant(RNG.integers(-900, 900, filters).astype(np.int32))
    shift = quant.dequantize_linear(bias, model.constant(scales * np.float32(step)), axis=0)
    given = {"pads": (1,) * 4, "strides": (1, 1), "dilations": (1, 1)}
    return conv.conv_2d(x, weights, shift, group=group, fuse_code=fuse, **given)


def steps_of(model: Model, path: Path) -> Counter[str]:
    device = LiteRT()
    device.open_device()
    device.export(model, path)
    return listed(path)


def listed(path: Path) -> Counter[str]:
    interpreter = Interpreter(model_path=str(path), experimental_op_resolver_type=PLAIN)
    return Counter(row["op_name"] for row in interpreter._get_ops_details())


def near(model: Model, *arrays: np.ndarray) -> None:
    """One step at most, with XNNPACK's kernels and with LiteRT's own."""
    want = nna.compile(model, "builtin")(*arrays)
    for text in ("LITERT_XNNPACK=1;", "LITERT_XNNPACK=0;"):
        got = nna.compile(model, "litert", properties=text)(*arrays)
        for mine, theirs in zip(got, want, strict=True):
            assert mine.dtype == theirs.dtype
            assert mine.shape == theirs.shape
            assert np.abs(mine.astype(int) - theirs.astype(int)).max() <= 1


def network(sizes: tuple[Any, ...], dtype: Any = np.int8) -> Model:
    """Convolutions, a sum, pools and a dense layer, all of them between integers."""
    middle = 0 if dtype == np.int8 else 128
    model, x = start(sizes, dtype)

    def rounded(y: Value, scale: float, zero: int) -> Value:
        return real(whole(y, scale, zero + middle, dtype), scale, zero + middle)

    y = real(x, 0.02, middle - 3)
    y = rounded(convolution(y, 8, fuse=Fuse.RELU), 0.03, -100)
    z = rounded(convolution(y, 8, group=8, step=0.03), 0.05, 4)
    y = rounded(activation.relu6(binary.add(y, z)), 0.024, -128)
    y = pool.max_pool_2d(y, kernel_shape=(3, 3), strides=(2, 2), pads=(1,) * 4)
    y = rounded(y, 0.024, -128)
    y = rounded(reduce.reduce_mean(y, [2, 3], keepdim=False), 0.02, -120)
    weights = real(model.constant(some(np.int8, 8, 5)), 0.005, 0)
    y = rounded(linear.mat_mul(y, weights), 0.03, 7)
    y = activation.softmax(y, axis=-1)
    model.outputs = [whole(y, 1 / 256, middle - 128, dtype)]
    return model


KERNELS = {"CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "MEAN", "FULLY_CONNECTED", "SOFTMAX"}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_a_network_stays_in_integers(dtype: Any, tmp_path: Path) -> None:
    model = network((2, 3, 9, 9), dtype)
    steps = steps_of(model, tmp_path / "net.tflite")
    assert steps.keys() >= KERNELS | {"MAX_POOL_2D"}
    assert not steps.keys() & (FLOATS - {"QUANTIZE"})
    assert steps["QUANTIZE"] == (0 if dtype == np.int8 else 2)  # of the ends: UINT8 to INT8
    assert not steps["RELU6"]
    near(model, some(dtype, 2, 3, 9, 9))


def test_open_sizes_have_integer_kernels(tmp_path: Path) -> None:
    model = network((symbol("batch"), 3, 8, 8))
    assert not steps_of(model, tmp_path / "net.tflite").keys() & FLOATS
    near(model, some(np.int8, 3, 3, 8, 8))


def test_a_file_comes_back_with_its_kernels(tmp_path: Path) -> None:
    model = network((1, 3, 9, 9))
    first = steps_of(model, tmp_path / "first.tflite")
    again = nna.load(tmp_path / "first.tflite")
    nna.convert(tmp_path / "first.tflite", tmp_path / "second.tflite")
    second = listed(tmp_path / "second.tflite")
    moves = {"TRANSPOSE": 0, "RESHAPE": 0}
    assert {**second, **moves} == {**first, **moves}
    data = some(np.int8, 1, 3, 9, 9)
    got, want = (nna.compile(m, "litert")(data)[0] for m in (model, again))
    np.testing.assert_array_equal(got, want)


def test_real_ends_are_quantised_once(tmp_path: Path) -> None:
    model, x = start((1, 4, 6, 6), np.float32)
    y = real(whole(x, 0.02, 5), 0.02, 5)
    y = real(whole(convolution(y, 4), 0.05, -9), 0.05, -9)
    model.outputs = [y]
    steps = steps_of(model, tmp_path / "net.tflite")
    assert steps == {"TRANSPOSE": 2, "QUANTIZE": 1, "CONV_2D": 1, "DEQUANTIZE": 1}
    data = RNG.standard_normal((1, 4, 6, 6)).astype(np.float32)
    got, want = (nna.compile(model, d)(data)[0] for d in ("litert", "builtin"))
    assert np.abs(got - want).max() < 0.05 * 1.01


def test_asymmetric_weights_have_kernels_of_bytes(tmp_path: Path) -> None:
    model, x = start((1, 4, 6, 6), np.uint8)
    y = convolution(real(x, 0.02, 120), 4, dtype=np.uint8, zero=117)
    model.outputs = [whole(y, 0.05, 100, np.uint8)]
    assert not steps_of(model, tmp_path / "net.tflite").keys() & FLOATS
    near(model, some(np.uint8, 1, 4, 6, 6))


def test_the_standards_quantised_types(tmp_path: Path) -> None:
    """They are symmetric, or UINT8 with a zero point."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (1, 4, 6, 6)))
    constant = model.constant
    q = quant.quantize(x, constant(np.full(1, 0.02, np.float32)))
    weights = constant(some(np.int8, 4, 4, 1, 1))
    kind = Precision.QUANT_INT8_SYMM_PER_LAYER
    weights.type = TensorType(kind, weights.shape, quantization=Quantization((float(STEP),)))
    given = {"pads": (0,) * 4, "strides": (1, 1), "dilations": (1, 1)}
    y = conv.conv_2d(
        quant.dequantize(q), quant.dequantize(weights), constant(np.zeros(4, np.float32)), **given
    )
    model.outputs = [
        quant.quantize(activation.relu(y), constant(np.full(1, 0.04, np.float32)), constant([9]))
    ]
    assert not steps_of(model, tmp_path / "net.tflite").keys() & {"DIV", "CAST"}
    near(model, RNG.standard_normal((1, 4, 6, 6)).astype(np.float32))


ALONE: dict[str, Callable[[Value], Value]] = {
    "AVERAGE_POOL_2D": lambda x: pool.average_pool_2d(
        x, kernel_shape=(3, 3), strides=(2, 2), pads=(0,) * 4
    ),
    "MAX_POOL_2D": lambda x: pool.max_pool_2d(
        x, kernel_shape=(3, 3), strides=(2, 2), pads=(1,) * 4
    ),
    "MEAN": lambda x: reduce.reduce_mean(x, [1], keepdim=True),
    "RELU": activation.relu,
    "RELU6": activation.relu6,
    "LEAKY_RELU": lambda x: activation.leaky_relu(x, alpha=0.2),
    "HARD_SWISH": lambda x: activation.hard_swish(x, alpha=1 / 6, beta=0.5),
    "GELU": activation.gelu,
    "ELU": activation.elu,
    "LOGISTIC": activation.sigmoid,
    "TANH": activation.tanh,
    "SOFTMAX": lambda x: activation.softmax(x, axis=1),
    "SUB": lambda x: binary.sub(x, another(x)),
    "MUL": lambda x: binary.mul(x, another(x)),
    "CONCATENATION": lambda x: shape.concat(x, another(x), axis=1),
    "PACK": lambda x: shape.stack(x, another(x), axis=1),
    "PAD": lambda x: shape.pad(
        x, x.model.constant(np.array([0, 0, 0, 0, 1, 2, 0, 1])), None, mode=PadMode.CONSTANT
    ),
    "RESHAPE": lambda x: shape.reshape(x, [2, -1]),
    "TRANSPOSE": lambda x: shape.transpose(x, perm=(3, 1, 0, 2)),
    "RESIZE_BILINEAR": lambda x: resize.resize_linear(
        x, x.model.constant(np.array([12, 9], np.int32)), None
    ),
    "RESIZE_NEAREST_NEIGHBOR": lambda x: resize.resize_nearest(
        x, x.model.constant(np.array([12, 14], np.int32)), None
    ),
}


def another(x: Value) -> Value:
    """A second operand, of another scale."""
    model = x.model
    return real(model.constant(some(np.int8, *x.shape)), 0.03, 4)


@pytest.mark.parametrize("name", ALONE)
@pytest.mark.parametrize("scale", [0.02, 0.027])
def test_one_operator_between_integers(name: str, scale: float, tmp_path: Path) -> None:
    model, x = start((2, 4, 6, 7))
    model.outputs = [whole(ALONE[name](real(x, 0.02, -7)), scale, -7)]
    steps = steps_of(model, tmp_path / "net.tflite")
    assert steps[name]
    assert not steps.keys() & (FLOATS - {"QUANTIZE"})
    near(model, some(np.int8, 2, 4, 6, 7))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("scale", [0.02, 0.3])
def test_products_of_what_is_computed(
    scale: float, turned: bool, dtype: Any, tmp_path: Path
) -> None:
    """Attention's: both operands with a zero point, in stacks of one and of two axes."""
    for batch in ((3,), (2, 3)):
        model = Model()
        kind = precision_of(dtype)
        sizes = ((*batch, 5, 16), (*batch, 7, 16) if turned else (*batch, 16, 7))
        x, y = (model.input(n, TensorType(kind, s)) for n, s in zip("xy", sizes, strict=True))
        product = linear.mat_mul(real(x, 0.02, 5), real(y, 0.013, 9), transpose_y=turned)
        model.outputs = [whole(product, scale, 3, dtype)]
        steps = steps_of(model, tmp_path / "net.tflite")
        assert steps["BATCH_MATMUL"] == 1
        assert not steps.keys() & (FLOATS - {"QUANTIZE"})
        near(model, *(some(dtype, *s) for s in sizes))


@pytest.mark.parametrize("name", ["HARD_SWISH", "GELU", "ELU", "LOGISTIC", "TANH", "LEAKY_RELU"])
@pytest.mark.parametrize("scale", [0.004, 0.02, 0.2])
@pytest.mark.parametrize("end", [(0.003, -7), (0.05, -128), (0.15, 5)])
def test_every_integer_through_a_table(name: str, scale: float, end: tuple[float, int]) -> None:
    model, x = start((1, 256, 1, 1))
    model.outputs = [whole(ALONE[name](real(x, scale, -40)), *end)]
    near(model, np.arange(-128, 128).astype(np.int8).reshape(1, 256, 1, 1))


def test_a_coarse_interpolation_stays_in_floats(tmp_path: Path) -> None:
    """Finer results than the operand would show how the kernel rounds."""
    model, x = start((2, 4, 6, 7))
    model.outputs = [whole(ALONE["RESIZE_BILINEAR"](real(x, 0.02, -7)), 0.013, -7)]
    assert steps_of(model, tmp_path / "net.tflite")["DIV"]
    near(model, some(np.int8, 2, 4, 6, 7))


def test_what_has_no_kernel_stays_in_floats(tmp_path: Path) -> None:
    """Another reader, computed scales, or an operator that integers have no kernel for."""
    model, x = start((1, 4, 6, 6))
    y = convolution(real(x, 0.02, 3), 4)
    z = whole(unary.exp(real(whole(y, 0.05, 0), 0.05, 0)), 0.1, 0)
    model.outputs = [z, y]
    steps = steps_of(model, tmp_path / "net.tflite")
    assert steps["EXP"]
    assert steps["DIV"]
    data = some(np.int8, 1, 4, 6, 6)
    got, want = (nna.compile(model, d)(data) for d in ("litert", "builtin"))
    np.testing.assert_allclose(got[1], want[1], rtol=1e-5, atol=1e-4)
    assert np.abs(got[0].astype(int) - want[0]).max() <= 1


PIECES: dict[str, Callable[[Value], tuple[Value, ...]]] = {
    "SPLIT": lambda x: shape.split(x, [2, 2], axis=1),
    "UNPACK": lambda x: shape.unstack(x, axis=0, num=2),
}


@pytest.mark.parametrize("name", PIECES)
@pytest.mark.parametrize("scale", [0.02, 0.027])
def test_pieces_between_integers(name: str, scale: float, tmp_path: Path) -> None:
    """One step cuts all of them, each of which may have a scale of its own then."""
    model, x = start((2, 4, 6, 7))
    first, second = PIECES[name](real(x, 0.02, -7))
    model.outputs = [whole(first, 0.02, -7), whole(second, scale, -7)]
    steps = steps_of(model, tmp_path / "net.tflite")
    assert steps[name] == 1
    assert not steps.keys() & (FLOATS - {"QUANTIZE"})
    near(model, some(np.int8, 2, 4, 6, 7))


@pytest.mark.parametrize("name", PIECES)
def test_a_piece_that_nobody_reads_is_not_cut(name: str, tmp_path: Path) -> None:
    model, x = start((2, 4, 6, 7))
    model.outputs = [PIECES[name](real(x, 0.02, -7))[0]]
    assert name not in steps_of(model, tmp_path / "net.tflite")


def test_plain_integers_beside_quantised_ones() -> None:
    """What reads the integers themselves does not see their scale."""
    model, x = start((1, 4, 6, 6))
    y = whole(convolution(real(x, 0.02, 3), 4), 0.05, -20)
    padded = shape.pad(y, model.constant(np.array([0, 0, 0, 0, 1, 1, 1, 1])), None)
    turned = shape.transpose(y, perm=(0, 2, 3, 1))
    model.outputs = [y, padded, turned, unary.cast(y, dtype=Precision.INT32)]
    near(model, some(np.int8, 1, 4, 6, 6))


def test_the_same_numbers_in_another_type_are_read_twice(tmp_path: Path) -> None:
    """What becomes the result of one step is an operand of another already."""
    model, x = start((1, 4, 6), np.uint8)
    y = real(shape.reshape(x, model.constant(np.array([4, 6]))), 0.02, 115)
    signed = whole(y, 0.02, -13)
    again = whole(y, 0.02, 115, np.uint8)
    turned = shape.transpose(real(signed, 0.02, -13), perm=(1, 0))
    model.outputs = [whole(turned, 0.02, -13), again, whole(real(again, 0.02, 115), 0.03, 0)]
    steps_of(model, tmp_path / "net.tflite")
    near(model, some(np.uint8, 1, 4, 6))


def test_integers_that_are_joined_with_real_numbers_are_read_again(tmp_path: Path) -> None:
    """What a join begins is there for others where it comes to nothing."""
    model, x = start((1, 4, 6, 6))
    flat = shape.reshape(real(x, 0.02, 3), model.constant(np.array([4, 36])))
    wave = unary.exp(flat)
    joined = whole(shape.concat(flat, wave, axis=0), 0.05, 0)
    model.outputs = [joined, whole(flat, 0.03, 5)]
    steps_of(model, tmp_path / "net.tflite")
    near(model, some(np.int8, 1, 4, 6, 6))


def test_a_bias_beyond_the_products_stays_in_floats(tmp_path: Path) -> None:
    model, x = start((2, 3))
    weights = real(model.constant(some(np.int8, 3, 4)), 1.0, 0)
    y = binary.add(
        linear.mat_mul(real(x, 1.0, 0), weights), model.constant(np.full(4, 0.4, np.float32))
    )
    model.outputs = [whole(y, 0.5, 0)]
    steps_of(model, tmp_path / "net.tflite")
    near(model, some(np.int8, 2, 3))


@pytest.mark.parametrize("kind", [Precision.INT8, Precision.UINT8])
@pytest.mark.parametrize("name", ["add", "max_", "div"])
def test_one_element_behind_a_quantised_mean_keeps_its_axes(
    name: str, kind: Precision, tmp_path: Path
) -> None:
    def through(value: Value) -> Value:
        given = [*map(model.constant, (np.float32(0.06), np.array(3, kind.dtype)))]
        return quant.dequantize_linear(quant.quantize_linear(value, *given, dtype=kind), *given)

    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2, 3)))
    mean = through(reduce.reduce_mean(through(x), [0, 1], keepdim=False))
    last = through(reduce.reduce_mean(through(x), [0, 1], keepdim=True))
    number = through(shape.squeeze(last, [0, 1]))
    ends = [(mean, np.float32([2])), (mean, np.float32([[2]])), (number, np.float32([2]))]
    model.outputs = [through(getattr(binary, name)(v, c)) for v, c in ends]
    data = np.linspace(0, 1, 6, dtype=np.float32).reshape(2, 3)
    wanted = nna.compile(model)(data)
    path = tmp_path / "m.tflite"
    nna.convert(model, path, verify=False)  # rounded twice, it may be a step off
    for found in (nna.compile(model, "litert")(data), nna.compile(nna.load(path), "litert")(data)):
        assert [f.shape for f in found] == [w.shape for w in wanted]
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, atol=0.061)
