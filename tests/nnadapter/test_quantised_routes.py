"""Quantised models from each source to each target: what integers stand for, and which they are.

Scales, zero points and axes are the same bits on both sides. Integers are those of the origin,
which runs the source, within one step: the engine of the target rounds its last product otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
import torch.ao.quantization.fx._decomposed  # defines torch.ops.quantized_decomposed
from click.testing import CliRunner
from onnx import TensorProto, helper, numpy_helper
from torch import nn

import nnadapter as nna
from conformance.oracles.origin import origin_of
from conformance.verifying.stock_engine import Stock
from hal.runtime import manager
from nnadapter.cli import main
from nnir.check import check
from nnir.errors import BadInput
from nnir.evaluate import evaluate
from nnir.fingerprint import digest
from nnir.model import Model
from nnir.ops import quant
from nnir.quantised_types import explain_kept, to_explicit, to_quantised_types
from nnir.types import Precision

from ..conformance.networks import ResNet
from ..grids import grids
from ..saturation import SATURATES, needs_exact_sums

ENGINES = {".onnx": "onnxruntime", ".tflite": "litert"}
QLINEAR = "qlinear"
REPOSITORY = Path(__file__).parents[2]
SHARE = 0.999
CHANNELS, SIZE, BATCH = 3, 16, 4


def random(seed: int, *sizes: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(sizes).astype(np.float32)


def whole(seed: int, dtype: Any, *sizes: int) -> np.ndarray:
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(seed)
    return rng.integers(max(limits.min, -999), min(limits.max, 999), sizes).astype(dtype)


# Sources


class OnnxNet:
    """An ONNX model in the making: nodes and what they read."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []

    def constant(self, name: str, array: np.ndarray) -> str:
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def grid(self, name: str, scale: float, zero: int) -> list[str]:
        scale_name = self.constant(f"{name}_scale", np.float32(scale))
        return [scale_name, self.constant(f"{name}_zero", np.asarray(zero, self.dtype))]

    def add(self, kind: str, reads: list[str], made: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, reads, [made], name=made, **attributes))
        return made

    def save(self, path: Path, output: str) -> Path:
        ends = [("x", [BATCH, CHANNELS, SIZE, SIZE]), (output, None)]
        x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in ends)
        graph = helper.make_graph(self.nodes, "net", [x], [y], self.weights)
        opset = [helper.make_opsetid("", 17)]
        onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=9), path)
        return path


def qdq(path: Path, dtype: Any) -> Path:
    """Convolutions with a scale for each filter, an activation and a sum."""
    net = OnnxNet(dtype)
    low = int(np.iinfo(dtype).min)

    def through(name: str, scale: float, zero: int) -> str:
        grid = net.grid(name, scale, zero)
        q = net.add("QuantizeLinear", [name, *grid], f"{name}_q")
        return net.add("DequantizeLinear", [q, *grid], f"{name}_dq")

    def convolve(x: str, name: str, count: int, steps: float, channels: int) -> str:
        scales = np.linspace(0.01, 0.02, count).astype(np.float32)
        kernel = [
            net.constant(f"{name}_w", whole(3, np.int8, count, channels, 3, 3)),
            net.constant(f"{name}_ws", scales),
            net.constant(f"{name}_wz", np.zeros(count, np.int8)),
        ]
        bias = [
            net.constant(f"{name}_b", whole(4, np.int32, count)),
            net.constant(f"{name}_bs", scales * np.float32(steps)),
        ]
        reads = [
            x,
            net.add("DequantizeLinear", kernel, f"{name}_dw", axis=0),
            net.add("DequantizeLinear", bias, f"{name}_db", axis=0),
        ]
        return net.add("Conv", reads, name, pads=[1, 1, 1, 1])

    start = through("x", 0.02, low + 120)
    made = net.add("Relu", [convolve(start, "c1", 6, 0.02, CHANNELS)], "r1")
    first = through(made, 0.15, low)
    second = through(convolve(first, "c2", 6, 0.15, 6), 1.5, low + 128)
    return net.save(path, through(net.add("Add", [first, second], "sum"), 1.25, low + 100))


def qlinear(path: Path, dtype: Any) -> Path:
    """The same in operators whose operands are integers with their scales beside them."""
    net = OnnxNet(dtype)
    low = int(np.iinfo(dtype).min)
    x, first, second = (
        net.grid(n, s, low + z) for n, s, z in (("x", 0.02, 120), ("a", 0.2, 70), ("b", 3.0, 128))
    )
    scales = np.linspace(0.01, 0.02, 6).astype(np.float32)
    start = net.add("QuantizeLinear", ["x", *x], "x_q")
    for name, source, steps, channels in (
        ("c1", start, (x, first), CHANNELS),
        ("c2", "c1", (first, second), 6),
    ):
        kernel = [
            net.constant(f"{name}_w", whole(3, np.int8, 6, channels, 3, 3)),
            net.constant(f"{name}_ws", scales),
            net.constant(f"{name}_wz", np.zeros(6, np.int8)),
        ]
        bias = net.constant(f"{name}_b", whole(4, np.int32, 6))
        reads = [source, *steps[0], *kernel, *steps[1], bias]
        net.add("QLinearConv", reads, name, pads=[1, 1, 1, 1])
    return net.save(path, net.add("DequantizeLinear", ["c2", *second], "y"))


class Quantised(nn.Module):
    """What PT2E writes: operators of real numbers between `quantized_decomposed`."""

    def __init__(self) -> None:
        super().__init__()
        for name, channels in (("first", CHANNELS), ("second", 6)):
            self.register_buffer(name, torch.from_numpy(whole(3, np.int8, 6, channels, 3, 3)))
        self.register_buffer("scales", torch.linspace(0.01, 0.02, 6))
        self.register_buffer("zeros", torch.zeros(6, dtype=torch.int64))
        self.register_buffer("bias", torch.from_numpy(random(4, 6)))

    def through(self, x: torch.Tensor, scale: float, zero: int) -> torch.Tensor:
        ops = torch.ops.quantized_decomposed
        how = (scale, zero, -128, 127, torch.int8)
        return ops.dequantize_per_tensor(ops.quantize_per_tensor(x, *how), *how)

    def convolve(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        ops = torch.ops.quantized_decomposed
        how = (self.scales, self.zeros, 0, -127, 127, torch.int8)
        real = ops.dequantize_per_channel(weight, *how)
        return nn.functional.conv2d(x, real, self.bias, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.through(x, 0.02, -8)
        x = self.through(torch.relu(self.convolve(x, self.first)), 0.15, -128)
        y = self.through(self.convolve(x, self.second), 1.5, 0)
        return self.through(x + y, 1.25, -28)


def pt2e(path: Path, _: Any) -> Path:
    given = (torch.from_numpy(random(0, BATCH, CHANNELS, SIZE, SIZE)),)
    torch.export.save(torch.export.export(Quantised().eval(), given), path)
    return path


def apart(path: Path, dtype: Any) -> Path:
    """A convolution, and a border between operators that compute with real numbers alone."""
    net = OnnxNet(dtype)
    low = int(np.iinfo(dtype).min)

    def through(name: str, scale: float, zero: int) -> str:
        grid = net.grid(name, scale, zero)
        q = net.add("QuantizeLinear", [name, *grid], f"{name}_q")
        return net.add("DequantizeLinear", [q, *grid], f"{name}_dq")

    kernel = [
        net.constant("w", whole(3, np.int8, 6, CHANNELS, 3, 3)),
        net.constant("ws", np.float32(0.01)),
        net.constant("wz", np.int8(0)),
    ]
    taps = net.add("DequantizeLinear", kernel, "dw")
    made = net.add("Conv", [through("x", 0.02, low + 120), taps], "c")
    small = net.add(
        "Mul", [through(made, 1.5, low + 128), net.constant("few", np.float32(0.004))], "small"
    )
    waves = net.add("Sin", [small], "sin")
    made = net.add("Cos", [through(waves, 1 / 128, low + 128)], "cos")
    return net.save(path, through(made, 1 / 100, low + 128))


Write = Callable[[Path, Any], Path]
WRITTEN: dict[str, tuple[Write, str, Any]] = {
    "onnx-qdq-int8": (qdq, "net.onnx", np.int8),
    "onnx-qdq-uint8": (qdq, "net.onnx", np.uint8),
    "onnx-qlinear-int8": (qlinear, f"{QLINEAR}.onnx", np.int8),
    "onnx-qlinear-uint8": (qlinear, f"{QLINEAR}.onnx", np.uint8),
    "onnx-apart-int8": (apart, "apart.onnx", np.int8),
    "onnx-apart-uint8": (apart, "apart.onnx", np.uint8),
    "torch-pt2e": (pt2e, "net.pt2", None),
}
TFLITE = ("cnn_int8", "cnn_uint8", "cnn_float_ends", "mobile_int8")


SATURATED = {
    ("onnx-qdq-uint8", ".tflite"),
    ("onnx-qlinear-uint8", ".onnx"),
    ("onnx-qlinear-uint8", ".tflite"),
}
"""Networks and targets that differ where the sums of ONNX Runtime saturate."""


@pytest.fixture(params=[*WRITTEN, *TFLITE])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    name = request.param
    if name in WRITTEN:
        write, file, dtype = WRITTEN[name]
        return write(tmp_path / file, dtype)
    return Path(request.getfixturevalue("files")) / f"{name}.tflite"


# What is compared


def without_biases(found: set[tuple[Precision, object]]) -> set[tuple[Precision, object]]:
    return {(kind, how) for kind, how in found if "INT32" not in kind.name}


def step_of(model: Model) -> tuple[float, int] | None:
    """The scale and the zero point of what the output was rounded to; None where it is integers."""
    (output,) = model.outputs
    if not output.is_float:
        return None
    maker = output.producer
    assert maker is not None
    assert maker.operator is quant.dequantize_linear
    scale, zero = maker.inputs[1:3]
    assert scale is not None
    assert scale.constant is not None
    held = 0 if zero is None or zero.constant is None else int(zero.constant.item())
    return float(scale.constant.item()), held


def integers(array: np.ndarray, step: tuple[float, int] | None) -> np.ndarray:
    if step is None:
        return array.astype(np.int64)
    return np.rint(array.astype(np.float64) / step[0]).astype(np.int64) + step[1]


@pytest.mark.parametrize("suffix", ENGINES)
@pytest.mark.long
def test_integers_stay_what_they_are(
    source: Path, suffix: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if SATURATES and (request.node.callspec.params["source"], suffix) in SATURATED:
        pytest.skip("the sums of ONNX Runtime, the origin, saturate on this processor")
    how = {"qdq": True} if (source.stem, suffix) == (QLINEAR, ".tflite") else {}
    model = nna.load(source, **how)
    sizes = {
        name: BATCH for v in model.inputs for name in map(str, v.shape) if name in model.symbols
    }
    target = tmp_path / f"target{suffix}"
    written = nna.convert(source, target, sizes=sizes, verify=False, **how)
    wanted, made = grids(model), grids(nna.load(target))
    assert len(wanted) > 1
    assert wanted <= made
    assert not without_biases(made - wanted)  # biases that were real numbers may be rounded
    (x,) = model.inputs
    shape = [d if isinstance(d, int) else BATCH for d in x.shape]
    engine = manager.acquire(ENGINES[suffix])
    far = count = 0
    with origin_of(source, model) as origin, Stock(target, engine, written) as stock:
        for seed in range(4):
            given = random(seed, *shape)
            if not x.is_float:
                limits = np.iinfo(x.dtype)
                given = np.clip(np.rint(given * 40), limits.min, limits.max).astype(x.dtype)
            (want,), (got,) = origin.run([given]), stock.run([given])
            step = step_of(model)
            distance = np.abs(integers(got, step) - integers(want, step))
            far += int((distance > 1).sum())
            count += distance.size
    assert far <= (1 - SHARE) * count


def test_the_sources_are_what_they_are_called(tmp_path: Path) -> None:
    """QLinearConv multiplies sums of integers by one number, which no border says.

    TFLite has no such product, so that the file is read as real numbers between borders for it.
    """
    first = nna.load(qdq(tmp_path / "a.onnx", np.int8))
    assert any(v.precision == Precision.INT8 for v in first.values() if v.constant is None)
    counts = [
        sum(o.is_on_integers for o in to_quantised_types(m).operations)
        for m in (
            first,
            nna.load(qlinear(tmp_path / "b.onnx", np.uint8)),
            nna.load(tmp_path / "b.onnx", qdq=True),
            nna.load(pt2e(tmp_path / "c.pt2", None)),
        )
    ]
    assert counts == [3, 0, 2, 3]


@pytest.mark.parametrize("suffix", [".nnir", ".tflite"])
def test_what_quantize_writes_is_on_integers(tmp_path: Path, suffix: str) -> None:
    """Every convolution, sum and pool of a residual network; ours is spelled as it is written."""
    given = random(0, 1, 3, 32, 32)
    source = nna.load(ResNet().eval(), inputs=(torch.from_numpy(given),))
    target = tmp_path / f"net{suffix}"
    samples = [[random(k, 1, 3, 32, 32)] for k in range(3)]
    nna.quantize(source, samples, target, verify=False)
    model = nna.load(target)
    view, explicit = to_quantised_types(model), to_explicit(model)
    assert digest(to_explicit(view)) == digest(explicit)
    if suffix == ".nnir":  # constants come first
        assert sorted(str(explicit).splitlines()) == sorted(str(model).splitlines())
    counts = Counter(o.operator.name for o in view.operations if o.is_on_integers)
    assert (counts["CONV_2D"], counts["ADD"], counts["REDUCE_MEAN"]) == (7, 2, 1)
    assert not {o.operator.name for o, _ in explain_kept(model)} & {"CONV_2D", "ADD"}
    for got, want in zip(evaluate(view, [given]), evaluate(model, [given]), strict=True):
        assert np.array_equal(got, want)


@needs_exact_sums
@pytest.mark.parametrize("options", [[], ["--opset", "v1.1"]])
def test_the_command_writes_quantised_operands(tmp_path: Path, options: list[str]) -> None:
    source, target = qdq(tmp_path / "net.onnx", np.uint8), tmp_path / "view.nnir"
    words = ["convert", str(source), str(target), "--quantised-types", *options]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    view = nna.load(target)
    assert sum(o.is_on_integers for o in view.operations) == 3
    check(view, strict=bool(options))
    given = random(5, BATCH, CHANNELS, SIZE, SIZE)
    (want,) = nna.compile(nna.load(source))(given)
    for device in ("builtin", "onnxruntime", "litert"):
        assert np.abs(nna.compile(view, device)(given)[0] - want).max() <= 1.25


def test_other_formats_have_no_quantised_operands(tmp_path: Path) -> None:
    source, target = qdq(tmp_path / "net.onnx", np.uint8), tmp_path / "view.onnx"
    done = CliRunner().invoke(main, ["convert", str(source), str(target), "--quantised-types"])
    assert done.exit_code == 2
    assert "--quantised-types writes .nnir files alone" in done.output
    assert not target.exists()
    with pytest.raises(BadInput, match="no quantised operands"):
        nna.convert(source, target, quantised_types=True)


@pytest.mark.parametrize("suffix", ENGINES)
@pytest.mark.long
def test_fake_quantisers_of_paddle_stay_arithmetic(suffix: str, tmp_path: Path) -> None:
    """They multiply by a reciprocal and round halves away from 0, which no border does: their
    scales are numbers of the target, and its results those of Paddle."""
    source = REPOSITORY / "tests" / "data" / "paddle" / "quantized.pdmodel"
    model = nna.load(source)
    assert not grids(model)
    target = tmp_path / f"net{suffix}"
    written = nna.convert(source, target, sizes={"batch": 2})
    with (
        origin_of(source, model) as paddle,
        Stock(target, manager.acquire(ENGINES[suffix]), written) as stock,
    ):
        for seed in range(4):
            given = [random(seed, 2, 3, 8, 8)]
            (want,), (got,) = paddle.run(given), stock.run(given)
            # one integer of another value moves a mean of 64 by a hundred times as much
            assert np.mean(np.abs(got - want) <= 1e-6 * np.abs(want).max()) >= SHARE
    scales = [_factors(m) for m in (model, nna.load(target))]
    assert scales[0]
    assert scales[0] <= scales[1]


@pytest.mark.parametrize("suffix", ENGINES)
def test_fake_quantisers_of_paddle_as_borders(suffix: str, tmp_path: Path) -> None:
    """Scales and axes are those of the file, and integers as near as its own."""
    source = REPOSITORY / "tests" / "data" / "paddle" / "quantized.pdmodel"
    model = nna.load(source, qdq=True)
    assert sorted(kind.name for kind, _ in grids(model)) == [
        *["QUANT_INT8_SYMM_PER_CHANNEL"] * 2,
        *["QUANT_UINT8_ASYMM_PER_LAYER"] * 2,
    ]
    target = tmp_path / f"net{suffix}"
    written = nna.convert(source, target, sizes={"batch": 2}, qdq=True)
    assert without_biases(grids(nna.load(target))) == grids(model)
    with (
        origin_of(source, model) as paddle,
        Stock(target, manager.acquire(ENGINES[suffix]), written) as stock,
    ):
        for seed in range(4):
            given = [random(seed, 2, 3, 8, 8)]
            (want,), (got,) = paddle.run(given), stock.run(given)
            assert np.abs(got - want).max() <= 4e-3 * np.abs(want).max()  # of means of 64


def _factors(model: Model) -> set[float]:
    """The numbers that single constants hold, but for those that every fake quantiser has."""
    constants = [v.constant for v in model.values() if v.constant is not None]
    single = {float(a.item()) for a in constants if a.size == 1 and a.dtype == np.float32}
    return {abs(x) for x in single} - {0.0, 0.5, 1.0, 127.0}
