"""The litert device: whole graphs without transposes, files, caches, threads, refusals."""

from __future__ import annotations

import concurrent.futures
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from ai_edge_litert.interpreter import Interpreter

import nnadapter as nna
from hal.device import Cache
from hal.drivers.litert import LiteRT
from hal.drivers.litert.content import Content
from hal.drivers.litert.runner import MOST, Pool
from nnir.dim import symbol
from nnir.errors import BadInput, DeviceError, NNAdapterError, NoLowering, Unsupported
from nnir.model import Model, Value
from nnir.ops import (
    activation,
    binary,
    compare,
    control,
    conv,
    index,
    linalg,
    linear,
    pool,
    reduce,
    shape,
    sort,
    unary,
)
from nnir.types import Fuse, Precision, TensorType

F32 = Precision.FLOAT32
RNG = np.random.default_rng(0)


def numbers(*sizes: int) -> np.ndarray:
    return RNG.standard_normal(sizes).astype(np.float32)


def source(sizes: tuple, precision: Precision = F32, name: str = "x") -> tuple[Model, Value]:
    model = Model()
    return model, model.input(name, TensorType(precision, sizes))


def convolution(x: Value, filters: int, kernel: int, stride: int, fuse: Fuse = Fuse.NONE) -> Value:
    model, half = x.model, kernel // 2
    return conv.conv_2d(
        x,
        model.constant(numbers(filters, x.shape[1], kernel, kernel)),
        model.constant(numbers(filters)),
        pads=(half,) * 4,
        strides=(stride, stride),
        dilations=(1, 1),
        fuse_code=fuse,
    )


def network() -> Model:
    """A small residual network with channels first."""
    model, x = source((1, 3, 17, 19))
    y = convolution(x, 8, 3, 2, Fuse.RELU)
    z = convolution(y, 8, 3, 1, Fuse.RELU)
    y = activation.relu(binary.add(y, z))
    y = pool.max_pool_2d(y, kernel_shape=(3, 3), strides=(2, 2), pads=(1, 1, 1, 1))
    y = reduce.reduce_mean(y, [2, 3], keepdim=True)
    y = shape.flatten(y, start_axis=1, end_axis=-1)
    y = linear.mat_mul(y, model.constant(numbers(8, 5)))
    model.outputs = [activation.softmax(y, axis=-1)]
    model.output_names = ["classes"]
    return model


def agree(model: Model, *arrays: np.ndarray, tolerance: float = 1e-5) -> list[np.ndarray]:
    got = nna.compile(model, "litert")(*arrays)
    want = nna.compile(model, "builtin")(*arrays)
    for mine, theirs in zip(got, want, strict=True):
        assert mine.dtype == theirs.dtype
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(
            mine.astype(np.float64), theirs.astype(np.float64), rtol=tolerance, atol=tolerance
        )
    return got


def steps_of(path: Path) -> Counter[str]:
    interpreter = Interpreter(model_path=str(path))
    return Counter(row["op_name"] for row in interpreter._get_ops_details())


def export(model: Model, path: Path) -> Path:
    nna.convert(model, path)
    return path


def test_a_network_agrees() -> None:
    agree(network(), numbers(1, 3, 17, 19))


def test_between_convolutions_are_no_transposes(tmp_path: Path) -> None:
    steps = steps_of(export(network(), tmp_path / "net.tflite"))
    assert steps["TRANSPOSE"] == 1  # of the input
    assert steps["CONV_2D"] == 2
    assert not steps["RELU"]  # all of them are fused


def test_transposes_of_the_model_are_no_work(tmp_path: Path) -> None:
    model, x = source((1, 9, 9, 4))
    y = convolution(shape.transpose(x, perm=(0, 3, 1, 2)), 4, 3, 1)
    model.outputs = [shape.transpose(activation.tanh(y), perm=(0, 2, 3, 1))]
    assert not steps_of(export(model, tmp_path / "net.tflite"))["TRANSPOSE"]
    agree(model, numbers(1, 9, 9, 4))


def test_a_transpose_is_made_once(tmp_path: Path) -> None:
    model, x = source((2, 3, 4))
    turned = shape.transpose(x, perm=(2, 1, 0))
    model.outputs = [shape.reshape(turned, [24]), shape.reshape(turned, [2, 12])]
    assert steps_of(export(model, tmp_path / "net.tflite"))["TRANSPOSE"] == 1
    agree(model, numbers(2, 3, 4))


def test_names_of_the_ends_are_kept(tmp_path: Path) -> None:
    path = export(network(), tmp_path / "net.tflite")
    interpreter = Interpreter(model_path=str(path))
    signature = interpreter.get_signature_list()["serving_default"]
    assert signature == {"inputs": ["x"], "outputs": ["classes"]}
    assert interpreter.get_input_details()[0]["name"] == "x"


def test_a_written_file_loads_with_equal_results(tmp_path: Path) -> None:
    model, x = network(), numbers(1, 3, 17, 19)
    again = nna.load(export(model, tmp_path / "net.tflite"))
    assert [name for name, _ in again.named_outputs()] == ["classes"]
    want = nna.compile(model, "builtin")(x)[0]
    np.testing.assert_allclose(nna.compile(again, "builtin")(x)[0], want, atol=1e-6)
    np.testing.assert_allclose(nna.compile(again, "litert")(x)[0], want, atol=1e-6)


def test_writing_is_deterministic(tmp_path: Path) -> None:
    model = network()
    first, second = (export(model, tmp_path / f"{n}.tflite") for n in "ab")
    assert first.read_bytes() == second.read_bytes()


def test_equal_weights_are_written_once(tmp_path: Path) -> None:
    model, x = source((1000,))
    weight = numbers(1000)
    y = binary.mul(x, model.constant(weight))
    model.outputs = [binary.add(y, model.constant(weight))]
    assert export(model, tmp_path / "net.tflite").stat().st_size < 2 * weight.nbytes


def test_open_sizes_stay_open(tmp_path: Path) -> None:
    model, x = source((symbol("batch"), 3))
    model.outputs = [activation.relu(linear.mat_mul(x, model.constant(numbers(3, 2))))]
    path = export(model, tmp_path / "net.tflite")
    interpreter = Interpreter(model_path=str(path))
    details = interpreter.get_input_details()[0]
    assert details["shape_signature"].tolist() == [-1, 3]
    interpreter.resize_tensor_input(details["index"], (4, 3))
    interpreter.allocate_tensors()
    interpreter.set_tensor(details["index"], numbers(4, 3))
    interpreter.invoke()
    found = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    assert found.shape == (4, 2)


def test_sizes_are_made_by_sums_and_products(tmp_path: Path) -> None:
    model = Model()
    batch, length = symbol("batch"), symbol("length")
    kind = TensorType(Precision.FLOAT32, (batch, length, 8))
    x, y = model.input("x", kind), model.input("y", kind)
    halves = shape.reshape(shape.concat(x, y, axis=1), [0, -1, 4])
    model.outputs = [shape.reshape(halves, [0, -1, 16])]
    nna.convert(model, tmp_path / "a.tflite", verify=False)
    interpreter = Interpreter(str(tmp_path / "a.tflite"))
    for sizes in ((1, 1, 8), (2, 3, 8)):
        arrays = [np.random.default_rng(k).random(sizes, np.float32) for k in (0, 1)]
        for about, array in zip(interpreter.get_input_details(), arrays, strict=True):
            interpreter.resize_tensor_input(about["index"], array.shape)
        interpreter.allocate_tensors()
        for about, array in zip(interpreter.get_input_details(), arrays, strict=True):
            interpreter.set_tensor(about["index"], array)
        interpreter.invoke()
        got = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
        (want,) = nna.compile(model, "builtin")(*arrays)
        np.testing.assert_array_equal(got, want)


def test_what_needs_known_sizes_says_how_to_fix_them(tmp_path: Path) -> None:
    model, x = source((1, 2, symbol("h"), 8))
    model.outputs = [pool.adaptive_average_pool_2d(x, output_shape=(40, 3))]
    with pytest.raises(NoLowering, match="--dim"):
        nna.convert(model, tmp_path / "net.tflite")
    assert not list(tmp_path.iterdir())


def test_there_is_no_opset(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="opset"):
        LiteRT().export(network(), tmp_path / "net.tflite", opset=3)


def test_one_program_runs_inputs_of_many_sizes() -> None:
    model, x = source((symbol("n"), 3))
    model.outputs = [unary.exp(binary.add(x, x)), reduce.reduce_sum(x, [0], keepdim=False)]
    program = nna.compile(model, "litert")
    for size in (1, 2, 5, 1, 7, 8, 9, 2):
        data = numbers(size, 3)
        found = program(data)
        np.testing.assert_allclose(found[0], np.exp(2 * data), rtol=1e-5)
        np.testing.assert_allclose(found[1], data.sum(axis=0), rtol=1e-5, atol=1e-6)


def test_sizes_that_depend_on_data() -> None:
    model, x = source((6,))
    places = index.non_zero(compare.greater(x, model.constant(np.float32(0))))
    model.outputs = [shape.transpose(places, perm=(1, 0)), index.gather(x, places, axis=0)]
    agree(model, np.array([1, -1, 2, -2, 3, -3], np.float32))


def test_results_belong_to_the_caller() -> None:
    program = nna.compile(network(), "litert")
    first = program(numbers(1, 3, 17, 19))[0]
    kept = first.copy()
    program(numbers(1, 3, 17, 19))
    np.testing.assert_array_equal(first, kept)


def test_offered_memory_is_written() -> None:
    device = LiteRT()
    device.open_device()
    program = device.create_program(device.create_context({}, None), network(), None)
    memory = np.empty((1, 5), np.float32)
    data = numbers(1, 3, 17, 19)
    (found,) = device.execute_program(program, [data], [memory])
    assert found is memory
    np.testing.assert_array_equal(found, device.execute_program(program, [data])[0])


def test_inputs_of_any_layout_in_memory() -> None:
    model, x = source((3, 4))
    model.outputs = [unary.neg(x)]
    program = nna.compile(model, "litert")
    plain = numbers(3, 4)
    unaligned = np.frombuffer(b"\0" + plain.tobytes(), np.float32, 12, 1).reshape(3, 4)
    for given in (np.asfortranarray(plain), unaligned, plain[::-1][::-1]):
        np.testing.assert_array_equal(program(given)[0], -plain)


def test_threads_share_a_program() -> None:
    program = nna.compile(network(), "litert")
    data = [numbers(1, 3, 17, 19) for _ in range(16)]
    want = [program(d)[0] for d in data]
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        got = list(threads.map(lambda d: program(d)[0], data))
    for mine, theirs in zip(got, want, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_there_are_only_so_many_interpreters(monkeypatch: pytest.MonkeyPatch) -> None:
    pools: list[Pool] = []
    give = Pool.give
    monkeypatch.setattr(Pool, "give", lambda self, runner: (pools.append(self), give(self, runner)))
    program = nna.compile(network(), "litert")
    pool = pools[0]
    held = [pool.take() for _ in range(MOST)]
    assert len({*map(id, held)}) == MOST
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(pool.take)
        with pytest.raises(TimeoutError):
            waiting.result(0.2)
        pool.give(held[0])
        assert waiting.result(5) is held[0]
    for runner in held:
        pool.give(runner)
    assert program(numbers(1, 3, 17, 19))


def cached() -> tuple[LiteRT, Cache, np.ndarray, np.ndarray]:
    device, model = LiteRT(), network()
    device.open_device()
    cache = Cache([v.type for v in model.inputs], [v.type for v in model.outputs])
    program = device.create_program(device.create_context({}, None), model, cache)
    data = numbers(1, 3, 17, 19)
    return device, cache, data, device.execute_program(program, [data])[0]


def test_a_cache_restores_a_program() -> None:
    device, cache, data, want = cached()
    program = device.create_program(device.create_context({}, None), None, cache)
    np.testing.assert_array_equal(device.execute_program(program, [data])[0], want)
    with pytest.raises(BadInput, match="shapes"):
        device.execute_program(program, [data[:, :, 1:]])


def test_a_cache_of_open_sizes_runs_all_of_them() -> None:
    model, x = source((symbol("n"), 3))
    model.outputs = [binary.add(x, x)]
    device = LiteRT()
    device.open_device()
    cache = Cache([x.type], [model.outputs[0].type])
    device.create_program(device.create_context({}, None), model, cache)
    program = device.create_program(device.create_context({}, None), None, cache)
    for size in (1, 4):
        data = numbers(size, 3)
        np.testing.assert_array_equal(device.execute_program(program, [data])[0], 2 * data)


def test_the_times_of_steps() -> None:
    program = nna.compile(network(), "litert", profile=True)
    data = numbers(1, 3, 17, 19)
    program(data)
    assert {"CONV_2D", "SOFTMAX"} <= {r.operator for r in program.profile.rows}


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "header", "other"])
def test_a_damaged_cache_is_an_error(damage: str) -> None:
    device, cache, _, _ = cached()
    whole = cache.buffer
    cache.buffer = {
        "cut": whole[:-5],
        "flipped": whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:],
        "empty": b"",
        "header": whole[:10] + b"\xff" + whole[11:],
        "other": b"PK" + whole,
    }[damage]
    with pytest.raises(DeviceError, match="restore"):
        device.create_program(device.create_context({}, None), None, cache)


def test_properties() -> None:
    data = numbers(1, 3, 17, 19)
    model = network()
    want = nna.compile(model, "litert")(data)[0]
    for text in ("GOOGLE_XNNPACK_NUM_THREADS=1;", "LITERT_XNNPACK=0;"):
        np.testing.assert_allclose(
            nna.compile(model, "litert", properties=text)(data)[0], want, atol=1e-5
        )
    with pytest.raises(NNAdapterError, match="GOOGLE_XNNPACK_NUM_THREADS"):
        nna.compile(model, "litert", properties="GOOGLE_XNNPACK_NUM_THREADS=many;")
    with pytest.raises(NNAdapterError, match="LITERT_XNNPACK"):
        nna.compile(model, "litert", properties="LITERT_XNNPACK=2;")


def test_every_gap_is_listed() -> None:
    model, x = source((3, 3), Precision.FLOAT64)
    model.outputs = [unary.exp(x), linalg.matrix_exp(x)]
    with pytest.raises(NoLowering, match=r"FLOAT64.*MATRIX_EXP"):
        nna.compile(model, "litert")
    device = LiteRT()
    reasons = device.explain_program(None, model)
    assert all(reasons)
    assert device.validate_program(None, model) == [False, False]


def test_what_runs_is_explained_so() -> None:
    model = network()
    assert LiteRT().explain_program(None, model) == [None] * len(model.operations)


@pytest.mark.parametrize("kind", [np.float16, ml_dtypes.bfloat16])
def test_halves_are_rounded_after_every_operation(kind: type) -> None:
    model, x = source((64,), Precision[np.dtype(kind).name.upper()])
    y = binary.mul(binary.add(x, x), x)
    model.outputs = [binary.div(y, model.constant(np.array(3, kind)))]
    data = numbers(64).astype(kind)
    got = nna.compile(model, "litert")(data)[0]
    np.testing.assert_array_equal(got, nna.compile(model, "builtin")(data)[0])


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint32])
def test_integers_wrap(kind: type) -> None:
    model, x = source((5,), Precision[np.dtype(kind).name.upper()])
    model.outputs = [
        binary.add(x, x),
        binary.mul(x, x),
        unary.neg(x),
        sort.top_k(x, [2], axis=0)[0],
    ]
    limits = np.iinfo(kind)
    agree(model, np.array([limits.min, limits.max, 3, 100, 0], kind))


@pytest.mark.parametrize("by", [3, -7, 12, 1 << 20])
def test_long_integers_are_divided(by: int) -> None:
    model, x = source((7,), Precision.INT64)
    divisor = model.constant(np.array(by))
    model.outputs = [binary.div(x, divisor), binary.floor_div(x, divisor), binary.mod(x, divisor)]
    data = np.array([0, 1, -1, 10**17 + 7, -(10**17) - 7, 2**62, -(2**62)], np.int64)
    agree(model, data)


def test_edges_of_floats() -> None:
    model, x = source((7,))
    low, high = (model.constant(np.float32(n)) for n in (-1, 2))
    model.outputs = [
        *(activation.relu(x), activation.clip(x, low, high), unary.exp(x), unary.rsqrt(x)),
        *(reduce.reduce_max(x, [0]), reduce.arg_max(x, axis=0, keepdim=False), unary.sin(x)),
        *(binary.max_(x, unary.neg(x)), unary.log(x), unary.sqrt(x), unary.sign(x)),
    ]
    agree(model, np.array([np.nan, np.inf, -np.inf, 0, 88.5, 3e38, 1e4], np.float32))


def test_control_flow() -> None:
    model, x = source((2,))
    body = Model("body", model)
    state = body.input("state", x.type)
    grown = binary.add(state, state)
    small = compare.less(reduce.reduce_max(grown, [0], keepdim=False), body.constant(np.float32(9)))
    body.outputs = [small, grown]
    (last,) = control.while_(model.constant(np.array(True)), x, body=body, carried=1)
    branches = []
    for function in (unary.neg, unary.abs_):
        inner = Model("branch", model)
        inner.outputs = [function(inner.input("a", x.type))]
        branches.append(inner)
    some = compare.greater(index.gather(x, model.constant(np.array(0)), axis=0), 0.0)
    (chosen,) = control.if_(some, last, then_model=branches[0], else_model=branches[1])
    model.outputs = [last, chosen]
    agree(model, np.array([1, 2], np.float32))
    agree(model, np.array([-1, 3], np.float32))


def test_the_class_imports_no_framework() -> None:
    code = (
        "import sys, nnadapter\nassert nnadapter.devices()['litert'].name == 'litert'\n"
        "print(sorted(set(sys.modules) & {'ai_edge_litert', 'flatbuffers', 'tensorflow'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("tempdir", [".", "absent"])
def test_large_files_are_mapped_where_one_can_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tempdir: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / tempdir))
    weights = np.arange(400 * 800, dtype=np.float32).reshape(400, 800).T
    content = Content.of_parts([b"head", weights])
    assert bytes(content.data) == b"head" + weights.tobytes()
    assert list(content.words) == ["model_path" if tempdir == "." else "model_content"]
    assert list(tmp_path.iterdir()) == []
