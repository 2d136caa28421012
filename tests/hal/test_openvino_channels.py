"""Numbers for channels behind products of open sizes on openvino, compiled and as files."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import nnadapter as nna
from hal.drivers.openvino.driver import copy_result, end_of
from hal.drivers.openvino.joining import scales_channels
from hal.drivers.openvino.quirks import CHANNELS_OF_A_PRODUCT
from nnir.dim import Dim, symbol
from nnir.errors import DeviceError, NoLowering
from nnir.model import Model, Value
from nnir.ops import activation, binary, conv, linear, norm, shape
from nnir.types import Precision, TensorType

from .stock_openvino import count_met, require_equal

pytest.importorskip("openvino")

COLUMNS = 3
BETWEEN: dict[str, Callable[[Value], Value]] = {
    "nothing": lambda y: y,
    "relu": activation.relu,
    "gelu": activation.gelu,
    "row": lambda y: binary.mul(y, constant(y, COLUMNS)),
    "twice": lambda y: binary.mul(y, y.model.constant(np.float32([2]))),
    "transposes": lambda y: exchanged(exchanged(y)),
}
BEHIND: dict[str, Callable[[Value, Value], Value]] = {
    "add": binary.add,
    "sub": binary.sub,
    "from": lambda y, c: binary.sub(c, y),
    "mul": binary.mul,
    "div": binary.div,
    "affine": lambda y, c: binary.add(binary.mul(y, c), c),
}


def constant(x: Value, *sizes: int) -> Value:
    return x.model.constant(np.random.default_rng(1).random(sizes, np.float32) + np.float32(0.5))


def exchanged(x: Value) -> Value:
    return shape.transpose(x, perm=(*range(x.rank - 2), x.rank - 1, x.rank - 2))


def product_of(sizes: tuple[Dim, ...]) -> Value:
    """A product with a matrix of three columns."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, sizes))
    model.symbols |= {str(d): (0, None) for d in sizes if not isinstance(d, int)}
    matrix = np.random.default_rng(2).standard_normal((5, COLUMNS), np.float32)
    return linear.mat_mul(x, model.constant(matrix))


def ended(result: Value) -> Model:
    result.model.outputs = [result]
    return result.model


def sizes_of(channels: int, rank: int, *, is_open: bool = True) -> tuple[Dim, ...]:
    first = symbol("n") if is_open else 2
    return (first, channels, *(4, 2)[: rank - 3], 5)


def data_of(channels: int, rank: int) -> np.ndarray:
    sizes = (2, channels, *(4, 2)[: rank - 3], 5)
    return np.random.default_rng(3).standard_normal(sizes, np.float32)


@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("between", BETWEEN)
@pytest.mark.parametrize("channels", [COLUMNS, 6])
def test_numbers_are_those_of_channels(
    channels: int, between: str, behind: str, tmp_path: Path
) -> None:
    for rank in (4, 5):
        made = BETWEEN[between](product_of(sizes_of(channels, rank)))
        numbers = constant(made, 1, channels, *(1,) * (rank - 2))
        model = ended(BEHIND[behind](made, numbers))
        assert count_met(model, CHANNELS_OF_A_PRODUCT)
        require_equal(model, tmp_path, data_of(channels, rank), tolerance=1e-4)


@pytest.mark.parametrize("channels", [COLUMNS, 6])
def test_normalized_channels(channels: int, tmp_path: Path) -> None:
    made = product_of(sizes_of(channels, 4))
    made = norm.batch_normalization(made, *(constant(made, channels) for _ in range(4)))
    require_equal(ended(made), tmp_path, data_of(channels, 4), tolerance=1e-4)


def test_what_is_right_stays_as_it_is(tmp_path: Path) -> None:
    """Known sizes, rank 3, one number, one for each column, and what a Transpose keeps apart."""
    for rank, is_open in itertools.product((3, 4), (True, False)):
        if rank == 4 and is_open:
            continue
        made = product_of(sizes_of(COLUMNS, rank, is_open=is_open))
        model = ended(binary.add(made, constant(made, 1, COLUMNS, *(1,) * (rank - 2))))
        assert not count_met(model, CHANNELS_OF_A_PRODUCT)
        require_equal(model, tmp_path, data_of(COLUMNS, rank))
    for sizes in ((1,), (COLUMNS,), (1, 1, 4, 1)):
        made = product_of(sizes_of(COLUMNS, 4))
        model = ended(binary.add(made, constant(made, *sizes)))
        assert not count_met(model, CHANNELS_OF_A_PRODUCT)
        require_equal(model, tmp_path, data_of(COLUMNS, 4))
    made = shape.transpose(activation.gelu(product_of(sizes_of(4, 4))), perm=(0, 3, 1, 2))
    model = ended(binary.mul(made, constant(made, COLUMNS, 1, 1)))
    assert not count_met(model, CHANNELS_OF_A_PRODUCT)
    require_equal(model, tmp_path, data_of(4, 4), tolerance=1e-4)


def test_numbers_of_a_size_that_is_found_later() -> None:
    """What is made of constants alone may have an open size: it may be that of channels."""
    from openvino import PartialShape, opset13

    x = opset13.parameter(PartialShape([-1, COLUMNS, 4, 5]), np.float32)
    ends = (np.ones(sizes, np.float32) for sizes in ((1, 2, 4), (1, 1, 2)))
    found = opset13.non_max_suppression(*map(opset13.constant, ends), opset13.constant(1))
    numbers = found.output(1)
    assert numbers.get_partial_shape().is_dynamic
    assert scales_channels("Add", [x.output(0), numbers])
    assert not scales_channels("Maximum", [x.output(0), numbers])


def test_data_of_a_rank_that_is_found_later() -> None:
    from openvino import PartialShape, opset13

    x = opset13.parameter(PartialShape.dynamic(), np.float32)
    for sizes, may_be in (((1, 3, 1, 1), True), ((3, 1, 1), True), ((3,), False), ((1, 3), False)):
        numbers = opset13.constant(np.ones(sizes, np.float32))
        assert scales_channels("Add", [x.output(0), numbers.output(0)]) == may_be


def test_a_convolution_of_no_channels_of_open_sizes_is_refused() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (symbol("n"), 0, 4, 4)))
    taps = model.constant(np.zeros((2, 0, 3, 3), np.float32))
    result = conv.conv_2d(x, taps, constant(x, 2), strides=(1, 1), dilations=(1, 1))
    model.outputs = [result]
    with pytest.raises(NoLowering, match=r"open sizes with a filter float32\[2, 0, 3, 3\]"):
        nna.compile(model, "openvino")


def test_a_result_of_another_size_is_told() -> None:
    class Tensor:
        data = np.zeros((4, 4), np.float32)

    class Request:
        def get_output_tensor(self, position: int) -> Tensor:
            return Tensor()

    kept = SimpleNamespace(outputs=[end_of(TensorType(Precision.FLOAT32, (1, 3)))])
    with pytest.raises(DeviceError, match=r"openvino gave \[4, 4\], not \[1, 3\]"):
        copy_result(Request(), 0, kept, None)  # type: ignore[arg-type]
