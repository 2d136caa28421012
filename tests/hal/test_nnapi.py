"""The nnapi device: whole networks, what the standard's cases become, files."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from onnxruntime import quantization

import nnadapter as nna
from conformance.cases.nnir import CASES, DirectCase
from conformance.engines.nnir import ENGINE
from conformance.judging.judge import judge
from conformance.judging.result import PASS, REFUSED, WRONG
from conformance.oracles.oracle import Oracle
from hal.device import PROFILE
from hal.drivers.nnapi import NNAPI
from hal.drivers.nnapi.compiler import LOWERINGS, compile_model
from hal.lowering import Bound
from nnir.dim import symbol
from nnir.errors import BadFile, BadInput, NoLowering, Unsupported
from nnir.formats.nnapi import files
from nnir.formats.nnapi.structures import OperandType
from nnir.model import Model, Value
from nnir.ops import activation, binary, conv, index, quant, shape, unary
from nnir.types import AutoPad, Precision, TensorType

from ..conftest import shared_folder
from ..grids import grids
from .nnapi_networks import KINDS, MAKERS, images

NOBODY = Oracle("")
FILES = {
    f"{kind}{rest}": last
    for kind in KINDS
    for rest, last in (
        *((".pt2", False), (".onnx", False), (".json", False)),
        *((".tflite", True), ("-saved", True)),
    )
}
"""Files of PyTorch, ONNX, Paddle and TensorFlow, and whether channels are last."""
INTEGER = [
    f"{kind}-{rest}"
    for kind in KINDS
    for rest in ("integer.pt2", "integer.onnx", "qlinear.onnx", "integer.tflite")
]


NETWORKS = pytest.mark.long("networks")
"""Drawn together: every framework writes its own."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder("nnapi-networks", tmp_path_factory, make_networks)


def make_networks(place: Path) -> None:
    """The networks of every framework, made in processes of their own."""
    for framework in MAKERS:
        command = [sys.executable, "-m", "tests.hal.nnapi_networks", framework, str(place)]
        subprocess.run(command, check=True, capture_output=True)
    for kind in KINDS:
        for name, form in (("integer", "QDQ"), ("qlinear", "QOperator")):
            target = place / f"{kind}-{name}.onnx"
            quantise_with_onnxruntime(place / f"{kind}.onnx", target, form)


def quantise_with_onnxruntime(source: Path, target: Path, form: str) -> None:
    """By ONNX Runtime's own tool, with one scale for each tensor."""
    samples = iter({"x": images(8)[k : k + 1]} for k in range(8))

    class Samples(quantization.CalibrationDataReader):
        def get_next(self) -> dict[str, np.ndarray] | None:
            return next(samples, None)

    kind, form = quantization.QuantType.QUInt8, quantization.QuantFormat[form]
    types = {"activation_type": kind, "weight_type": kind, "per_channel": False}
    quantization.quantize_static(source, target, Samples(), quant_format=form, **types)


def inputs_for(last: bool) -> np.ndarray:
    found = images(8)
    return found.transpose(0, 2, 3, 1) if last else found


@pytest.mark.parametrize("name", FILES)
@NETWORKS
def test_networks_of_every_framework_lower(name: str, folder: Path) -> None:
    model = nna.load(folder / name)
    x = np.ascontiguousarray(inputs_for(FILES[name])[:1])
    (want,) = nna.compile(model)(x)
    (got,) = nna.compile(model, device="nnapi")(x)
    assert np.abs(want).max() > 0.01
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5 * np.abs(want).max())


@pytest.mark.parametrize(("name", "per_channel"), [*((n, False) for n in FILES), ("v2.pt2", True)])
@NETWORKS
def test_quantised_networks_agree_within_a_quantum(
    name: str, folder: Path, per_channel: bool
) -> None:
    model = nna.load(folder / name)
    x = inputs_for(FILES[name])
    data = [x[k : k + 1] for k in range(8)]
    found = nna.quantize(model, data, per_channel=per_channel, activations="uint8").model
    step = last_step(found)
    want, got = (nna.compile(found, device=d) for d in ("builtin", "nnapi"))
    quanta = [np.abs(got(a)[0] - want(a)[0]) / step for a in data]
    assert np.mean(np.concatenate(quanta) <= 1.001) >= 0.999


def last_step(model: Model) -> float:
    """The scale of the last rounding, or 1e-5 where the end stays real."""
    scales = [
        float(o.inputs[1].constant.reshape(-1)[0])
        for o in model.sorted()
        if o.operator is quant.quantize_linear and o.inputs[1] is not None
    ]
    return scales[-1] if scales else 1e-5


@pytest.mark.parametrize("name", INTEGER)
@NETWORKS
def test_quantised_files_are_integers_throughout(name: str, folder: Path) -> None:
    """Every operation but the last, which gives real numbers where the file does."""
    model = nna.load(folder / name, qdq="qlinear" in name)
    x = inputs_for(name.endswith(".tflite"))
    if model.inputs[0].dtype == np.uint8:
        x = np.round(x * 60 + 128).clip(0, 255).astype(np.uint8)
    (made, _) = compile_model(model, [x[:1].shape])
    kinds = Counter(made.operands[o.outputs[0]].type for o in made.operations)
    assert set(kinds) <= {OperandType.TENSOR_QUANT8_ASYMM, OperandType.TENSOR_FLOAT32}
    assert kinds[OperandType.TENSOR_FLOAT32] <= 1
    assert kinds[OperandType.TENSOR_QUANT8_ASYMM] >= 10
    step = 1 if model.outputs[0].dtype == np.uint8 else last_step(model)
    want, got = (nna.compile(model, device=d) for d in ("builtin", "nnapi"))
    for k in range(8):
        a, b = (p(x[k : k + 1])[0].astype(float) for p in (want, got))
        assert np.abs(a - b).max() <= 1.001 * step
        assert np.ptp(a) > 5 * step


@pytest.mark.parametrize("qdq", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@NETWORKS
def test_fake_quantisers_of_paddle_lower(kind: str, folder: Path, qdq: bool) -> None:
    """They are arithmetic, in which the device rounds quotients once more, or borders."""
    model = nna.load(folder / f"{kind}-integer.json", qdq=qdq)
    form = quant.quantize_linear if qdq else unary.floor
    assert sum(o.operator is form for o in model.operations) >= 8
    want, got = (nna.compile(model, device=d) for d in ("builtin", "nnapi"))
    for x in images(8)[:, None]:
        (a,), (b,) = want(x), got(x)
        assert np.abs(a).max() > 0.01
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-5 * np.abs(a).max())


@pytest.mark.parametrize("kind", KINDS)
@NETWORKS
def test_borders_of_paddle_are_borders_in_tflite(kind: str, folder: Path, tmp_path: Path) -> None:
    """Those between operators of real numbers alone, too: what a RELU6 reads that a sum reads."""
    model = nna.load(folder / f"{kind}-integer.json", qdq=True)
    nna.convert(model, tmp_path / "net.tflite", verify=False)
    kept = grids(nna.load(tmp_path / "net.tflite"))
    assert grids(model) <= kept
    assert len(grids(model)) > 30
    for x in images(2)[:, None]:
        (want,), (got,) = nna.compile(model)(x), nna.compile(model, device="litert")(x)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5 * np.abs(want).max())


@NETWORKS
def test_a_network_becomes_a_file_and_comes_back(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "net.nnapi"
    nna.convert(folder / "v2.pt2", path)
    again = tmp_path / "again.nnapi"
    nna.convert(folder / "v2.pt2", again)
    assert path.read_bytes() == again.read_bytes()
    x = images(1)
    (want,) = nna.compile(nna.load(folder / "v2.pt2"))(x)
    read = nna.load(path)
    (got,) = nna.compile(read)(x)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
    (round_,) = nna.compile(read, device="nnapi")(x)
    np.testing.assert_allclose(round_, want, rtol=1e-5, atol=1e-5)


@NETWORKS
def test_quantise_writes_files_of_integers(folder: Path, tmp_path: Path) -> None:
    path, data = tmp_path / "net.nnapi", [images(8)[k : k + 1] for k in range(8)]
    source = folder / "v2.pt2"
    with pytest.raises(Unsupported, match="a scale for each filter"):
        nna.quantize(source, data, path)
    found = nna.quantize(source, data, path, per_channel=False, activations="uint8")
    assert min(found.sqnr.values()) > 20
    kinds = {o.type.name for o in files.load(path).operations}
    assert kinds.isdisjoint({"FLOOR", "RELU"})
    assert "CONV_2D" in kinds


# What the standard's cases become


def verdict(case: DirectCase) -> str:
    found = judge(ENGINE, case, "nnapi", (), NOBODY)
    if found.verdict == WRONG or found.verdict not in (PASS, REFUSED):
        below = "EMBEDDING_LOOKUP of row -" in found.reason
        near = case.op in ROUNDS and is_near(found.outcome)
        return "below" if below else "near" if near else f"{case}: {found.reason}"
    return found.verdict


ROUNDS = frozenset({"QUANTIZE_LINEAR", "DIV"})
"""Operators whose quotients are products with reciprocals."""


def is_near(outcome: object) -> bool:
    pairs = zip(outcome.got, outcome.want, strict=True)
    return all(
        np.allclose(a, b, rtol=1e-6, atol=1 if a.dtype.kind in "iu" else 0) for a, b in pairs
    )


@pytest.mark.long
def test_no_case_of_the_standard_is_wrong() -> None:
    found = Counter(verdict(c) for c in CASES if not c.raises)
    strays = {k: n for k, n in found.items() if k not in (PASS, REFUSED, "below", "near")}
    assert strays == {}
    assert found[PASS] > 1400
    assert found["below"] <= 2
    assert found["near"] < 20


# Single models


def model_of(*shapes: tuple[int, ...], precision: Precision = Precision.FLOAT32) -> tuple:
    model = Model()
    return model, [model.input(f"x{k}", TensorType(precision, s)) for k, s in enumerate(shapes)]


def run(model: Model, *arrays: np.ndarray) -> list[np.ndarray]:
    return nna.compile(model, device="nnapi")(*arrays)


@pytest.mark.parametrize("zero", [None, 3])
def test_integers_of_32_bits_are_no_real_numbers(zero: int | None) -> None:
    model, (x,) = model_of((2, 3), precision=Precision.INT32)
    point = None if zero is None else model.constant(np.int32(zero))
    model.outputs = [quant.dequantize_linear(x, model.constant(np.float32(0.5)), point)]
    with pytest.raises(NoLowering, match="no real numbers of INT32"):
        nna.compile(model, device="nnapi")


def test_what_is_larger_is_a_pool() -> None:
    model, (a, b) = model_of((2, 3), (3,))
    model.outputs = [binary.max_(a, b), binary.min_(a, b)]
    x, y = np.float32([[1, -np.inf, np.nan], [0, 5, 2]]), np.float32([3, 4, 1])
    for got, want in zip(run(model, x, y), nna.compile(model)(x, y), strict=True):
        assert np.array_equal(got, want, equal_nan=True)
    made, _ = compile_model(model, [(2, 3), (3,)])
    assert "MAX_POOL_2D" in {o.type.name for o in made.operations}


def test_a_sign_is_a_large_number_kept_within_one() -> None:
    model, (x,) = model_of((2, 6))
    model.outputs = [unary.sign(x)]
    given = np.float32([[0, -0.0, 1e-45, -1e-45, 1e-38, 3], [-3e38, np.inf, -np.inf, np.nan, 1, 0]])
    (got,), (want,) = run(model, given), nna.compile(model)(given)
    assert np.array_equal(got, want, equal_nan=True)
    assert not np.signbit(got[0, :2]).any()


def test_lowerings_are_bound_to_their_operators() -> None:
    for operator, lowering in LOWERINGS.entries.items():
        assert isinstance(lowering, Bound)
        assert lowering.operator is operator


def test_a_border_of_zeros_is_integers_too() -> None:
    model, (x,) = model_of((1, 4, 5, 5))
    grid = (model.constant(np.float32(0.02)), model.constant(np.uint8(128)))

    def rounds(value: Value) -> Value:
        return quant.dequantize_linear(quant.quantize_linear(value, *grid), *grid)

    wide = shape.pad(rounds(x), [0, 0, 0, 0, 1, 2, 0, 1])
    model.outputs = [rounds(wide)]
    data = np.random.default_rng(4).standard_normal((1, 4, 5, 5)).astype(np.float32)
    assert np.array_equal(run(model, data)[0], nna.compile(model)(data)[0])
    found, _ = compile_model(model, [data.shape])
    moved = [o for o in found.operations if o.type.name in ("CONCATENATION", "EMBEDDING_LOOKUP")]
    kinds = {found.operands[o.outputs[0]].type for o in moved}
    assert kinds == {OperandType.TENSOR_QUANT8_ASYMM}


@pytest.mark.parametrize("group", [1, 2])
def test_dilated_filters_of_integers_are_integers(group: int) -> None:
    model, (x,) = model_of((1, 4, 9, 9))
    rng = np.random.default_rng(4)

    def rounds(value: Value, scale: float, zero: int) -> Value:
        grid = (model.constant(np.float32(scale)), model.constant(np.uint8(zero)))
        return quant.dequantize_linear(quant.quantize_linear(value, *grid), *grid)

    codes = rng.integers(0, 256, (6, 4 // group, 3, 3)).astype(np.uint8)
    grid = (model.constant(np.float32(0.01)), model.constant(np.uint8(120)))
    taps = quant.dequantize_linear(model.constant(codes), *grid)
    bias = model.constant(rng.standard_normal(6).astype(np.float32))
    made = conv.conv_2d(
        rounds(x, 0.02, 128), taps, bias, strides=(1, 1), dilations=(2, 3), group=group
    )
    model.outputs = [rounds(made, 0.05, 100)]
    data = rng.standard_normal((1, 4, 9, 9)).astype(np.float32)
    (want,), (got,) = nna.compile(model)(data), run(model, data)
    assert np.abs(want - got).max() <= 0.0501
    found, _ = compile_model(model, [data.shape])
    kinds = {found.operands[o.outputs[0]].type for o in found.operations if "CONV" in o.type.name}
    assert kinds == {OperandType.TENSOR_QUANT8_ASYMM}


def test_dilations_and_groups_of_filters_that_are_only_known_while_running() -> None:
    model, (x, taps) = model_of((1, 4, 9, 9), (6, 2, 3, 3))
    bias = model.constant(np.float32([0, 1, -1, 2, 0, 3]))
    made = conv.conv_2d(x, taps, bias, strides=(1, 2), dilations=(2, 3), group=2)
    model.outputs = [activation.relu(made)]
    rng = np.random.default_rng(6)
    given = [rng.standard_normal(s).astype(np.float32) for s in ((1, 4, 9, 9), (6, 2, 3, 3))]
    (want,), (got,) = nna.compile(model)(*given), run(model, *given)
    assert np.allclose(want, got, rtol=1e-5, atol=1e-5)
    found, _ = compile_model(model, [a.shape for a in given])
    kinds = Counter(o.type.name for o in found.operations)
    assert kinds["CONV_2D"] == 2
    assert not kinds["RELU"]


def test_groups_of_a_padding_that_ignores_dilations() -> None:
    model, (x,) = model_of((1, 4, 7, 7))
    rng = np.random.default_rng(7)
    taps = model.constant(rng.standard_normal((4, 2, 3, 3)).astype(np.float32))
    bias = model.constant(np.zeros(4, np.float32))
    model.outputs = [
        conv.conv_2d(
            x, taps, bias, strides=(1, 1), dilations=(2, 2), group=2, auto_pad=AutoPad.SAME
        )
    ]
    data = rng.standard_normal((1, 4, 7, 7)).astype(np.float32)
    (want,), (got,) = nna.compile(model)(data), run(model, data)
    assert np.allclose(want, got, rtol=1e-5, atol=1e-5)


def test_five_axes_are_moved_as_rows_of_a_table() -> None:
    model, (x,) = model_of((2, 3, 2, 2, 3))
    model.outputs = [shape.transpose(x, perm=(4, 1, 3, 0, 2)) * 1.0]
    data = np.arange(72, dtype=np.float32).reshape(2, 3, 2, 2, 3)
    assert np.array_equal(run(model, data)[0], data.transpose(4, 1, 3, 0, 2))


def test_everything_that_is_missing_is_told_at_once() -> None:
    model, (x,) = model_of((2, 3))
    model.outputs = [unary.exp(x), unary.sin(x)]
    with pytest.raises(NoLowering, match=r"EXP.*SIN") as caught:
        nna.compile(model, device="nnapi")
    assert len(caught.value.refusals) == 2


def test_double_precision_is_refused_by_name() -> None:
    model, (x,) = model_of((2, 3), precision=Precision.FLOAT64)
    model.outputs = [activation.relu(x)]
    with pytest.raises(NoLowering, match="no operands of FLOAT64"):
        nna.compile(model, device="nnapi")


def test_open_sizes_are_compiled_for_what_comes() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (symbol("n"), 3)))
    model.outputs = [activation.softmax(x, axis=1)]
    program = nna.compile(model, device="nnapi")
    for count in (1, 2, 3, 4, 5, 1):
        data = np.random.default_rng(count).standard_normal((count, 3)).astype(np.float32)
        np.testing.assert_allclose(program(data)[0].sum(1), 1, rtol=1e-6)


def test_integers_beyond_32_bits_are_refused() -> None:
    model = Model()
    rows = model.input("rows", TensorType(Precision.INT64, (2,)))
    table = model.input("table", TensorType(Precision.FLOAT32, (3, 2)))
    model.outputs = [index.gather(table, rows, axis=0)]
    program = nna.compile(model, device="nnapi")
    data = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert np.array_equal(program(np.int64([2, 0]), data)[0], data[[2, 0]])
    with pytest.raises(BadInput, match="INT32 alone"):
        program(np.int64([1 << 40, 0]), data)


def test_a_program_is_kept_and_restored(tmp_path: Path) -> None:
    model, (x,) = model_of((2, 3))
    model.outputs = [activation.sigmoid(x)]
    data = np.float32([[1, 2, 3], [-1, 0, 9]])
    wants = [nna.compile(model, device="nnapi", cache_dir=tmp_path)(data)[0] for _ in range(2)]
    assert np.array_equal(*wants)


def test_a_file_of_another_kind_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "x.nnapi"
    path.write_bytes(b"not a model")
    with pytest.raises(BadFile, match="does not begin"):
        nna.load(path)
    with pytest.raises(BadFile):
        files.load(path)


def test_profiles_name_operations() -> None:
    device, (model, (x,)) = NNAPI(), model_of((2, 3))
    model.outputs = [activation.sigmoid(binary.add(x, 1))]
    context = device.create_context({PROFILE: "1"}, None)
    program = device.create_program(context, model, None)
    device.execute_program(program, [np.ones((2, 3), np.float32)])
    assert [t.operator for t in device.timings(program)] == ["ADD", "LOGISTIC"]
    assert all(t.seconds >= 0 for t in device.timings(program))
