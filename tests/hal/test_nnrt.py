"""The nnrt device: whole networks, layouts, files, caches, refusals, and the runtime's calls."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path
from queue import Queue
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import nnadapter as nna
from hal.device import Cache
from hal.drivers.nnrt import Nnrt
from hal.drivers.nnrt.compiler import compile_model
from hal.drivers.nnrt.runtime import Compilation, Executor
from nnir.dim import symbol
from nnir.errors import BadCall, BadModel, DeviceError, NoLowering, Unsupported
from nnir.formats.nnrt import files
from nnir.formats.nnrt.construction import ModelBuilder
from nnir.formats.nnrt.enums import ReturnCode
from nnir.model import Model
from nnir.ops import activation, binary, control, conv, linear, quant
from nnir.types import Fuse, Precision, TensorType

F32 = Precision.FLOAT32
RNG = np.random.default_rng(0)
OK = ReturnCode.SUCCESS


def numbers(*sizes: int) -> np.ndarray:
    return RNG.standard_normal(sizes).astype(np.float32)


class Block(nn.Module):
    """A residual block of ResNet-18."""

    def __init__(self, inside: int, outside: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(outside)
        self.second = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
        self.last = nn.BatchNorm2d(outside)
        self.short: nn.Module = nn.Identity()
        if stride > 1 or inside != outside:
            projection = nn.Conv2d(inside, outside, 1, stride, bias=False)
            self.short = nn.Sequential(projection, nn.BatchNorm2d(outside))

    def forward(self, x: Tensor) -> Tensor:
        inner = torch.relu(self.norm(self.first(x)))
        return torch.relu(self.last(self.second(inner)) + self.short(x))


def resnet18(width: int = 8) -> nn.Module:
    """ResNet-18, with fewer channels."""
    layers = [nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    layers.append(nn.MaxPool2d(3, 2, 1))
    inside = width
    for outside, stride in ((width, 1), (2 * width, 2), (4 * width, 2), (8 * width, 2)):
        layers += [Block(inside, outside, stride), Block(outside, outside, 1)]
        inside = outside
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inside, 10)]
    return nn.Sequential(*layers).eval()


def encoder() -> nn.Module:
    """Two layers of a transformer's encoder."""
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()


NETWORKS = {"resnet18": (resnet18, (2, 3, 32, 32)), "encoder": (encoder, (2, 5, 16))}


def load(name: str, source: str, folder: Path) -> tuple[Model, np.ndarray, np.ndarray]:
    """A network by way of a framework, an input for it, and PyTorch's output."""
    torch.manual_seed(0)
    make, sizes = NETWORKS[name]
    module, x = make(), torch.randn(*sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if source == "torch":
            loaded = nna.load(torch.export.export(module, (x,)))
        else:
            torch.onnx.export(module, (x,), str(folder / "m.onnx"), dynamo=False)
            loaded = nna.load(folder / "m.onnx")
        return loaded, x.numpy(), module(x).detach().numpy()


@pytest.mark.parametrize("source", ["torch", "onnx"])
@pytest.mark.parametrize("name", NETWORKS)
def test_networks_lower_completely_and_agree(name: str, source: str, tmp_path: Path) -> None:
    model, x, wanted = load(name, source, tmp_path)
    (found,) = nna.compile(model, device="nnrt")(x)
    (builtin,) = nna.compile(model, device="builtin")(x)
    np.testing.assert_allclose(found, builtin, 1e-5, 1e-6)
    np.testing.assert_allclose(found, wanted, 1e-4, 1e-5)


def operations(model: Model) -> Counter[str]:
    """The operations of the compiled model."""
    made = compile_model(model, [v.sizes for v in model.inputs])
    return Counter(o.definition.name for o in made.operations)


def test_channels_move_once(tmp_path: Path) -> None:
    model, _, _ = load("resnet18", "torch", tmp_path)
    found = operations(model)
    assert found["CONV2D"] == 20
    assert found["TRANSPOSE"] == 1
    assert not found["RELU"]


def image(group: int = 1, fuse: Fuse = Fuse.NONE) -> Model:
    """A convolution of an image of 4 channels."""
    model = Model()
    x = model.input("x", TensorType(F32, (1, 4, 5, 6)))
    weight = model.constant(numbers(8, 4 // group, 3, 3))
    bias = model.constant(numbers(8))
    given: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "pads": (1, 0, 1, 2)}
    model.outputs = [conv.conv_2d(x, weight, bias, group=group, fuse_code=fuse, **given)]
    return model


@pytest.mark.parametrize("fuse", list(Fuse))
@pytest.mark.parametrize("group", [1, 2, 4])
def test_fuse_codes_go_by_name(group: int, fuse: Fuse) -> None:
    model, x = image(group, fuse), 3 * numbers(1, 4, 5, 6)
    (found,) = nna.compile(model, "nnrt")(x)
    (wanted,) = nna.compile(model, "builtin")(x)
    np.testing.assert_array_equal(found, wanted)
    name = "DEPTHWISE_CONV2D_NATIVE" if group == 4 else "CONV2D"
    assert operations(model)[name] == 1
    assert operations(model)["RELU6"] == 0


def test_a_file_is_written_verified_and_read(tmp_path: Path) -> None:
    path = tmp_path / "m.nnrt"
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # one says that a file was not verified
        nna.convert(image(), path)
    x = numbers(1, 4, 5, 6)
    again = nna.load(path)
    assert again.metadata["producer"] == "nnrt"
    for mine, wanted in zip(
        nna.compile(again, "builtin")(x), nna.compile(image_of(path), "builtin")(x), strict=True
    ):
        np.testing.assert_array_equal(mine, wanted)
    first = path.read_bytes()
    nna.convert(again, path)
    assert len(path.read_bytes()) == len(first)


def image_of(path: Path) -> Model:
    """The model of a file, by its assembly."""
    from nnir.recipes.nnrt.assembly import assemble

    return assemble(files.read(path.read_bytes()))


def test_equal_models_give_equal_bytes(tmp_path: Path) -> None:
    model = image()
    device = Nnrt()
    for name in ("a.nnrt", "b.nnrt"):
        device.export(model, tmp_path / name)
    assert (tmp_path / "a.nnrt").read_bytes() == (tmp_path / "b.nnrt").read_bytes()
    assert device.files_of(tmp_path / "a.nnrt") == [tmp_path / "a.nnrt"]
    (tmp_path / "c.nnrt").write_bytes(b"something else")
    assert device.files_of(tmp_path / "c.nnrt") is None


def dense(batch: Any) -> Model:
    model = Model()
    x = model.input("x", TensorType(F32, (batch, 3)))
    model.outputs = [activation.relu(linear.mat_mul(x, model.constant(numbers(3, 2))))]
    return model


def test_open_sizes_run_and_are_not_written(tmp_path: Path) -> None:
    model = dense(symbol("batch"))
    program = nna.compile(model, "nnrt")
    for batch in (1, 4, 2, 7, 9, 1):
        x = numbers(batch, 3)
        np.testing.assert_array_equal(program(x)[0], nna.compile(model, "builtin")(x)[0])
    with pytest.raises(NoLowering, match="fix them with --dim NAME=SIZE"):
        Nnrt().export(model, tmp_path / "m.nnrt")
    with pytest.raises(Unsupported, match="no opset"):
        Nnrt().export(dense(2), tmp_path / "m.nnrt", opset=3)


@pytest.mark.parametrize("batch", [2, symbol("batch")])
def test_programs_are_restored_from_caches(batch: Any) -> None:
    model, device, x = dense(batch), Nnrt(), numbers(2, 3)
    ends = [v.type for v in model.inputs], [v.type for v in model.outputs]
    cache = Cache(*ends)
    (wanted,) = device.execute_program(device.create_program(None, model, cache), [x])
    restored = device.create_program(None, None, Cache(*ends, cache.buffer))
    np.testing.assert_array_equal(device.execute_program(restored, [x])[0], wanted)
    with pytest.raises(DeviceError, match="cannot restore"):
        device.create_program(None, None, Cache(*ends, b"OHNNRT\r\n"))
    with pytest.raises(DeviceError, match="a model or a cache"):
        device.create_program(None, None, None)


def test_integers_with_scales_agree_and_are_said() -> None:
    model = Model()
    x = model.input("x", TensorType(F32, (2, 3)))
    scale, zero = model.constant(np.float32(0.05)), model.constant(np.int8(3))
    small = quant.quantize_linear(x, scale, zero, dtype=Precision.INT8)
    model.outputs = [quant.dequantize_linear(small, scale, zero), small]
    array = numbers(2, 3)
    for mine, theirs in zip(
        nna.compile(model, "nnrt")(array), nna.compile(model, "builtin")(array), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs)
    made = compile_model(model, [(2, 3)])
    assert sum(t.quantization is not None for t in made.tensors) >= 1


def test_plain_integers_with_a_scale_are_not_taken_for_real_numbers() -> None:
    model = Model()
    x = model.input("x", TensorType(F32, (2, 3)))
    small = quant.quantize_linear(x, model.constant(np.float32(0.05)))
    model.outputs = [binary.add(small, small)]
    with pytest.raises(NoLowering, match="reads integers that a scale belongs to"):
        nna.compile(model, "nnrt")


def test_what_is_missing_is_said_at_once() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.BFLOAT16, (2, 3)))
    model.outputs = [activation.relu(x)]
    with pytest.raises(NoLowering, match="nnrt has no tensors of BFLOAT16"):
        nna.compile(model, "nnrt")
    assert control.if_ not in Nnrt().lowerings().entries


# The runtime's calls


def compile_file(tmp_path: Path, model: Model | None = None) -> Compilation:
    """A compilation of a file that is not built yet."""
    Nnrt().export(dense(2) if model is None else model, tmp_path / "m.nnrt")
    return Compilation(tmp_path / "m.nnrt")


def test_a_model_is_compiled_and_run_by_calls(tmp_path: Path) -> None:
    compilation = compile_file(tmp_path)
    assert compilation.set_device(1) == OK
    assert compilation.set_performance_mode(4) == OK
    assert compilation.set_priority(3) == OK
    assert compilation.enable_float16(False) == OK
    assert compilation.set_cache(tmp_path, 7) == OK
    assert compilation.build() == OK, compilation.problem
    assert (tmp_path / "7.nnrt").exists()
    executor = Executor(compilation)
    assert (executor.input_count(), executor.output_count()) == (1, 1)
    assert executor.input_desc(0).shape == (2, 3)
    assert executor.output_shape(0) == (OK, (2, 2))
    x, results = numbers(2, 3), []
    assert executor.run_sync([x], results) == OK, executor.problem
    told: Queue[Any] = Queue()
    assert executor.set_on_run_done(lambda *args: told.put(args)) == OK
    again: list[Any] = []
    assert executor.run_async([x], again, 60_000, "mine") == OK
    assert told.get(timeout=60)[:2] == ("mine", OK)
    np.testing.assert_array_equal(results[0], again[0])
    late: list[Any] = []
    assert executor.run_async([x], late, 0, "late") == OK
    name, code, _ = told.get(timeout=60)
    assert name == "late"
    assert (code, len(late)) in ((ReturnCode.TIMEOUT, 0), (OK, 1))
    restored = Compilation(tmp_path / "no such file")
    assert restored.set_cache(tmp_path, 7) == OK
    assert restored.build() == OK


FORBIDDEN, INVALID = ReturnCode.OPERATION_FORBIDDEN, ReturnCode.INVALID_PARAMETER
CALLS: list[tuple[str, Any, ReturnCode]] = [
    ("no device", lambda c: c.set_device(None), ReturnCode.NULL_PTR),
    ("another device", lambda c: c.set_device(5), INVALID),
    ("another mode", lambda c: c.set_performance_mode(5), INVALID),
    ("another priority", lambda c: c.set_priority(-1), INVALID),
    ("halves", lambda c: c.enable_float16(True), ReturnCode.UNSUPPORTED),
    ("no folder", lambda c: c.set_cache(Path("/no/such/folder"), 1), ReturnCode.INVALID_PATH),
]


@pytest.mark.parametrize(("why", "call", "code"), CALLS, ids=[row[0] for row in CALLS])
def test_a_call_that_is_wrong_says_so(
    why: str, call: Any, code: ReturnCode, tmp_path: Path
) -> None:
    compilation = compile_file(tmp_path)
    assert call(compilation) == code, why
    assert compilation.problem
    assert compilation.build() == OK


def test_nothing_changes_behind_the_build(tmp_path: Path) -> None:
    compilation = compile_file(tmp_path)
    assert compilation.build() == OK
    calls = (
        lambda: compilation.build(),
        lambda: compilation.set_device(1),
        lambda: compilation.set_performance_mode(1),
        lambda: compilation.set_priority(1),
        lambda: compilation.enable_float16(False),
        lambda: compilation.set_cache(tmp_path, 1),
    )
    assert [call() for call in calls] == [FORBIDDEN] * 6


def test_what_cannot_be_built(tmp_path: Path) -> None:
    assert Compilation(ModelBuilder()).build() == FORBIDDEN
    assert Compilation(tmp_path / "none").build() == ReturnCode.INVALID_FILE
    (tmp_path / "bad.nnrt").write_bytes(b"OHNNRT\r\n" + bytes(100))
    assert Compilation(tmp_path / "bad.nnrt").build() == ReturnCode.INVALID_FILE


def test_an_executor_wants_a_compilation_that_is_built(tmp_path: Path) -> None:
    executor = Executor(compile_file(tmp_path))
    assert executor.run_sync([], []) == FORBIDDEN
    assert executor.output_shape(0) == (FORBIDDEN, ())
    with pytest.raises(BadCall):
        executor.input_count()


def test_an_executor_checks_what_it_is_given(tmp_path: Path) -> None:
    compilation = compile_file(tmp_path)
    assert compilation.build() == OK
    executor = Executor(compilation)
    assert executor.run_sync([], []) == INVALID
    assert executor.run_sync([numbers(2, 4)], []) == INVALID
    assert executor.run_sync([numbers(2, 3).astype(np.float64)], []) == INVALID
    assert executor.run_sync(None, []) == ReturnCode.NULL_PTR  # type: ignore[arg-type]
    assert executor.run_async([numbers(2, 3)], [], 1000, 0) == FORBIDDEN
    with pytest.raises(BadModel):
        executor.output_desc(3)
    assert executor.output_shape(3) == (INVALID, ())


# Integers


def quantised(model: Model, scales: float = 0.05) -> Model:
    """A convolution and a sum, between integers."""
    x = model.input("x", TensorType(F32, (1, 4, 5, 6)))
    step, zero = model.constant(np.float32(scales)), model.constant(np.int8(3))

    def stored(v: Any) -> Any:
        small = quant.quantize_linear(v, step, zero, dtype=Precision.INT8)
        return quant.dequantize_linear(small, step, zero)

    rows = model.constant((0.01 + 0.001 * np.arange(8)).astype(np.float32))
    taps = model.constant(RNG.integers(-127, 128, (8, 4, 3, 3)).astype(np.int8))
    weight = quant.dequantize_linear(taps, rows, axis=0)
    units = model.constant(np.float32(scales) * np.asarray(rows.constant))
    shift = model.constant(RNG.integers(-99, 99, 8).astype(np.int32))
    bias = quant.dequantize_linear(shift, units, axis=0)
    given: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "pads": (1, 1, 1, 1)}
    made = stored(conv.conv_2d(stored(x), weight, bias, fuse_code=Fuse.RELU, **given))
    model.outputs = [stored(binary.add(made, made))]
    return model


def test_what_stands_between_integers_becomes_an_operation_on_them() -> None:
    model, x = quantised(Model()), numbers(1, 4, 5, 6)
    made = compile_model(model, [(1, 4, 5, 6)])
    kinds = {
        o.definition.name: made.tensors[o.outputs[0]].data_type.name
        for o in made.operations
        if o.definition.name != "QUANT_DTYPE_CAST"
    }
    assert kinds == {"TRANSPOSE": "INT8", "CONV2D": "INT8", "ADD": "INT8"}
    convolution = next(o for o in made.operations if o.definition.name == "CONV2D")
    bias = made.tensors[convolution.inputs[2]]
    assert (bias.data_type.name, bias.quantization) == ("INT32", None)
    for mine, wanted in zip(
        nna.compile(model, "nnrt")(x), nna.compile(model, "builtin")(x), strict=True
    ):
        np.testing.assert_array_equal(mine, wanted)


def test_casts_that_are_taken_in_are_written_out_again() -> None:
    from nnir.evaluate import evaluate
    from nnir.formats.nnrt.explicit import write_out
    from nnir.formats.nnrt.implicit import take_in
    from nnir.recipes.nnrt.assembly import assemble

    made = compile_model(quantised(Model()), [(1, 4, 5, 6)])
    again = take_in(write_out(made))
    assert [o.definition.name for o in again.operations] == [
        o.definition.name for o in made.operations
    ]
    x = numbers(1, 4, 5, 6)
    for mine, wanted in zip(
        evaluate(assemble(again), [x]), evaluate(assemble(made), [x]), strict=True
    ):
        np.testing.assert_array_equal(mine, wanted)
