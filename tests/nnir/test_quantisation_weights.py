"""Weights as integers: how far they are, in blocks, by their inputs, and how they are stored."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from nnir import archive
from nnir.errors import BadInput
from nnir.formats.bits import BITS, pack, stored_size, unpack
from nnir.model import Model, Value
from nnir.ops import linear
from nnir.quantisation import (
    Grid,
    Integers,
    Recipe,
    Scheme,
    input_to_sum,
    place,
    quantize_model,
    range_of,
    round_blocks,
    round_nearest,
    round_second_order,
    round_weights,
    target_of,
)
from nnir.quantisation.weights import round_to
from nnir.types import Precision, TensorType, precision_of

KINDS = [Precision.INT4, Precision.UINT4, Precision.INT8]
SHAPES = [(64, 5), (33, 4), (7, 3), (1, 2)]
SINGLE = np.finfo(np.float32).eps


def scheme_of(kind: Precision, block: int = 32, *, zero_points: bool = False) -> Scheme:
    return Scheme(activations=None, weights=kind, block=block, weight_zero_points=zero_points)


def correlated(count: int, size: int, seed: int = 0) -> np.ndarray:
    """Inputs whose channels have to do with each other, some of them large."""
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(size, size)) * np.exp(rng.normal(size=size))
    return np.asarray(rng.normal(size=(count, size)) @ mixing)


def spread(each: np.ndarray, like: Integers) -> np.ndarray:
    """What belongs to blocks, for each weight."""
    repeated = np.repeat(each, like.block, axis=like.axis)
    return np.take(repeated, range(like.data.shape[like.axis]), axis=like.axis)


@pytest.mark.parametrize("zero_points", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_half_a_step_away(
    kind: Precision, shape: tuple[int, int], zero_points: bool
) -> None:
    weights = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    made = round_blocks(weights, 0, scheme_of(kind, zero_points=zero_points))
    steps = spread(made.scales, made).astype(np.float64)
    away = np.abs(made.real() - weights)
    low, high = range_of(scheme_of(kind, zero_points=zero_points))
    inside = (made.data > low) & (made.data < high)
    assert (away[inside] <= (steps / 2 + np.abs(weights) * SINGLE)[inside]).all()
    assert made.scales.shape == (math.ceil(shape[0] / 32), shape[1])
    assert made.data.dtype == kind.dtype


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_blocks_lie_along_the_axis_that_is_summed(axis: int) -> None:
    weights = np.random.default_rng(2).normal(size=(3, 5, 7)).astype(np.float32)
    made = round_blocks(weights, axis, scheme_of(Precision.INT4, block=2))
    turned = np.moveaxis(weights, axis, 0)
    alone = round_blocks(turned, 0, scheme_of(Precision.INT4, block=2))
    np.testing.assert_array_equal(np.moveaxis(made.real(), axis, 0), alone.real())


@pytest.mark.parametrize("zero_points", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_what_the_grid_has_is_exact(kind: Precision, zero_points: bool) -> None:
    scheme = scheme_of(kind, block=8, zero_points=zero_points)
    low, high = range_of(scheme)
    whole = np.random.default_rng(3).integers(low, high, (24, 3), endpoint=True)
    whole[::8], whole[1::8] = low, high  # each block uses the whole range
    weights = ((whole - (low + high + 1) // 2) * 0.25).astype(np.float32)
    made = round_blocks(weights, 0, scheme)
    np.testing.assert_array_equal(made.real(), weights)
    inputs = correlated(50, 24)
    better = round_second_order(weights, 0, inputs.T @ inputs, made, range_of(scheme))
    np.testing.assert_array_equal(better.real(), weights)


def test_a_block_of_zeros_is_exact() -> None:
    weights = np.zeros((40, 2), np.float32)
    weights[0, 0] = 1
    made = round_blocks(weights, 0, scheme_of(Precision.INT4, block=8))
    np.testing.assert_array_equal(made.real(), weights)
    assert (made.scales > 0).all()


def test_zero_points_suit_weights_on_one_side() -> None:
    weights = np.random.default_rng(4).uniform(1, 2, (64, 4)).astype(np.float32)
    plain, moved = (
        round_blocks(weights, 0, scheme_of(Precision.UINT4, zero_points=z)).real()
        for z in (False, True)
    )
    assert np.square(moved - weights).sum() < np.square(plain - weights).sum()


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("block", [0, 16, 24])
@pytest.mark.parametrize("zero_points", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_second_order_is_never_worse(
    kind: Precision, zero_points: bool, block: int, axis: int
) -> None:
    size = 40
    weights = np.random.default_rng(5).normal(size=(size, 6)).astype(np.float32)
    weights = weights if axis == 0 else weights.T.copy()
    inputs = correlated(100, size)
    scheme = scheme_of(kind, block, zero_points=zero_points)
    nearest = (
        round_blocks(weights, axis, scheme) if block else round_weights(weights, 1 - axis, scheme)
    )
    made = round_second_order(weights, axis, inputs.T @ inputs, nearest, range_of(scheme))

    def errors(whole: Integers) -> np.ndarray:
        lost = np.moveaxis(whole.real().astype(np.float64) - weights, axis, 0)
        return np.asarray(np.square(inputs @ lost).sum(axis=0))

    assert (errors(made) <= errors(nearest) * (1 + 1e-4)).all()
    assert errors(made).sum() < errors(nearest).sum() / 2
    low, high = range_of(scheme)
    assert low <= made.data.astype(int).min() <= made.data.astype(int).max() <= high
    assert (made.scales.shape, made.data.dtype) == (nearest.scales.shape, nearest.data.dtype)


def test_inputs_of_nothing_are_no_reason_to_fail() -> None:
    weights = np.random.default_rng(6).normal(size=(8, 3)).astype(np.float32)
    nearest = round_blocks(weights, 0, scheme_of(Precision.INT4, block=4))
    made = round_second_order(weights, 0, np.zeros((8, 8)), nearest, (-8, 7))
    np.testing.assert_array_equal(made.real(), nearest.real())


def product(form: str) -> tuple[Model, Value]:
    """A product with a constant matrix of 6 by 10, of which 10 are summed."""
    model, rng = Model(), np.random.default_rng(7)
    array = rng.normal(size=(6, 10)).astype(np.float32)
    if form in ("x W", "x W^T", "dense"):
        x = model.input("x", TensorType(Precision.FLOAT32, (3, 10)))
    else:
        x = model.input("x", TensorType(Precision.FLOAT32, (10, 3) if form == "W x" else (3, 10)))
    match form:
        case "x W":
            made = linear.mat_mul(x, model.constant(array.T.copy()))
        case "x W^T":
            made = linear.mat_mul(x, model.constant(array), transpose_y=True)
        case "dense":
            bias = model.constant(np.zeros(6, np.float32))
            made = linear.fully_connected(x, model.constant(array), bias)
        case "W x":
            made = linear.mat_mul(model.constant(array), x)
        case _:
            made = linear.mat_mul(model.constant(array), x, transpose_y=True)
    model.outputs = [made]
    return model, x


@pytest.mark.parametrize("form", ["x W", "x W^T", "dense", "W x", "W x^T"])
def test_every_product_knows_what_it_sums(form: str) -> None:
    model, x = product(form)
    (operation,) = model.operations
    found = input_to_sum(operation)
    assert found is not None
    assert (found[0], x.shape[found[1]]) == (x, 10)
    weights = next(v for v in operation.inputs if v is not None and v.rank == 2 and v is not x)
    assert weights.constant is not None
    made = round_nearest(operation, weights.constant, scheme_of(Precision.INT4, block=4))
    assert sorted(made.scales.shape) == [3, 6]


def test_weights_that_two_products_share_are_written_once() -> None:
    model, rng = Model(), np.random.default_rng(8)
    x = model.input("x", TensorType(Precision.FLOAT32, (3, 8)))
    shared = model.constant(rng.normal(size=(8, 8)).astype(np.float32))
    first = linear.mat_mul(x, shared)
    model.outputs = [linear.mat_mul(first, shared), linear.mat_mul(x, shared, transpose_y=True)]
    scheme = scheme_of(Precision.INT4, block=4)
    quantize_model(model, place(model, scheme, target_of(".onnx")), Recipe(scheme))
    kinds = [v.precision for v in model.values() if v.constant is not None and v.shape == (8, 8)]
    assert kinds == [Precision.INT4] * 2  # one for each axis that is summed


@pytest.mark.parametrize("count", [0, 1, 2, 7, 64])
@pytest.mark.parametrize("kind", list(BITS))
def test_narrow_elements_are_stored_in_their_bits(
    kind: Precision, count: int, tmp_path: Path
) -> None:
    codes = np.arange(count, dtype=np.uint8) % (1 << BITS[kind])
    array = unpack(pack(codes) if BITS[kind] == 8 else _packed(codes, BITS[kind]), kind, count)
    assert precision_of(array.dtype) == kind
    np.testing.assert_array_equal(pack(array), _packed(codes, BITS[kind]))
    model = Model()
    model.outputs = [model.constant(array.reshape(-1, 1))]
    archive.save(model, tmp_path / "m.nnir")
    (again,) = archive.load(tmp_path / "m.nnir").outputs
    assert again.constant is not None
    np.testing.assert_array_equal(pack(again.constant), pack(array))
    assert again.shape == (count, 1)


def _packed(codes: np.ndarray, bits: int) -> np.ndarray:
    """The definition: a stream of bits, the lowest first."""
    stream = [code >> bit & 1 for code in codes.tolist() for bit in range(bits)]
    return np.packbits(np.array(stream, np.uint8), bitorder="little")


def test_an_archive_takes_half_a_byte_for_4_bits(tmp_path: Path) -> None:
    sizes = []
    for count in (4096, 8192):
        model = Model()
        model.outputs = [model.constant(np.ones(count).astype(Precision.INT4.dtype))]
        archive.save(model, tmp_path / "m.nnir")
        sizes.append((tmp_path / "m.nnir").stat().st_size)
    assert sizes[1] - sizes[0] == stored_size(Precision.INT4, 4096)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight_method": "awq"}, "not one of nearest, gptq"),
        ({"activations": Precision.INT8, "block": 32}, "activations=None"),
        ({"activations": Precision.INT8, "weight_zero_points": True}, "activations=None"),
    ],
)
def test_schemes_that_do_not_fit(options: dict[str, object], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        Scheme(**{"activations": None, **options})  # type: ignore[arg-type]


def test_one_zero_point_has_the_shape_of_one_scale() -> None:
    """Engines want both as scalars, or both as vectors."""
    made = round_to(np.ones((3, 1, 1), np.float32), Grid(0.5, 3, Precision.INT8))
    assert made.scales.shape == made.zero_points.shape == ()
