"""PRELU behind products on openvino, compiled and as files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hal.drivers.openvino.quirks import SLOPES_OF_A_PRODUCT
from nnir.dim import symbol
from nnir.model import Model, Value
from nnir.ops import activation, binary, conv, linear, shape
from nnir.types import Precision, TensorType

from .stock_openvino import count_met, require_equal

pytest.importorskip("openvino")


def constant(x: Value, *sizes: int) -> Value:
    return x.model.constant(np.random.default_rng(1).standard_normal(sizes, np.float32))


def slopes(x: Value, channels: int) -> Value:
    return activation.prelu(x, constant(x, channels))


def exchanged(x: Value) -> Value:
    return shape.transpose(x, perm=(*range(x.rank - 2), x.rank - 1, x.rank - 2))


def model_of(sizes: tuple[object, ...], between: str = "nothing") -> Model:
    """Slopes behind a product with a matrix of six columns."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, sizes))  # type: ignore[arg-type]
    for dim in sizes:
        if not isinstance(dim, int):
            model.symbols[str(dim)] = (0, None)
    product = linear.mat_mul(x, constant(x, 5, 6))
    match between:
        case "sum":
            product = binary.add(product, constant(x, 6))
        case "transposes":
            product = exchanged(exchanged(product))
    channels = sizes[1]
    model.outputs = [slopes(product, channels if isinstance(channels, int) else 1)]
    return model


@pytest.mark.parametrize("between", ["nothing", "sum", "transposes"])
@pytest.mark.parametrize(
    "sizes", [(3, 2, 4, 5), (3, 6, 4, 5), (2, 6, 3, 4, 5), (3, 6, 50, 5)], ids=str
)
def test_slopes_are_those_of_channels(sizes: tuple[int, ...], between: str, tmp_path: Path) -> None:
    x = np.random.default_rng(2).standard_normal(sizes, np.float32)
    require_equal(model_of(sizes, between), tmp_path, x)


@pytest.mark.parametrize("channels", [2, 6])
def test_slopes_of_rank_3(channels: int, tmp_path: Path) -> None:
    sizes = (3, channels, 5)
    x = np.random.default_rng(2).standard_normal(sizes, np.float32)
    require_equal(model_of(sizes), tmp_path, x)


def test_slopes_of_open_sizes(tmp_path: Path) -> None:
    x = np.random.default_rng(2).standard_normal((3, 6, 4, 5), np.float32)
    require_equal(model_of((symbol("n"), 6, symbol("h"), 5)), tmp_path, x)


def test_slopes_behind_a_convolution_are_as_before(tmp_path: Path) -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (3, 2, 4, 5)))
    product = linear.mat_mul(x, constant(x, 5, 6))
    taps, bias = constant(x, 6, 2, 3, 3), constant(x, 6)
    sums = conv.conv_2d(product, taps, bias, strides=(1, 1), dilations=(1, 1))
    model.outputs = [slopes(sums, 6)]
    assert count_met(model, SLOPES_OF_A_PRODUCT) == 0
    data = np.random.default_rng(2).standard_normal((3, 2, 4, 5), np.float32)
    require_equal(model, tmp_path, data, tolerance=1e-4)
