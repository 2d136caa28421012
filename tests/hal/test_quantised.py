"""Operations on quantised operands: on every device, and by the calls of the standard."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import nnadapter as nna
from hal import standard
from hal.quantised import explain
from hal.runtime import manager
from hal.runtime.context import Context
from hal.standard import OperandType
from nnir.model import Model, Value
from nnir.ops import conv, pool, quant, reduce, shape
from nnir.quantised_types import to_explicit, to_quantised_types
from nnir.types import Precision, Quantization, TensorType

from ..nnir.quantised_models import arrays, network

DEVICES = ["builtin", "onnxruntime", "openvino", "litert", "torch"]
ASYMM = Precision.QUANT_UINT8_ASYMM_PER_LAYER


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_a_view_runs_as_its_explicit_model_does(device: str, kind: type) -> None:
    model = network(kind, ends=True)
    view, given = to_quantised_types(model), arrays(model)
    (want,) = nna.compile(to_explicit(model), device)(*given)
    (got,) = nna.compile(view, device)(*given)
    assert got.dtype == want.dtype
    assert np.array_equal(got, want)


def test_a_view_that_is_split_over_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """One device gets the convolutions as explicit models, the other one the rest as it is."""
    model = network(np.int8)
    view, given = to_quantised_types(model), arrays(model)
    engine = manager.acquire("onnxruntime")
    asked = engine.explain_program

    def refuse(context: object, shown: Model) -> list[str | None]:
        answers = zip(shown.operations, asked(context, shown), strict=True)
        convolves = (conv.conv_2d,)
        return [
            why or (None if o.operator in convolves or "LINEAR" in o.operator.name else "no")
            for o, why in answers
        ]

    monkeypatch.setattr(engine, "explain_program", refuse)
    program = nna.compile(view, "onnxruntime,builtin")
    assert set(program.devices) == {"onnxruntime", "builtin"}
    (got,), (want,) = program(*given), nna.compile(model)(*given)
    assert np.abs(got - want).max() <= 1 / 256


def test_a_reason_belongs_to_the_operation_of_the_view() -> None:
    view = to_quantised_types(network())
    ((device, handle),) = Context(["onnxruntime"]).entries
    assert explain(device, handle, view) == [None] * len(view.operations)


@pytest.mark.parametrize("suffix", [".onnx", ".tflite"])
def test_a_view_is_written_as_its_explicit_model_is(tmp_path: Path, suffix: str) -> None:
    model = network()
    view = to_quantised_types(model)
    sizes = {"n": 2}
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    nna.convert(to_explicit(model), first, sizes=sizes)
    nna.convert(view, second, sizes=sizes)
    assert first.read_bytes() == second.read_bytes()


def test_the_calls_of_the_standard_make_quantised_operations() -> None:
    """SOFTMAX and FLATTEN of quantised operands; FLATTEN keeps what it is not told otherwise."""
    model = standard.Model.create()
    asymmetric = Quantization((0.125,), (3,))
    x = model.add_operand(OperandType(ASYMM, (2, 4), quantization=asymmetric), "x")
    to = Quantization((1 / 256,))
    y = model.add_operand(OperandType(ASYMM, (2, 4), quantization=to), "y")
    z = model.add_operand(OperandType(ASYMM), "z")

    def number(value: int) -> standard.Operand:
        operand = model.add_operand(OperandType(Precision.INT32, (1,)))
        model.set_operand_value(operand, np.array([value], np.int32))
        return operand

    model.add_operation("SOFTMAX", [x, number(1)], [y])
    model.add_operation("FLATTEN", [y, number(0), number(1)], [z])
    model.identify_inputs_and_outputs([x], [z])
    model.finish()
    assert model.get_operand_type(z).quantization == to
    graph = model.finished_graph()
    data = np.array([[3, 11, 19, 27], [0, 255, 0, 255]], np.uint8)
    real = np.exp((data.astype(np.float32) - 3) / 8)
    want = np.clip(np.rint(real / real.sum(1, keepdims=True) * 256), 0, 255)
    (got,) = nna.compile(graph)(data)
    assert np.array_equal(got, want.astype(np.uint8).reshape(-1))


def test_the_calls_refuse_a_scale_that_is_none() -> None:
    model = standard.Model.create()
    x = model.add_operand(OperandType(ASYMM, (4,), quantization=Quantization((0.0,))), "x")
    y = model.add_operand(OperandType(ASYMM), "y")
    model.add_operation("ASSIGN", [x], [y])
    model.identify_inputs_and_outputs([x], [y])
    with pytest.raises(nna.NNAdapterError, match="not above 0"):
        model.finish()


def through_uint8(value: Value) -> Value:
    scale, zero = (value.model.constant(a) for a in (np.float32(0.25), np.uint8(7)))
    return quant.dequantize_linear(quant.quantize_linear(value, scale, zero), scale, zero)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("rank", [3, 4, 5])
def test_means_between_quantised_values(device: str, rank: int) -> None:
    model = Model()
    sizes = (2, 3, *(4,) * (rank - 2))
    x = through_uint8(model.input("x", TensorType(Precision.FLOAT32, sizes)))
    model.outputs = [through_uint8(pool.average_pool(x, kernel_shape=(2,) * (rank - 2)))]
    data = np.random.default_rng(1).normal(0, 3, sizes).astype(np.float32)
    (got,), (want,) = nna.compile(model, device)(data), nna.compile(model)(data)
    assert np.abs(got - want).max() <= 0.25  # halves of a step


@pytest.mark.parametrize("device", DEVICES)
def test_a_quantised_number_with_a_border(device: str) -> None:
    model = Model()
    x = through_uint8(model.input("x", TensorType(Precision.FLOAT32, (2, 3))))
    number = through_uint8(reduce.reduce_max(x, [0, 1], keepdim=False))
    model.outputs = [through_uint8(shape.pad(number, []))]
    data = np.random.default_rng(1).normal(0, 3, (2, 3)).astype(np.float32)
    (got,), (want,) = nna.compile(model, device)(data), nna.compile(model)(data)
    assert (got.shape, got) == ((), want)
