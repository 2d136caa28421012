"""Passes: they find their pattern, keep their promise and the model's results."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import nnadapter as nna
from nnir import archive, passes
from nnir.build import reshape, size_of, vector
from nnir.check import extensions
from nnir.dim import symbol
from nnir.evaluate import evaluate
from nnir.model import Model, Operation, Value
from nnir.operator import Operator
from nnir.ops import (
    activation,
    binary,
    compare,
    conv,
    index,
    linear,
    logic,
    norm,
    pool,
    quant,
    random,
    reduce,
    shape,
    unary,
)
from nnir.passes import CLEAN, Pass, apply
from nnir.passes.legalise import Left
from nnir.recipes.unary import signbit
from nnir.types import Fuse, Precision, TensorType

RNG = np.random.default_rng(0)


def data(*sizes: int) -> np.ndarray:
    return RNG.uniform(0.5, 1.5, sizes).astype(np.float32)


def erf_gelu(x: Value) -> Value:
    half = binary.mul(x, 0.5)
    return binary.mul(half, binary.add(unary.erf(binary.div(x, 2**0.5)), 1.0))


def erf_gelu_late(x: Value) -> Value:
    gate = binary.add(unary.erf(binary.mul(x, 0.5**0.5)), 1.0)
    return binary.mul(binary.mul(x, gate), 0.5)


def swish(x: Value) -> Value:
    return binary.mul(activation.sigmoid(x), x)


def dense(x: Value) -> Value:
    return binary.add(linear.mat_mul(x, data(4, 5)), data(5))


def two_transposes(x: Value) -> Value:
    return unary.exp(shape.transpose(shape.transpose(x, perm=(1, 0)), perm=(1, 0)))


def constants(x: Value) -> Value:
    one = x.model.constant(np.float32(1))
    return binary.add(x, unary.exp(unary.neg(one)))


def twins(x: Value) -> Value:
    return binary.add(unary.exp(x), unary.exp(x))


def copies(x: Value) -> Value:
    return unary.assign(unary.exp(unary.assign(x)))


def scaled(x: Value) -> Value:
    image = conv.conv_2d(
        shape.unsqueeze(x, [0, 1]), data(2, 1, 1, 1), data(2), strides=(1, 1), dilations=(1, 1)
    )
    y = binary.sub(binary.mul(data(2, 1, 1), image), 0.5)
    return binary.add(binary.div(y, data(1, 2, 1, 1)), data(1, 2, 1, 1))


def dead(x: Value) -> Value:
    unary.log(x)
    return unary.exp(x)


def fused(x: Value) -> Value:
    return activation.relu6(activation.relu(binary.add(x, 1.0)))


def negative_zero(x: Value) -> Value:
    bits = logic.bitwise_and(unary.bit_cast(x, dtype=Precision.INT32), np.int32(-(2**31)))
    return compare.where(compare.equal(x, 0) & (bits < 0), -1e-38, x)


def mean_square(x: Value) -> Value:
    return reduce.reduce_mean(unary.square(x), [-1], keepdim=True) + 1e-3


def rms_with_gain(x: Value) -> Value:
    return data(4) * (x * unary.rsqrt(mean_square(x)))


def rms_of_a_gain_for_each_row(x: Value) -> Value:
    return data(3, 1) * (x / unary.sqrt(mean_square(x)))


def layer_norm(
    divides: bool, power: Callable[[Value], Value], epsilon: float = 1e-3
) -> Callable[[Value], Value]:
    """As files spell it that are older than the operator."""

    def build(x: Value) -> Value:
        centred = x - reduce.reduce_mean(x, [-1], keepdim=True)
        total = reduce.reduce_mean(power(centred), [1], keepdim=True) + epsilon
        root = unary.sqrt(total)
        normed = centred / root if divides else centred * unary.reciprocal(root)
        return normed * data(4) + data(4)

    return build


def scaled_rms(x: Value) -> Value:
    ones = x.model.constant(np.ones(4, np.float32))
    return norm.rms_normalization(x, ones, epsilon=0.25) * data(4)


def shared_heads(x: Value) -> Value:
    """Three heads of two queries look at one head of two keys."""
    keys = shape.reshape(index.slice_(x, [0], [0], [1]) * 2.0, [1, 1, 2, 2])
    wide = shape.reshape(shape.expand(shape.unsqueeze(keys, [2]), [1, 1, 3, 2, 2]), [1, 3, 2, 2])
    return linear.mat_mul(shape.reshape(x, [1, 3, 2, 2]), wide, transpose_y=True)


CASES: dict[str, tuple[Pass, Callable[[Value], Value], list[str]]] = {
    "gelu": (passes.fuse_gelu, erf_gelu, ["GELU"]),
    "gelu late": (passes.fuse_gelu, erf_gelu_late, ["GELU"]),
    "scale": (passes.fold_scale, scaled, ["UNSQUEEZE", "CONV_2D"]),
    "swish": (passes.fuse_swish, swish, ["SWISH"]),
    "clip to 6": (
        passes.name_clips,
        lambda x: activation.clip(x - 1.0, 0.0, 6.0),
        ["SUB", "RELU6"],
    ),
    "clip above 0": (
        passes.name_clips,
        lambda x: activation.clip(x - 1.0, 0.0, np.float32(np.finfo(np.float32).max)),
        ["SUB", "RELU"],
    ),
    "rms": (
        passes.fuse_rms,
        lambda x: x / unary.sqrt(mean_square(x)),
        ["RMS_NORMALIZATION"],
    ),
    "rms by a reciprocal": (
        passes.fuse_rms,
        lambda x: unary.reciprocal(unary.sqrt(mean_square(x))) * x,
        ["RMS_NORMALIZATION"],
    ),
    "rms, then a gain": (passes.fuse_rms, rms_with_gain, ["RMS_NORMALIZATION", "MUL"]),
    "layer norm": (
        passes.fuse_layer_norm,
        layer_norm(True, lambda x: binary.pow_(x, 2.0)),
        ["LAYER_NORMALIZATION"],
    ),
    "layer norm by a reciprocal": (
        passes.fuse_layer_norm,
        layer_norm(False, lambda x: x * x),
        ["LAYER_NORMALIZATION"],
    ),
    "layer norm of nothing more": (
        passes.fuse_layer_norm,
        layer_norm(True, lambda x: x * x, epsilon=0.0),
        ["LAYER_NORMALIZATION"],
    ),
    "a gain for rms": (passes.scale_rms, scaled_rms, ["RMS_NORMALIZATION"]),
    "shared heads": (
        passes.share_heads,
        shared_heads,
        ["SLICE", "MUL", "RESHAPE", "RESHAPE", "RESHAPE", "MAT_MUL", "RESHAPE"],
    ),
    "dense": (passes.fuse_dense, dense, ["FULLY_CONNECTED"]),
    "transposes": (passes.cancel_transposes, two_transposes, ["EXP"]),
    "constants": (passes.fold_constants, constants, ["ADD"]),
    "zeros": (passes.find_negative_zeros, negative_zero, ["EQUAL", "DIV", "LESS", "AND", "WHERE"]),
    "twins": (passes.merge_common, twins, ["EXP", "ADD"]),
    "copies": (passes.remove_copies, copies, ["EXP"]),
    "dead": (passes.remove_dead_code, dead, ["EXP"]),
    "activation": (passes.fuse_activation, fused, ["ADD", "RELU6"]),
}


@pytest.mark.parametrize("name", CASES)
def test_pass(name: str) -> None:
    step, build, left = CASES[name]
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3, 4)))
    model.outputs = [build(x)]
    array = data(3, 4)
    before = evaluate(model, [array])[0]
    assert apply(model, [step], checked=True) == [step.name]
    assert [o.operator.name for o in model.sorted()] == left
    np.testing.assert_allclose(evaluate(model, [array])[0], before, rtol=2e-6)
    assert apply(model, [step], checked=True) == [], "a second run finds nothing"


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_zeros_keep_their_signs(kind: str) -> None:
    """Numbers beside zero, those without a reciprocal, infinities and NaN are none of either."""
    precision = Precision[kind.upper()]
    least = float(np.finfo(kind).smallest_subnormal)
    array = np.array([0, -0.0, 1, -1, least, -least, np.inf, -np.inf, np.nan, -np.nan], kind)
    model = Model()
    x = model.input("x", TensorType(precision, array.shape))
    model.outputs = [compare.equal(x, 0) & signbit(x)]
    assert apply(model, [passes.find_negative_zeros]) == ["find_negative_zeros"]
    assert "BIT_CAST" not in [o.operator.name for o in model.operations]
    assert evaluate(model, [array])[0].nonzero()[0].tolist() == [1]


def test_batch_norm_folds_into_the_convolution() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (1, 3, 5, 5)))
    image = conv.conv_2d(
        x, data(4, 3, 3, 3), data(4), pads=(1, 1, 1, 1), strides=(1, 1), dilations=(1, 1)
    )
    image = norm.batch_normalization(image, data(4), data(4), data(4), data(4))
    model.outputs = [activation.relu(image)]
    array = data(1, 3, 5, 5)
    before = evaluate(model, [array])[0]
    done = apply(model, passes.FUSIONS, checked=True)
    assert done == ["fold_batch_norm", "fuse_activation"]
    assert [o.operator.name for o in model.operations] == ["CONV_2D"]
    assert model.operations[0].attributes["fuse_code"] is Fuse.RELU
    np.testing.assert_allclose(evaluate(model, [array])[0], before, rtol=1e-5)


def test_a_shared_value_is_not_fused_away() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3, 4)))
    total = binary.add(x, 1.0)
    model.outputs = [activation.relu(total), unary.exp(total)]
    assert apply(model, [passes.fuse_activation], checked=True) == []


@pytest.mark.parametrize("bounds", [(-1.0, 6.0), (0.0, 5.0), (0.0, 1.0)])
def test_other_bounds_stay_a_clip(bounds: tuple[float, float]) -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (9,)))
    model.outputs = [activation.clip(x, *bounds)]
    assert apply(model, [passes.name_clips], checked=True) == []


@pytest.mark.parametrize("high", [6.0, np.inf])
def test_a_named_clip_does_the_same_at_the_edges(high: float) -> None:
    array = np.array([np.nan, np.inf, -np.inf, -0.0, 0, 6, 7, -1, 3], np.float32)
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, array.shape))
    model.outputs = [activation.clip(x, 0.0, high)]
    before = evaluate(model, [array])[0]
    assert apply(model, [passes.name_clips]) == ["name_clips"]
    np.testing.assert_array_equal(evaluate(model, [array])[0], before)


def test_random_numbers_are_drawn_at_run_time() -> None:
    model = Model()
    sizes = model.constant(np.array([2], np.int64))
    draws = [
        random.random_uniform(sizes, dtype=Precision.FLOAT32, low=0.0, high=1.0, seed=None)
        for _ in range(2)
    ]
    model.outputs = [binary.add(*draws)]
    apply(model, passes.CLEAN, checked=True)
    assert len(model.operations) == 3


def test_large_constants_are_not_made() -> None:
    model = Model()
    one = model.constant(np.float32(1))
    model.outputs = [shape.expand(one, [1000, 1000])]
    assert apply(model, [passes.fold_constants], checked=True) == []


def is_standard(operation: Operation) -> bool:
    return operation.operator.since != "ext"


def test_extensions_are_decomposed() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3, 4)))
    model.outputs = [linear.einsum(x, x, equation="ij,kj->ik")]
    array = data(3, 4)
    before = evaluate(model, [array])[0]
    assert apply(model, [passes.legalise(is_standard)], checked=True) == ["legalise"]
    assert not extensions(model, "v1.1")
    np.testing.assert_allclose(evaluate(model, [array])[0], before, rtol=1e-6)


def test_output_names_survive() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    model.outputs = [unary.exp(x), unary.exp(x)]
    model.output_names = ["first", "second"]
    apply(model, passes.CLEAN, checked=True)
    assert [n for n, _ in model.named_outputs()] == ["first", "second"]
    assert len(model.operations) == 1


def test_quantised_constants_keep_their_scales() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3,)))
    real, scale = (model.constant(a, np.float32) for a in ([0.5, -0.25, 1.0], [0.01]))
    stored = quant.quantize(real, scale)
    model.outputs = [binary.add(x, quant.dequantize(stored))]
    given = np.zeros(3, np.float32)
    want = evaluate(model, [given])
    apply(model, CLEAN, checked=True)
    assert [o.operator.name for o in model.operations] == ["DEQUANTIZE", "ADD"]
    assert model.operations[0].inputs[0].type.quantization.scales == pytest.approx((0.01,))
    np.testing.assert_array_equal(evaluate(model, [given])[0], want[0])
    loaded = archive.loads(archive.dumps(model))
    np.testing.assert_array_equal(evaluate(loaded, [given])[0], want[0])


def one_image(**more: object) -> tuple[Model, Value]:
    """A model of a convolution with two channels, in float32."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2, 1, 3, 4)))
    how = {"strides": (1, 1), "dilations": (1, 1), **more}
    return model, conv.conv_2d(x, data(2, 1, 1, 1), data(2), **how)


FACTORS = {(): True, (1,): True, (2, 1, 1): True, (1, 2, 1, 1): True, (1, 1, 1, 1): True,
           (4,): False, (3, 1): False, (2, 1, 1, 1): False, (1, 1, 3, 1): False}  # fmt: skip
"""The sizes of a factor, and whether it is one for each channel."""


@pytest.mark.parametrize("operator", [binary.add, binary.sub, binary.mul, binary.div])
@pytest.mark.parametrize("sizes", FACTORS, ids=str)
def test_what_is_folded_into_a_convolution(operator: Operator, sizes: tuple[int, ...]) -> None:
    model, image = one_image()
    model.outputs = [operator(image, data(*sizes))]
    array = data(2, 1, 3, 4)
    before = evaluate(model, [array])[0]
    assert bool(apply(model, [passes.fold_scale], checked=True)) == FACTORS[sizes]
    np.testing.assert_allclose(evaluate(model, [array])[0], before, rtol=2e-6, atol=1e-6)


def test_what_stays_behind_a_convolution() -> None:
    """Another reader, a fuse code, a factor that is not known, a number over the image."""
    for build in (
        lambda x, model: [binary.mul(x, 2.0), unary.exp(x)],
        lambda x, model: [binary.mul(x, model.input("y", TensorType(Precision.FLOAT32, (1,))))],
        lambda x, model: [binary.div(2.0, x)],
        lambda x, model: [binary.mul(x, data(1, 1, 2, 1, 1))],
        lambda x, model: [binary.mul(x, 2.0), x],
    ):
        model, image = one_image()
        model.outputs = build(image, model)
        assert apply(model, [passes.fold_scale], checked=True) == []
    model, image = one_image(fuse_code=Fuse.RELU)
    model.outputs = [binary.mul(image, -2.0)]
    assert apply(model, [passes.fold_scale, passes.fold_batch_norm], checked=True) == []


def test_which_products_are_dense() -> None:
    """A constant matrix, as it is or transposed, and one number for each column."""
    for transposed, weight, bias, fuses in (
        (False, data(4, 5), data(5), True),
        (True, data(5, 4), data(5), True),
        (True, data(4, 4), data(4), True),
        (False, data(4, 5), data(1), False),
        (False, data(4, 5), data(1, 5), False),
        (False, data(2, 4, 5), data(5), False),
    ):
        model = Model()
        x = model.input("x", TensorType(Precision.FLOAT32, (3, 4)))
        model.outputs = [linear.mat_mul(x, weight, transpose_y=transposed) + bias]
        array = data(3, 4)
        before = evaluate(model, [array])[0]
        assert bool(apply(model, [passes.fuse_dense], checked=True)) == fuses
        np.testing.assert_allclose(evaluate(model, [array])[0], before, rtol=2e-6)


ROOT = 2**-0.5
GATES: dict[str, Callable[[Value], Value]] = {
    "erf": lambda x: unary.erf(x * ROOT) + 1,
    "erf of a quotient": lambda x: unary.erf(x / 2**0.5) + 1,
    "erfc": lambda x: unary.erfc(x * -ROOT),
    "erfc of a quotient": lambda x: unary.erfc(x / -(2**0.5)),
    "erfc of -x": lambda x: unary.erfc(unary.neg(x) * ROOT),
    "erfc of -(x / root)": lambda x: unary.erfc(unary.neg(x) / 2**0.5),
}


@pytest.mark.parametrize("name", GATES)
def test_every_way_to_write_gelu(name: str) -> None:
    gate = GATES[name]
    for build in (
        lambda x: x * 0.5 * gate(x),
        lambda x: x * gate(x) * 0.5,
        lambda x: x * (gate(x) * 0.5),
        lambda x: gate(x) * (0.5 * x),
    ):
        model = Model()
        x = model.input("x", TensorType(Precision.FLOAT32, (7,)))
        model.outputs = [build(x)]
        array = np.linspace(-3, 3, 7, dtype=np.float32)
        before = evaluate(model, [array])[0]
        assert apply(model, [passes.fuse_gelu], checked=True) == ["fuse_gelu"]
        assert [o.operator.name for o in model.operations] == ["GELU"]
        np.testing.assert_allclose(evaluate(model, [array])[0], before, atol=1e-6)
    other = Model()
    x = other.input("x", TensorType(Precision.FLOAT32, (7,)))
    other.outputs = [x * 0.4 * gate(x), x * 0.5 * gate(x * 2.0)]
    assert apply(other, [passes.fuse_gelu], checked=True) == []


@pytest.mark.parametrize("is_read", [False, True])
def test_tables_of_doubles_are_computed_where_nothing_of_them_is_left(is_read: bool) -> None:
    """Angles in FLOAT64, which become FLOAT32: larger than what they are made from."""
    model = Model()
    places, steps = model.constant(np.arange(49.0)[:, None]), model.constant(np.linspace(0, 1, 64))
    angles = unary.sin(places * steps)
    x = model.input("x", TensorType(Precision.FLOAT32, (49, 64)))
    model.outputs = [x + angles.cast(Precision.FLOAT32), *([angles] if is_read else [])]
    wanted = evaluate(model, [np.ones(x.sizes, np.float32)])
    apply(model, [passes.fold_constants], checked=True)
    left = [o.operator for o in model.operations]
    assert left == ([binary.mul, unary.sin, binary.add] if is_read else [binary.add])
    for one, other in zip(evaluate(model, [np.ones(x.sizes, np.float32)]), wanted, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


def test_a_folded_constant_keeps_name_and_type() -> None:
    model = Model()
    half = model.constant(np.array([1, 2], np.float16))
    doubled = half + half
    doubled.name = "doubled"
    x = model.input("x", TensorType(Precision.FLOAT16, (2,)))
    model.outputs = [x * doubled]
    assert apply(model, [passes.fold_constants], checked=True) == ["fold_constants"]
    assert apply(model, [passes.fold_constants], checked=True) == []
    (product,) = model.operations
    known = product.inputs[1]
    assert known is not None
    assert (known.name, known.precision) == ("doubled", Precision.FLOAT16)
    np.testing.assert_array_equal(known.constant, [2, 4])


@pytest.mark.parametrize("reads", [(0,), (1,), (0, 1)], ids=str)
def test_positions_that_nobody_reads(reads: tuple[int, ...]) -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (1, 1, 4, 4)))
    found = pool.max_pool_2d(x, kernel_shape=(2, 2), strides=(2, 2), return_indices=True)
    model.outputs = [found[k] for k in reads]
    array = data(1, 1, 4, 4)
    before = evaluate(model, [array])
    assert bool(apply(model, [passes.remove_dead_code], checked=True)) == (reads == (0,))
    assert model.operations[0].attributes["return_indices"] == (reads != (0,))
    for want, got in zip(before, evaluate(model, [array]), strict=True):
        np.testing.assert_array_equal(got, want)


def test_random_numbers_and_other_attributes_are_no_twins() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2, 2)))
    sums = [reduce.reduce_sum(x, [axis], keepdim=keep) for axis in (0, 1) for keep in (False, True)]
    large = [x + np.zeros((2, 2), np.float32), x + np.zeros((2, 2), np.float32)]
    model.outputs = [*sums, sums[0] + sums[2], *large]
    assert apply(model, [passes.merge_common], checked=True) == ["merge_common"]
    assert [o.operator.name for o in model.sorted()].count("SUM") == 0
    names = [o.operator.name for o in model.sorted()]
    assert (names.count("REDUCE_SUM"), names.count("ADD")) == (4, 2)
    assert apply(model, [passes.merge_common], checked=True) == []


def test_what_a_decomposition_is_made_of_is_decomposed() -> None:
    """HARD_SWISH is made of HARD_SIGMOID, which is not supported either."""
    lacking = {"HARD_SWISH", "HARD_SIGMOID"}
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (7,)))
    model.outputs = [activation.hard_swish(x, alpha=0.3, beta=0.4)]
    array = np.linspace(-4, 4, 7, dtype=np.float32)
    before = evaluate(model, [array])[0]
    step = passes.legalise(lambda o: o.operator.name not in lacking)
    assert apply(model, [step], checked=True) == ["legalise"]
    assert not lacking & {o.operator.name for o in model.operations}
    assert apply(model, [step], checked=True) == []
    np.testing.assert_allclose(evaluate(model, [array])[0], before, rtol=1e-6)


def test_what_stays_says_why() -> None:
    left: list[Left] = []
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (7,)))
    model.outputs = [unary.sin(activation.hard_swish(x, alpha=0.3, beta=0.4))]
    step = passes.legalise(lambda o: o.operator.name == "RELU", left=left)
    assert apply(model, [step]) == ["legalise"]
    assert {"SIN"} <= {row.part_of for row in left} <= {"SIN", "HARD_SWISH"}
    assert all(row.why for row in left)
    assert {row.operation for row in left} == set(model.operations)


def test_twins_of_twins_are_one() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2,)))
    model.outputs = [unary.neg(unary.exp(x)), unary.neg(unary.exp(x)) + unary.exp(x)]
    assert apply(model, [passes.merge_common], checked=True) == ["merge_common"]
    assert [o.operator.name for o in model.sorted()] == ["EXP", "NEG", "ADD"]


def test_a_gain_that_differs_between_rows_stays() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3, 4)))
    model.outputs = [rms_of_a_gain_for_each_row(x)]
    assert apply(model, [passes.fuse_rms, passes.scale_rms], checked=True) == ["fuse_rms"]


@pytest.mark.parametrize(
    "build",
    [
        lambda x: x * unary.rsqrt(reduce.reduce_mean(unary.square(x), [0], keepdim=True) + 1e-3),
        lambda x: x * unary.rsqrt(reduce.reduce_mean(unary.square(x), [1], keepdim=True) + x),
        lambda x: x * unary.rsqrt(reduce.reduce_mean(unary.square(x * 2), [1], keepdim=True) + 1),
    ],
)
def test_what_is_no_rms(build: Callable[[Value], Value]) -> None:
    model = Model()
    model.outputs = [build(model.input("x", TensorType(Precision.FLOAT32, (3, 4))))]
    assert apply(model, [passes.fuse_rms], checked=True) == []


def attention_model(groups: int, heads: int) -> Model:
    """Queries of `heads` heads with keys of `groups`, of open batch and lengths."""
    model = Model()
    words, batch, known = map(symbol, "sbt")
    queries = model.input("q", TensorType(Precision.FLOAT32, (batch, heads, words, 2)))
    keys = model.input("k", TensorType(Precision.FLOAT32, (batch, groups, known, 2)))
    samples, length = size_of(keys, 0), size_of(keys, 2)
    wide = vector(model, [samples, groups, heads // groups, length, 2])
    flat = [samples, heads, length, 2]
    copies = reshape(shape.expand(shape.unsqueeze(keys, [2]), wide), flat)
    model.outputs = [linear.mat_mul(queries, copies, transpose_y=True)]
    return model


@pytest.mark.parametrize(("words", "known"), [(3, 5), (1, 5), (0, 5), (3, 0)])
def test_heads_of_open_lengths_share_keys(words: int, known: int) -> None:
    model = attention_model(2, 6)
    arrays = [data(2, 6, words, 2), data(2, 2, known, 2)]
    before = evaluate(model, arrays)[0]
    assert apply(model, [passes.share_heads], checked=True) == ["share_heads"]
    assert "EXPAND" not in [o.operator.name for o in model.operations]
    np.testing.assert_allclose(evaluate(model, arrays)[0], before, rtol=1e-6)
    for device in ("onnxruntime", "torch"):
        np.testing.assert_allclose(nna.compile(model, device)(*arrays)[0], before, rtol=1e-5)


@pytest.mark.parametrize("axis", [1, 3])
def test_heads_that_are_copied_in_another_order_are_not_shared(axis: int) -> None:
    """All groups behind each other, or each row of a group beside itself."""
    model = Model()
    queries, keys = (
        model.input(name, TensorType(Precision.FLOAT32, (1, heads, 2, 3)))
        for name, heads in (("q", 4), ("k", 2))
    )
    copies = shape.expand(shape.unsqueeze(keys, [axis]), [1, 2, 2, 2, 3])
    model.outputs = [linear.mat_mul(queries, reshape(copies, [1, 4, 2, 3]), transpose_y=True)]
    assert apply(model, [passes.share_heads], checked=True) == []


def test_what_is_much_larger_than_its_parts_is_folded_for_targets_of_numbers_alone() -> None:
    model = Model()
    spread = shape.expand(model.constant(np.array([1, 2], np.float32)), [4000, 2])
    model.outputs = [model.input("x", TensorType(Precision.FLOAT32, (4000, 2))) * spread]
    assert apply(model, [passes.fold_constants], checked=True) == []
    assert apply(model, [passes.fold_large_constants], checked=True) == ["fold_large_constants"]
    (product,) = model.operations
    known = product.inputs[1]
    assert known is not None
    np.testing.assert_array_equal(known.constant, np.array([[1, 2]] * 4000))


def test_a_layer_norm_with_another_number_for_each_row_is_none() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3, 4)))
    for rows in (model.input("rows", TensorType(Precision.FLOAT32, (3, 1))), data(3, 1)):
        centred = x - reduce.reduce_mean(x, [-1], keepdim=True)
        total = reduce.reduce_mean(centred * centred, [1], keepdim=True) + rows
        model.outputs.append(centred / unary.sqrt(total) * data(4) + data(4))
    assert apply(model, [passes.fuse_layer_norm], checked=True) == []
