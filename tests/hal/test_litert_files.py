"""The litert device proves the files that it writes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from hal.drivers.litert import LiteRT
from nnir.dim import symbol
from nnir.errors import DeviceError, NoLowering, Unsupported
from nnir.model import Model
from nnir.ops import activation, binary, conv, linear, pool, unary
from nnir.types import AutoPad, Precision, TensorType

F32 = Precision.FLOAT32
RNG = np.random.default_rng(0)


def numbers(*sizes: int) -> np.ndarray:
    return RNG.standard_normal(sizes).astype(np.float32)


def dense(batch: Any) -> Model:
    model = Model()
    x = model.input("x", TensorType(F32, (batch, 3)))
    model.outputs = [activation.relu(linear.mat_mul(x, model.constant(numbers(3, 2))))]
    return model


def imported(model: Model, path: Path, content: bytes | None = None) -> tuple[LiteRT, Any]:
    device = LiteRT()
    device.open_device()
    device.export(model, path)
    if content is not None:
        path.write_bytes(content)
    types = [[v.type for v in values] for values in (model.inputs, model.outputs)]
    return device, device.import_program(device.create_context({}, None), path, *types)


def agree(device: LiteRT, program: Any, model: Model, arrays: Sequence[np.ndarray]) -> None:
    (got,) = device.execute_program(program, arrays)
    (want,) = nna.compile(model, "builtin")(*arrays)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("batch", [4, symbol("batch")])
def test_what_is_written_is_proved(batch: Any, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # one says that a file was not verified
        nna.convert(dense(batch), tmp_path / "net.tflite")


def test_a_file_of_known_sizes_runs(tmp_path: Path) -> None:
    model = dense(4)
    device, program = imported(model, tmp_path / "net.tflite")
    agree(device, program, model, [numbers(4, 3)])


def test_a_file_of_open_sizes_follows_its_inputs(tmp_path: Path) -> None:
    model = dense(symbol("batch"))
    device, program = imported(model, tmp_path / "net.tflite")
    for size in (1, 5, 5, 2):
        agree(device, program, model, [numbers(size, 3)])


@pytest.mark.parametrize("pad", [AutoPad.NONE, AutoPad.SAME], ids=lambda p: p.name)
@pytest.mark.parametrize("axes", [(5, 6), (3, 4, 5)], ids=len)
def test_transposed_convolutions_of_an_open_batch(
    axes: tuple[int, ...], pad: AutoPad, tmp_path: Path
) -> None:
    model = Model()
    x = model.input("x", TensorType(F32, (symbol("batch"), 4, *axes)))
    weights, bias = (model.constant(numbers(*n)) for n in ((4, 3, *(3,) * len(axes)), (3,)))
    operator = conv.conv_2d_transpose if len(axes) == 2 else conv.conv_3d_transpose
    steps = {"strides": (2,) * len(axes), "dilations": (1,) * len(axes)}
    model.outputs = [operator(x, weights, bias, auto_pad=pad, **steps)]
    device, program = imported(model, tmp_path / "net.tflite")
    for size in (1, 3):
        agree(device, program, model, [numbers(size, 4, *axes)])


@pytest.mark.parametrize("pad", AutoPad, ids=lambda p: p.name)
@pytest.mark.parametrize("steps", [(1, 1, 1), (2, 1, 2), (3, 2, 1)], ids=str)
def test_volumes_of_open_sizes_keep_nan(
    steps: tuple[int, ...], pad: AutoPad, tmp_path: Path
) -> None:
    """As the program of known sizes; LiteRT's kernel of volumes loses NaN."""
    model = Model()
    x = model.input("x", TensorType(F32, (symbol("n"), 2, *map(symbol, "dhw"))))
    weights, bias = model.constant(numbers(3, 2, 2, 3, 2)), model.constant(numbers(3))
    how = {"auto_pad": pad, "strides": steps, "dilations": (1, 1, 1)}
    model.outputs = [conv.conv_3d(x, weights, bias, **how)]
    device, program = imported(model, tmp_path / "net.tflite")
    for sizes in ((5, 6, 7), (3, 4, 4)):
        data = numbers(2, 2, *sizes)
        data[0, 0, 1, 2, 1], data[1, 1, 0, 0, 0] = np.nan, np.inf
        agree(device, program, model, [data])


@pytest.mark.parametrize("pads", [(0, 0, 0, 0), (0, 1, 0, 1), (1, 1, 1, 1)], ids=str)
@pytest.mark.parametrize(("size", "wide"), [(5, 5), (6, 8), (4, 7)], ids=str)
@pytest.mark.parametrize("operator", [pool.max_pool_2d, pool.max_pool], ids=lambda o: o.name)
def test_last_windows_overhang_beside_an_open_size(
    operator: Any, size: int, wide: int, pads: tuple[int, ...], tmp_path: Path
) -> None:
    model = Model()
    x = model.input("x", TensorType(F32, (2, 3, size, symbol("n"))))
    how = {"pads": pads, "kernel_shape": (3, 3), "strides": (2, 2), "ceil_mode": True}
    model.outputs = [operator(x, **how)]
    device, program = imported(model, tmp_path / "net.tflite")
    for n in (wide, wide + 1):
        agree(device, program, model, [numbers(2, 3, size, n)])


def test_windows_that_may_start_behind_the_data_need_known_sizes(tmp_path: Path) -> None:
    model = Model()
    x = model.input("x", TensorType(F32, (1, 1, 6, symbol("n"))))
    how = {"kernel_shape": (2, 2), "strides": (3, 3), "ceil_mode": True}
    model.outputs = [pool.max_pool(x, **how)]
    with pytest.raises(NoLowering, match="may start behind the data"):
        nna.convert(model, tmp_path / "net.tflite")


def test_a_window_of_padding_alone_has_the_least_number_behind_an_activation() -> None:
    model = Model()
    x = model.input("x", TensorType(F32, (1, 2, 4, 4)))
    weights, bias = (model.constant(numbers(*n)) for n in ((2, 2, 1, 1), (2,)))
    y = activation.relu(conv.conv_2d(x, weights, bias, strides=(1, 1), dilations=(1, 1)))
    how = {"kernel_shape": (1, 1), "strides": (2, 2), "ceil_mode": True}
    model.outputs = [pool.max_pool_2d(y, **how)]
    (got,) = nna.compile(model, "litert")(numbers(1, 2, 4, 4))
    assert (got[..., 2, :] == -np.inf).all()
    assert np.isfinite(got[..., :2, :2]).all()


def test_sizes_that_a_file_fixes_stay(tmp_path: Path) -> None:
    device, program = imported(dense(symbol("batch")), tmp_path / "net.tflite")
    with pytest.raises(DeviceError, match="litert failed"):
        device.execute_program(program, [numbers(2, 4)])
    assert device.execute_program(program, [numbers(2, 3)])[0].shape == (2, 2)


def test_complex_numbers_of_open_sizes(tmp_path: Path) -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.COMPLEX64, (symbol("n"),)))
    model.outputs = [binary.mul(x, x)]
    device, program = imported(model, tmp_path / "net.tflite")
    agree(device, program, model, [(numbers(6) + 1j * numbers(6)).astype(np.complex64)])


def test_bfloat16_cannot_be_handed_over(tmp_path: Path) -> None:
    model = Model()
    model.outputs = [unary.neg(model.input("x", TensorType(Precision.BFLOAT16, (3,))))]
    with pytest.raises(Unsupported, match="BFLOAT16"):
        imported(model, tmp_path / "net.tflite")


def test_no_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="refused"):
        imported(dense(2), tmp_path / "net.tflite", b"no TFLite file")
