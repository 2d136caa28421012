"""Strides of convolutions of kernel 1 behind borders on openvino, compiled and as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hal.drivers.openvino.quirks import PADDED_POINTS
from nnir.model import Model, Value
from nnir.ops import activation, binary, conv, pool, shape, unary
from nnir.types import Precision, TensorType

from .stock_openvino import count_met, require_equal

pytest.importorskip("openvino")
F32 = Precision.FLOAT32
SIZES = (1, 2, 9, 7)


def points(
    x: Value, stride: int = 1, border: int = 0, *, kernel: int = 1, group: int = 1, seed: int = 0
) -> Value:
    """A convolution with as many channels behind it as in front."""
    channels, rank = int(x.shape[1]), x.rank - 2  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    sizes = (channels, channels // group, *(kernel,) * rank)
    taps = x.model.constant(rng.standard_normal(sizes, np.float32))
    bias = x.model.constant(rng.standard_normal(channels, np.float32))
    make = conv.conv_2d if rank == 2 else conv.conv_3d
    ones = (1,) * rank
    pads, strides = (border,) * 2 * rank, (stride,) * rank
    return make(x, taps, bias, pads=pads, strides=strides, dilations=ones, group=group)


def padded(x: Value) -> Value:
    """With a row and a column of zeros around the spatial axes."""
    pads = [0, 0, 0, 0, *(1, 1) * (x.rank - 2)]
    return shape.pad(x, x.model.constant(np.array(pads, np.int64)), None)


def less(x: Value) -> Value:
    """1 - x; OpenVINO moves no strides up to an input of the model."""
    return binary.sub(x.model.constant(np.float32(1)), x)


def reshaped(x: Value, *sizes: int) -> Value:
    return shape.reshape(x, x.model.constant(np.array(sizes, np.int64)))


def exchanged(x: Value) -> Value:
    return shape.transpose(x, perm=(0, 1, 3, 2))


def two_readers(x: Value) -> Value:
    below = points(activation.relu(x), border=1)
    return binary.add(points(below, 2), unary.abs_(points(below, 2, seed=1)))


def sum_of_branches(x: Value) -> Value:
    return points(binary.add(points(x, border=1), points(padded(less(x)))), 2)


def deep(x: Value) -> Value:
    x = points(x, 2)
    for _ in range(3):
        x = activation.relu(points(points(less(x), border=1)))
    return points(points(x, 2), 2)


Build = Callable[[Value], Value]
BEHIND: dict[str, Build] = {
    "pad": lambda x: points(padded(x), 2),
    "pad, kept shape": lambda x: points(reshaped(padded(x), 1, 2, 11, 9), 2),
    "pad, two transposes": lambda x: points(exchanged(exchanged(padded(x))), 2),
    "pad, points": lambda x: points(points(padded(x)), 2),
    "pad, points, relu": lambda x: points(activation.relu(points(padded(x))), 2),
    "padded points": lambda x: points(points(x, border=1), 2),
    "padded points, stride 3": lambda x: points(points(x, border=1), 3),
    "padded points, points": lambda x: points(points(points(x, border=1)), 2),
    "padded points, padded points": lambda x: points(points(points(x, border=1), border=1), 2),
    "padded points with strides": lambda x: points(points(x, 2, 1), 2),
    "points with strides, padded points": lambda x: points(points(points(x, 2), border=1), 2),
    "padded points, relu": lambda x: points(activation.relu(points(x, border=1)), 2),
    "padded points, 1 - x": lambda x: points(less(points(x, border=1)), 2),
    "padded points, kernel 3": lambda x: points(points(points(x, border=1), 2, kernel=3), 2),
    "padded points, transpose": lambda x: points(exchanged(points(x, border=1)), 2),
    "padded points, reshape": lambda x: points(reshaped(points(x, border=1), 1, 2, 9, 11), 2),
    "padded points in groups": lambda x: points(points(x, border=1, group=2), 2),
    "groups behind a pad": lambda x: points(points(padded(x), group=2), 2, group=2),
    "own border in groups": lambda x: points(x, 2, 1, group=2),
    "two readers": two_readers,
    "sum of branches": sum_of_branches,
    "deep": deep,
}


def model_of(build: Build, precision: Precision = F32, sizes: tuple[int, ...] = SIZES) -> Model:
    model = Model()
    x = model.input("x", TensorType(precision, sizes))
    model.outputs = [build(x)]
    return model


@pytest.mark.parametrize("build", BEHIND.values(), ids=BEHIND)
def test_strides_behind_a_border(build: Build, tmp_path: Path) -> None:
    x = np.random.default_rng(7).standard_normal(SIZES, np.float32)
    require_equal(model_of(lambda v: build(less(v))), tmp_path, x, tolerance=1e-4)


@pytest.mark.parametrize("name", ["pad", "padded points", "padded points, 1 - x"])
def test_strides_over_three_axes(name: str, tmp_path: Path) -> None:
    sizes = (1, 2, 5, 4, 6)
    x = np.random.default_rng(7).standard_normal(sizes, np.float32)
    model = model_of(lambda v: BEHIND[name](less(v)), sizes=sizes)
    require_equal(model, tmp_path, x, tolerance=1e-4)


def integer_points(x: Value, stride: int, border: int) -> Value:
    taps = np.random.default_rng(1).integers(-9, 9, (3, int(x.shape[1]), 1, 1), np.int8)  # type: ignore[arg-type]
    zero = x.model.constant(np.uint8(0))
    how = {"pads": (border,) * 4, "strides": (stride,) * 2, "dilations": (1, 1)}
    return conv.conv_integer(x, x.model.constant(taps), zero, **how)


INTEGERS: dict[str, Build] = {
    "own border": lambda x: integer_points(x, 2, 1),
    "pad": lambda x: integer_points(padded(x), 2, 0),
    "padded integers": lambda x: integer_points(
        integer_points(x, 1, 1).cast(Precision.UINT8), 2, 0
    ),
    "padded integers, floats": lambda x: points(integer_points(x, 1, 1).cast(F32), 2),
}


@pytest.mark.parametrize("build", INTEGERS.values(), ids=INTEGERS)
def test_integers_behind_a_border(build: Build, tmp_path: Path) -> None:
    x = np.random.default_rng(7).integers(0, 200, SIZES, np.uint8)
    require_equal(model_of(build, Precision.UINT8), tmp_path, x, tolerance=1e-4)


@pytest.mark.parametrize("border", [0, 1])
def test_dilated_means_of_one_element(border: int, tmp_path: Path) -> None:
    def build(x: Value) -> Value:
        shown = {"strides": (2, 2), "dilations": (2, 2), "pads": (border,) * 4}
        return pool.average_pool(padded(less(x)), kernel_shape=(1, 1), **shown)

    x = np.random.default_rng(7).standard_normal(SIZES, np.float32)
    require_equal(model_of(build), tmp_path, x)


FREE: dict[str, Build] = {
    "nothing": lambda x: points(activation.relu(points(x, 2)), 2),
    "kernel 3 with a border": lambda x: points(points(padded(x), 1, 1, kernel=3), 2),
    "a pool with a border": lambda x: points(
        pool.max_pool(padded(x), kernel_shape=(2, 2), pads=(1, 1, 1, 1)), 2
    ),
}


@pytest.mark.parametrize("build", FREE.values(), ids=FREE)
def test_other_strides_are_as_before(build: Build, tmp_path: Path) -> None:
    x = np.random.default_rng(7).standard_normal(SIZES, np.float32)
    model = model_of(lambda v: build(less(v)))
    assert count_met(model, PADDED_POINTS) == 0
    require_equal(model, tmp_path, x, tolerance=1e-4)
