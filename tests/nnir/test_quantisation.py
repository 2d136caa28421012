"""Grids, ranges, places and the rewriting of quantisation after training."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike

from nnir.check import check
from nnir.dim import symbol
from nnir.errors import BadInput
from nnir.evaluate import evaluate
from nnir.model import Model, Operation, Operator, Value
from nnir.ops import activation, binary, conv, linear, norm, pool, quant, shape
from nnir.ops.quant import integer_range
from nnir.quantisation import (
    METHODS,
    Extremes,
    Grid,
    Histogram,
    Method,
    Placement,
    Recipe,
    Scheme,
    append_twins,
    choose_grid,
    equalise,
    grid_between,
    inputs_to_average,
    make_ends_integer,
    matter_for_softmax,
    place,
    prepare,
    quantize_model,
    round_weights,
    target_of,
)
from nnir.quantisation.correction import correct_bias
from nnir.quantisation.weights import round_bias
from nnir.types import Fuse, Precision, TensorType

F32, INT8, UINT8 = Precision.FLOAT32, Precision.INT8, Precision.UINT8
DRAWS = {"random": np.random.default_rng(7)}


@pytest.fixture(autouse=True)
def _draw_alike() -> None:
    """Every test draws the same numbers, whichever ran before it."""
    DRAWS["random"] = np.random.default_rng(7)


def random(*sizes: int) -> np.ndarray:
    return DRAWS["random"].standard_normal(sizes).astype(np.float32)


# Grids


@pytest.mark.parametrize("is_symmetric", [False, True])
@pytest.mark.parametrize("precision", [INT8, UINT8, Precision.INT16, Precision.INT4])
@pytest.mark.parametrize("ends", [(-1, 3), (0, 5), (-7, 0), (2, 9), (-3, -1), (0, 0), (1e-9, 1e9)])
def test_a_grid_covers_its_range_and_zero(
    ends: tuple[float, float], precision: Precision, is_symmetric: bool
) -> None:
    grid = grid_between(*ends, precision, is_symmetric=is_symmetric)
    low, high = integer_range(precision)
    assert low <= grid.zero_point <= high
    assert grid.round(np.zeros(1))[0] == 0
    assert grid.scale == np.float32(grid.scale)
    slack = grid.scale * 0.5 + 1e-6 * max(map(abs, ends))
    assert grid.low - slack <= min(*ends, 0)
    assert max(*ends, 0) <= grid.high + slack


def refer(operator: Operator[Any], *arrays: np.ndarray | None, **attributes: Any) -> Any:
    """What the reference makes, with the operator's defaults for what is not said."""
    return operator.reference(*arrays, **operator.bind_attributes(attributes))


@pytest.mark.parametrize("precision", [INT8, UINT8])
@pytest.mark.parametrize(("scale", "zero"), [(0.5, 0), (0.125, 3), (0.0371, 100), (3.0, 17)])
def test_every_integer_of_8_bits_is_read_and_written_alike(
    precision: Precision, scale: float, zero: int
) -> None:
    low, high = integer_range(precision)
    whole = np.arange(low, high + 1).astype(precision.dtype)
    scales = np.asarray(scale, np.float32), np.asarray(zero, precision.dtype)
    real = refer(quant.dequantize_linear, whole, *scales)
    np.testing.assert_array_equal(
        refer(quant.quantize_linear, real, *scales, dtype=precision), whole
    )
    grid = Grid(float(np.float32(scale)), zero, precision)
    np.testing.assert_allclose(grid.round(real.astype(np.float64)), real, rtol=1e-6, atol=1e-9)
    assert real.min() == np.float32(grid.low)
    assert real.max() == np.float32(grid.high)


def test_halves_round_to_even_and_ends_saturate() -> None:
    values = np.array([-200, -1.5, -0.5, 0.5, 1.5, 2.5, 200])
    expected = [-128, -2, 0, 0, 2, 2, 127]
    assert Grid(1.0, 0, INT8).round(values).tolist() == expected
    given = values.astype(np.float32), np.float32([1]), None
    whole = refer(quant.quantize_linear, *given, dtype=INT8)
    assert whole.tolist() == expected


# Ranges


def histogram_of(values: np.ndarray) -> Histogram:
    seen = Extremes()
    seen.add(values)
    made = Histogram(seen.low, seen.high)
    made.add(values)
    return made


def squared_error(values: np.ndarray, grid: Grid) -> float:
    return float(np.square(grid.round(values.astype(np.float64)) - values).mean())


def heavy_tails() -> np.ndarray:
    return (DRAWS["random"].standard_t(3, 40_000) + 0.5).astype(np.float32)


@pytest.mark.parametrize("is_symmetric", [False, True])
def test_the_least_squared_error_is_that_of_mse(is_symmetric: bool) -> None:
    values = heavy_tails()
    errors = {
        m: squared_error(
            values, choose_grid(histogram_of(values), m, INT8, is_symmetric=is_symmetric)
        )
        for m in METHODS
    }
    assert min(errors, key=lambda m: errors[m]) == "mse"


def test_extremes_are_covered_by_minmax_alone() -> None:
    values = heavy_tails()
    grids = {m: choose_grid(histogram_of(values), m, INT8) for m in METHODS}
    assert grids["minmax"].high >= values.max() - grids["minmax"].scale
    assert all(grids[m].scale < grids["minmax"].scale for m in METHODS if m != "minmax")


@pytest.mark.parametrize("percentile", [99.0, 99.9])
def test_a_percentile_leaves_out_as_many(percentile: float) -> None:
    values = heavy_tails()
    grid = choose_grid(histogram_of(values), "percentile", INT8, percentile=percentile)
    outside = (values < grid.low - grid.scale) | (values > grid.high + grid.scale)
    assert outside.mean() == pytest.approx(1 - percentile / 100, abs=(1 - percentile / 100) / 2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("values", [[0.0], [0, 0, 5], [-3.0], [4.0, 4.0], [0, 1e-30]])
def test_few_values_have_a_grid(method: Method, values: list[float]) -> None:
    array = np.array(values, np.float32)
    grid = choose_grid(histogram_of(array), method, INT8)
    np.testing.assert_allclose(grid.round(array), array, atol=grid.scale / 2)


def test_extremes_notice_what_is_not_finite() -> None:
    seen = Extremes()
    seen.add(np.float32([1, np.nan]))
    assert not seen.is_finite
    assert Extremes().is_empty


# Weights


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("reduced", [False, True])
def test_weights_are_half_a_step_off_at_most(axis: int | None, reduced: bool) -> None:
    weights = random(4, 3, 5) * np.float32([1, 10, 0.1]).reshape(3, 1)
    made = round_weights(weights, axis, Scheme(reduced=reduced))
    steps = (
        made.scales.reshape(-1)
        if axis is None
        else np.expand_dims(made.scales, tuple(k for k in range(3) if k != axis))
    )
    assert (np.abs(made.real() - weights) <= steps / 2 * (1 + 1e-6)).all()
    assert np.abs(made.data.astype(int)).max() == (63 if reduced else 127)


def test_filters_of_zeros_have_a_usual_scale() -> None:
    weights = random(3, 4)
    weights[1] = 0
    made = round_weights(weights, 0, Scheme())
    assert made.scales[1] == made.scales.max()
    assert not made.real()[1].any()


def test_a_large_bias_makes_scales_larger() -> None:
    scales = round_weights(random(2, 4) * 1e-6, 0, Scheme(), np.array([1.0, 0.0])).scales
    assert scales[0] == 1
    assert scales[1] < 1e-5


def test_a_bias_is_counted_in_steps_of_the_products() -> None:
    bias, scales = random(4), np.full(4, 1e-4)
    made = round_bias(bias, scales)
    assert made.data.dtype == np.int32
    np.testing.assert_allclose(made.real(), bias, atol=0.51e-4)


# Places


def window(**more: object) -> dict[str, object]:
    return {"strides": (1, 1), "dilations": (1, 1), **more}


def convolve(x: Value, filters: int, size: int = 1, **more: object) -> Value:
    model = x.model
    channels = x.shape[1]
    weights = model.constant(random(filters, int(str(channels)), size, size))
    return conv.conv_2d(x, weights, model.constant(random(filters)), **window(**more))


def images(channels: int = 3, size: int = 6) -> tuple[Model, Value]:
    model = Model("net")
    return model, model.input("x", TensorType(F32, (1, channels, size, size)))


def decide(model: Model, suffix: str = ".onnx", **scheme: object) -> Placement:
    return place(model, Scheme(**scheme), target_of(suffix))  # type: ignore[arg-type]


def rounded_by(placement: Placement, operation: Operation | None) -> list[bool]:
    assert operation is not None
    return [v in placement.rounded for v in operation.outputs]


def test_what_a_product_reads_and_gives_is_rounded() -> None:
    model, x = images()
    first = convolve(x, 4)
    second = convolve(first, 2)
    model.outputs = [second]
    for suffix, is_rounded in ((".tflite", True), (".onnx", False), (".xml", False)):
        placement = decide(model, suffix)
        assert list(placement.integer) == [first.producer, second.producer]
        assert x in placement.rounded
        assert first in placement.rounded
        assert (second in placement.rounded) == is_rounded


def test_readers_with_real_numbers_read_what_real_numbers_gave() -> None:
    model, x = images()
    plain = activation.gelu(x)
    product, other = convolve(plain, 4), activation.elu(plain)
    model.outputs = [product, other]
    placement = decide(model)
    assert plain in placement.rounded
    assert plain not in placement.results
    readers = {o.operator.name: placement.reads_rounded(o, plain) for o in plain.uses}
    assert readers == {"CONV_2D": True, "ELU": False}


def test_movements_have_the_grid_of_what_they_move() -> None:
    model, x = images()
    made = convolve(x, 4)
    small = pool.max_pool_2d(made, kernel_shape=(2, 2), strides=(2, 2))
    turned = shape.transpose(small, perm=(0, 1, 3, 2))
    model.outputs = [convolve(turned, 2)]
    placement = decide(model)
    groups = {placement.rounded[v] for v in (made, small, turned)}
    assert len(groups) == 1
    assert groups.pop().observed == [made]
    assert list(placement.movements) == [small.producer, turned.producer]


def test_joined_values_have_one_grid_unless_others_read_them() -> None:
    model, x = images()
    one, two = convolve(x, 4), convolve(x, 4)
    joined = shape.concat(one, two, axis=1)
    model.outputs = [convolve(joined, 2), activation.relu(two)]
    placement = decide(model)
    assert placement.rounded[one] is placement.rounded[joined]
    assert placement.rounded[two] is not placement.rounded[joined]


def test_results_in_a_known_range_need_no_data() -> None:
    model, x = images()
    flat = shape.reshape(activation.softmax(x, axis=-1), [1, -1])
    weights = model.constant(random(2, 108))
    model.outputs = [linear.fully_connected(flat, weights, model.constant(random(2)))]
    (group,) = decide(model).groups
    assert group.fixed == (1 / 256, -128)


def test_sums_that_no_product_reads_stay_real() -> None:
    model, x = images()
    first, second = convolve(x, 4), convolve(x, 4)
    total = first + second
    model.outputs = [activation.gelu(total)]
    kept = {o.operator.name: r for o, r in decide(model).kept.items()}
    assert kept["ADD"] == "no product with integers reads its result"
    assert [o.operator.name for o in decide(model, ".tflite").integer].count("ADD") == 1
    model.outputs = [convolve(shape.transpose(total, perm=(0, 1, 3, 2)), 2)]
    assert [o.operator.name for o in decide(model).integer].count("ADD") == 1


def test_masks_in_front_of_a_softmax_do_not_stretch_its_range() -> None:
    model = Model("scores")
    x, mask = (model.input(n, TensorType(F32, (4, 6, 6))) for n in ("x", "mask"))
    weights = linear.mat_mul(x, model.constant(random(6, 6)))
    scores = weights + mask
    model.outputs = [activation.softmax(scores, axis=-1)]
    placement = decide(model, ".tflite")
    group = placement.rounded[scores]
    assert group.softmax_axis == -1
    assert placement.rounded[weights].softmax_axis is None
    values = random(4, 6, 6)
    values[..., :3] = -10_000
    kept = matter_for_softmax(values, -1)
    np.testing.assert_array_equal(kept[..., 3:], values[..., 3:])
    assert kept.min() > -20
    grid = grid_between(float(kept.min()), float(kept.max()), INT8)
    shares = activation.softmax.reference(grid.round(values), axis=-1)
    assert shares[..., :3].max() < 1e-4
    model.outputs += [scores]
    assert group.softmax_axis is None


def test_an_operation_says_why_it_stays() -> None:
    model, x = images()
    half = activation.gelu(convolve(x, 4))
    model.outputs = [norm.lp_normalization(half, axis=1, p=2)]
    reasons = {o.operator.name: r for o, r in decide(model, ".tflite").kept.items()}
    assert reasons == {
        "LP_NORMALIZATION": "LP_NORMALIZATION stays as it is for LiteRT",
    }


def test_constants_beside_an_operand_are_integers_for_processors_of_integers() -> None:
    model, x = images()
    model.outputs = [convolve(x * 3.0, 4)]
    assert [o.operator.name for o in decide(model, ".tflite").integer] == ["MUL", "CONV_2D"]
    assert [*decide(model, ".onnx").kept.values()] == [
        "MUL by a constant is as fast with real numbers"
    ]


def test_divisions_and_swish_are_products_for_processors_of_integers() -> None:
    model, x = images()
    model.outputs = [activation.swish(x / 3.0)]
    array = random(*x.sizes)
    (exact,) = evaluate(model, [array])
    prepare(model, target_of(".onnx"))
    assert [o.operator.name for o in model.operations] == ["DIV", "SWISH"]
    prepare(model, target_of(".tflite"))
    assert sorted(o.operator.name for o in model.operations) == ["MUL", "MUL", "SIGMOID"]
    np.testing.assert_allclose(evaluate(model, [array])[0], exact, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("flips", [False, True])
@pytest.mark.parametrize("rows", [4, "n"])
def test_a_bias_of_a_stack_is_added_before_rounding(rows: int | str, flips: bool) -> None:
    model = Model("net")
    size = symbol(rows) if isinstance(rows, str) else rows
    x = model.input("x", TensorType(F32, (size, 3, 6)))
    weights = model.constant(random(*((5, 6) if flips else (6, 5))))
    total = linear.mat_mul(x, weights, transpose_y=flips) + model.constant(random(5))
    model.outputs = [activation.relu(total)]
    array = random(4, 3, 6)
    (exact,) = evaluate(model, [array])
    prepare(model, target_of(".tflite"))
    kinds = {o.operator.name for o in model.operations}
    assert "FULLY_CONNECTED" in kinds
    assert not kinds & {"MAT_MUL", "ADD"}
    assert model.outputs[0].shape == (size, 3, 5)
    np.testing.assert_allclose(evaluate(model, [array])[0], exact, rtol=1e-6, atol=1e-6)


def test_double_precision_stays() -> None:
    model = Model("net")
    x = model.input("x", TensorType(Precision.FLOAT64, (2, 3)))
    model.outputs = [linear.mat_mul(x, model.constant(random(3, 4).astype(np.float64)))]
    placement = decide(model)
    assert not placement.integer
    assert [*placement.kept.values()] == ["it computes in FLOAT64, not FLOAT32"]


def test_weights_alone() -> None:
    model, x = images()
    model.outputs = [activation.relu(convolve(x, 4)) + 1.0]
    placement = decide(model, activations=None)
    assert [o.operator.name for o in placement.integer] == ["CONV_2D"]
    assert not placement.rounded


# Rewriting


def calibrate(model: Model, placement: Placement, x: np.ndarray, precision: Precision) -> Recipe:
    """Grids by the extremes of one run."""
    outputs, model.outputs = model.outputs, [v for g in placement.groups for v in g.observed]
    arrays = iter(evaluate(model, [x]))
    model.outputs = outputs
    grids = {}
    for group in placement.groups:
        several = [next(arrays) for _ in group.observed]
        low, high = min(float(a.min()) for a in several), max(float(a.max()) for a in several)
        grids[group] = grid_between(low, high, precision)
    return Recipe(Scheme(activations=precision), grids)


def network() -> tuple[Model, Value]:
    """Convolutions, a movement, a sum, a real function, a product of matrices."""
    model, x = images()
    first = convolve(x, 8, 3, pads=(1, 1, 1, 1), fuse_code=Fuse.RELU)
    small = pool.max_pool_2d(first, kernel_shape=(2, 2), strides=(2, 2))
    total = binary.add(convolve(small, 8), small)
    flat = shape.reshape(activation.gelu(total), [1, -1])
    model.outputs = [linear.mat_mul(flat, model.constant(random(72, 5)))]
    return model, x


@pytest.mark.parametrize("precision", [INT8, UINT8, Precision.INT16])
@pytest.mark.parametrize("suffix", [".onnx", ".tflite", ".xml"])
def test_a_quantised_model_is_near(suffix: str, precision: Precision) -> None:
    model, x = network()
    array = random(*x.sizes)
    (exact,) = evaluate(model, [array])
    placement = decide(model, suffix, activations=precision)
    quantize_model(model, placement, calibrate(model, placement, array, precision))
    check(model)
    (got,) = evaluate(model, [array])
    noise = np.square(got - exact).sum() / np.square(exact).sum()
    assert 0 < noise < 2e-3
    assert [n for n, _ in model.named_outputs()] == ["output0"]


def quantised_operands(operation: Operation) -> list[str]:
    makers = [v.producer for v in operation.inputs if v is not None]
    return ["" if m is None else m.operator.name for m in makers]


def stored_precision(value: Value | None) -> str | None:
    """What the numbers behind a DEQUANTIZE_LINEAR are stored as."""
    made = None if value is None else value.producer
    stored = None if made is None else made.inputs[0]
    return None if stored is None else stored.precision.name


def test_everything_around_a_product_is_integers() -> None:
    model, x = network()
    placement = decide(model, ".tflite")
    quantize_model(model, placement, calibrate(model, placement, random(*x.sizes), INT8))
    products = [o for o in model.operations if o.operator is conv.conv_2d]
    assert [quantised_operands(o) for o in products] == [["DEQUANTIZE_LINEAR"] * 3] * 2
    kinds = [[stored_precision(v) for v in o.inputs] for o in products]
    assert kinds == [["INT8", "INT8", "INT32"]] * 2
    (gelu,) = (o for o in model.operations if o.operator is activation.gelu)
    assert quantised_operands(gelu) == ["DEQUANTIZE_LINEAR"]


def test_shared_weights_are_written_once() -> None:
    model = Model("net")
    x, y = (model.input(n, TensorType(F32, (2, 3))) for n in "xy")
    weights = model.constant(random(3, 4))
    model.outputs = [linear.mat_mul(x, weights), linear.mat_mul(y, weights)]
    placement = decide(model, activations=None)
    quantize_model(model, placement, Recipe(Scheme(activations=None)))
    assert len([o for o in model.operations if o.operator is quant.dequantize_linear]) == 1


def test_twins_show_their_own_error_alone() -> None:
    model, x = network()
    array = random(*x.sizes)
    placement = decide(model, ".tflite")
    recipe = calibrate(model, placement, array, INT8)
    twins = append_twins(model, placement, recipe)
    assert [t.operation for t in twins] == list(placement.integer)
    exact = evaluate(model, [array])
    model.outputs += [v for t in twins for v in (t.signal, t.noise)]
    found = np.array(evaluate(model, [array])[1:]).reshape(-1, 2)
    np.testing.assert_array_equal(evaluate(model, [array])[0], exact[0])
    assert (found[:, 0] > 0).all()
    ratio = found[:, 1] / found[:, 0]
    assert (ratio > 0).all()
    assert (ratio < 1e-3).all()


def test_ends_of_integers_do_the_same() -> None:
    model, x = network()
    array = random(*x.sizes)
    placement = decide(model, ".tflite")
    quantize_model(model, placement, calibrate(model, placement, array, INT8))
    (exact,) = evaluate(model, [array])
    ends = make_ends_integer(model)
    check(model)
    assert [v.precision for v in (*model.inputs, *model.outputs)] == [INT8, INT8]
    (got,) = ends.read_outputs(evaluate(model, ends.round_inputs([array])))
    np.testing.assert_array_equal(got, exact)


def test_an_input_that_is_read_as_it_is_stays_real() -> None:
    model, x = images()
    model.outputs = [convolve(x, 4), activation.elu(x)]
    placement = decide(model)
    quantize_model(model, placement, calibrate(model, placement, random(*x.sizes), INT8))
    assert make_ends_integer(model).inputs == [None]
    assert model.inputs == [x]


# Biases and channels


def test_a_corrected_bias_gives_the_mean_of_the_exact_one() -> None:
    model, x = images()
    result = convolve(x, 4, group=1)
    model.outputs = [result]
    operation = result.producer
    assert operation is not None
    assert inputs_to_average(decide(model)) == {x: 1}
    array = (random(1, 3, 6, 6) + np.float32([1, -2, 3]).reshape(1, 3, 1, 1)).astype(np.float32)
    weights, bias = (operation.inputs[k].constant for k in (1, 2))  # type: ignore[union-attr]
    assert weights is not None
    assert bias is not None
    lost = random(*weights.shape) * 0.05
    mean = array.mean(axis=(0, 2, 3), dtype=np.float64)
    corrected = correct_bias(operation, bias, lost, mean)
    exact = evaluate(model, [array])[0].mean(axis=(0, 2, 3))
    model, y = images()
    model.outputs = [conv.conv_2d(y, weights - lost, corrected, **window())]
    got = evaluate(model, [array])[0].mean(axis=(0, 2, 3))
    np.testing.assert_allclose(got, exact, rtol=1e-4, atol=1e-5)


def test_equalised_channels_give_the_same() -> None:
    model, x = images()
    weights = random(8, 3, 1, 1) * np.float32([1e-2, 1, 30, 1, 1, 1e-1, 1, 5]).reshape(8, 1, 1, 1)
    first = conv.conv_2d(x, weights, random(8), **window(fuse_code=Fuse.RELU))
    deep = convolve_by_channel(first)
    model.outputs = [convolve(deep, 4)]
    array = random(*x.sizes)
    (exact,) = evaluate(model, [array])
    before = spread_of(first)
    assert equalise(model) == 2
    (got,) = evaluate(model, [array])
    np.testing.assert_allclose(got, exact, rtol=1e-4, atol=1e-4)
    assert spread_of(first) < before / 10


def convolve_by_channel(x: Value) -> Value:
    weights, bias = x.model.constant(random(8, 1, 3, 3)), x.model.constant(random(8))
    return conv.conv_2d(x, weights, bias, **window(group=8, fuse_code=Fuse.RELU))


def spread_of(made: Value) -> float:
    """How much larger the largest filter is than the smallest one."""
    operation = made.producer
    assert operation is not None
    weights: ArrayLike = operation.inputs[1].constant  # type: ignore[union-attr,assignment]
    reach = np.abs(weights).max(axis=(1, 2, 3))
    return float(reach.max() / reach.min())


def test_clamped_channels_stay() -> None:
    model, x = images()
    model.outputs = [convolve(convolve(x, 4, fuse_code=Fuse.RELU6), 2)]
    assert equalise(model) == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"activations": Precision.FLOAT16}, "activations of FLOAT16"),
        ({"weights": Precision.INT16}, "weights of INT16"),
        ({"method": "best"}, "method 'best', not one of minmax, percentile, entropy, mse"),
        ({"percentile": 50}, "percentile=50"),
        ({"block": -1}, "block=-1"),
    ],
)
def test_schemes_are_refused_in_words(options: dict[str, object], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Scheme(**options)  # type: ignore[arg-type]
