"""The openvino device: ends, shapes that move, caches, files, threads, reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest

import nnadapter as nna
from hal.device import PROFILE, Cache
from hal.drivers.openvino import OpenVINO
from hal.drivers.openvino.nodes import NodeFactory
from nnir.dim import symbol
from nnir.errors import BadInput, DeviceError, NoDevice, NoLowering, Unsupported
from nnir.model import Model, Value
from nnir.operator import Operator
from nnir.ops import (
    activation,
    binary,
    compare,
    control,
    conv,
    generate,
    index,
    linear,
    pool,
    reduce,
    shape,
    sort,
    special,
    unary,
)
from nnir.types import Precision, TensorType

openvino = pytest.importorskip("openvino")
F32, I64, I32, BOOL = Precision.FLOAT32, Precision.INT64, Precision.INT32, Precision.BOOL8


@pytest.fixture(scope="module")
def device() -> Iterator[OpenVINO]:
    made = OpenVINO()
    made.open_device()
    yield made
    made.close_device()


def model_of(
    build: Callable[..., Any], *inputs: tuple[Precision, tuple[Any, ...]], names: str = "abcd"
) -> Model:
    model = Model()
    values = [model.input(n, TensorType(p, s)) for n, (p, s) in zip(names, inputs, strict=False)]
    for value in values:
        for dim in value.shape:
            if not isinstance(dim, int):
                model.symbols[str(dim)] = (0, None)
    made = build(*values)
    model.outputs = list(made) if isinstance(made, tuple) else [made]
    return model


def ran(device: OpenVINO, model: Model, *arrays: Any, **properties: str) -> list[np.ndarray]:
    program = device.create_program(device.create_context(properties, None), model, None)
    return device.execute_program(program, [np.asarray(a) for a in arrays])


def small() -> Model:
    def build(x: Value) -> Value:
        weight = x.model.constant(np.arange(12, dtype=np.float32).reshape(4, 3), name="weight")
        bias = x.model.constant(np.ones(4, np.float32), name="bias")
        return activation.relu(linear.fully_connected(x, weight, bias))

    model = model_of(build, (F32, (symbol("batch"), 3)), names=["image"])  # type: ignore[arg-type]
    model.output_names = ["scores"]
    return model


def test_it_runs_with_sizes_that_move(device: OpenVINO) -> None:
    model = small()
    program = device.create_program(device.create_context({}, None), model, None)
    weight = np.arange(12, dtype=np.float32).reshape(4, 3)
    for rows in (2, 5, 1):
        x = np.random.default_rng(rows).normal(size=(rows, 3)).astype(np.float32)
        (got,) = device.execute_program(program, [x])
        np.testing.assert_allclose(got, np.maximum(x @ weight.T + 1, 0), rtol=1e-5, atol=1e-6)


def test_results_belong_to_the_caller(device: OpenVINO) -> None:
    model = model_of(lambda x: binary.add(x, x), (F32, (3,)))
    program = device.create_program(device.create_context({}, None), model, None)
    first = device.execute_program(program, [np.ones(3, np.float32)])[0]
    device.execute_program(program, [np.zeros(3, np.float32)])
    assert first.tolist() == [2, 2, 2]
    assert first.flags.writeable


def test_offered_memory_is_used(device: OpenVINO) -> None:
    model = model_of(lambda x: binary.add(x, x), (F32, (3,)))
    program = device.create_program(device.create_context({}, None), model, None)
    room = np.empty(3, np.float32)
    (got,) = device.execute_program(program, [np.ones(3, np.float32)], [room])
    assert got is room
    assert room.tolist() == [2, 2, 2]


def test_an_input_that_is_an_output(device: OpenVINO) -> None:
    model = model_of(lambda x: (unary.assign(x), binary.add(x, x)), (F32, (2,)))
    x = np.array([1, 2], np.float32)
    got = ran(device, model, x)
    assert [g.tolist() for g in got] == [[1, 2], [2, 4]]
    assert not np.shares_memory(got[0], x)


@pytest.mark.parametrize("how", ["strided", "read-only", "unaligned"])
def test_inputs_of_any_memory(device: OpenVINO, how: str) -> None:
    model = model_of(lambda x: binary.add(x, x), (F32, (4,)))
    x = np.arange(4, dtype=np.float32)
    match how:
        case "strided":
            x = np.arange(8, dtype=np.float32)[::2]
        case "read-only":
            x.flags.writeable = False
        case "unaligned":
            raw = np.zeros(17, np.uint8)
            raw[1:] = np.frombuffer(x.tobytes(), np.uint8)
            x = raw[1:].view(np.float32)
    assert ran(device, model, x)[0].tolist() == (x + x).tolist()


def test_weights_of_read_only_memory(device: OpenVINO) -> None:
    weight = np.ones(3, np.float32)
    weight.flags.writeable = False
    model = model_of(lambda x: binary.add(x, x.model.constant(weight)), (F32, (3,)))
    assert ran(device, model, np.zeros(3, np.float32))[0].tolist() == [1, 1, 1]


def test_a_program_is_restored_from_its_cache(device: OpenVINO) -> None:
    model, context = small(), device.create_context({}, None)
    cache = Cache([v.type for v in model.inputs], [v.type for v in model.outputs])
    program = device.create_program(context, model, cache)
    x = np.ones((2, 3), np.float32)
    again = device.create_program(context, None, cache)
    want, got = device.execute_program(program, [x]), device.execute_program(again, [x])
    np.testing.assert_array_equal(want[0], got[0])


@pytest.mark.parametrize("damage", ["empty", "cut", "turned", "other", "version"])
def test_a_damaged_cache_is_refused(device: OpenVINO, damage: str) -> None:
    model, context = small(), device.create_context({}, None)
    cache = Cache([v.type for v in model.inputs], [v.type for v in model.outputs])
    device.create_program(context, model, cache)
    whole = cache.buffer
    middle = len(whole) - 100
    cache.buffer = {
        "empty": b"",
        "cut": whole[:middle],
        "turned": whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :],
        "other": b"\x00" * 100,
        "version": whole.replace(openvino.get_version().encode(), b"1", 1),
    }[damage]
    with pytest.raises(DeviceError):
        device.create_program(context, None, cache)


def test_export_is_the_same_twice_and_loads(device: OpenVINO, tmp_path: Path) -> None:
    paths = [tmp_path / "a" / "model.xml", tmp_path / "b" / "model.xml"]
    for path in paths:
        path.parent.mkdir()
        device.export(small(), path)
    for suffix in (".xml", ".bin"):
        first, second = (p.with_suffix(suffix).read_bytes() for p in paths)
        assert first == second
    assert sorted(p.name for p in paths[0].parent.iterdir()) == ["model.bin", "model.xml"]
    compiled = openvino.Core().compile_model(paths[0], "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    assert compiled.input(0).get_names() == {"image"}
    assert compiled.output(0).get_names() == {"scores"}
    x = np.random.default_rng(1).normal(size=(2, 3)).astype(np.float32)
    np.testing.assert_allclose(compiled([x])[0], ran(device, small(), x)[0], rtol=1e-6)


def test_export_has_no_opset(device: OpenVINO, tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="opset"):
        device.export(small(), tmp_path / "m.xml", opset=13)
    assert not list(tmp_path.iterdir())


def test_threads_share_a_program(device: OpenVINO) -> None:
    program = device.create_program(device.create_context({}, None), small(), None)

    def run(seed: int) -> bool:
        x = np.full((seed % 3 + 1, 3), seed, np.float32)
        want = np.maximum(x @ np.arange(12, dtype=np.float32).reshape(4, 3).T + 1, 0)
        return np.allclose(device.execute_program(program, [x])[0], want)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(run, range(60)))


def test_times_of_steps(device: OpenVINO) -> None:
    context = device.create_context({PROFILE: "1"}, None)
    program = device.create_program(context, small(), None)
    assert device.timings(program) == []
    device.execute_program(program, [np.ones((2, 3), np.float32)])
    steps = device.timings(program)
    assert steps
    assert all(s.seconds >= 0 and s.name and s.operator for s in steps)


def test_properties_are_checked(device: OpenVINO) -> None:
    with pytest.raises(NoDevice, match="CPU"):
        device.create_context({"INTEL_OPENVINO_SELECT_DEVICE_NAMES": "TOASTER"}, None)
    with pytest.raises(BadInput, match="PRECISION"):
        device.create_context({"INTEL_OPENVINO_INFERENCE_PRECISION": "INT3"}, None)
    with pytest.raises(BadInput, match="HINT"):
        device.create_context({"INTEL_OPENVINO_PERFORMANCE_HINT": "FAST"}, None)
    context = device.create_context(
        {"INTEL_OPENVINO_INFERENCE_NUM_THREADS": "1", "OTHER_KEY": "x"}, None
    )
    assert context.config["INFERENCE_NUM_THREADS"] == "1"
    assert context.config["INFERENCE_PRECISION_HINT"] == "f32"


@pytest.mark.parametrize("threads", ["1", "2"])
def test_what_goes_wrong_while_running_is_told_in_one_thread_too(threads: str) -> None:
    """OpenVINO has no windows that are larger than the data, which only a run shows."""
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (1, 2, symbol("h"), 3)))
    model.outputs = [pool.max_pool_2d(x, kernel_shape=(4, 1), strides=(1, 1))]
    given = f"INTEL_OPENVINO_INFERENCE_NUM_THREADS={threads};"
    program = nna.compile(model, "openvino", properties=given)
    data = np.zeros((1, 2, 4, 3), np.float32)
    assert program(data)[0].shape == (1, 2, 1, 3)
    with pytest.raises(DeviceError, match=r"openvino failed: .*MaxPool"):
        program(data[:, :, :2])


def test_float64_is_refused_with_a_reason(device: OpenVINO) -> None:
    model = model_of(lambda x: binary.add(x, x), (Precision.FLOAT64, (2,)))
    assert device.validate_program(None, model) == [False]
    (reason,) = device.explain_program(None, model)
    assert reason is not None
    assert "FLOAT64" in reason
    with pytest.raises(NoLowering, match="FLOAT64"):
        device.create_program(device.create_context({}, None), model, None)


def test_integers_beyond_32_bits_are_refused(device: OpenVINO) -> None:
    far = 1 << 40
    model = model_of(lambda x: binary.add(x, x.model.constant(np.array(far))), (I64, (2,)))
    with pytest.raises(NoLowering, match="int64"):
        device.create_program(device.create_context({}, None), model, None)
    with pytest.raises(DeviceError, match="32 bits"):
        ran(device, model_of(lambda x: binary.add(x, x), (I64, (1,))), np.array([far]))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32"])
def test_integers_wrap(device: OpenVINO, dtype: str) -> None:
    kind = Precision[dtype.upper()]
    bounds = np.iinfo(dtype)
    x = np.array([bounds.max, bounds.min, 3, 100], dtype)
    model = model_of(
        lambda a, b: (binary.add(a, b), binary.mul(a, b), binary.sub(b, a)),
        (kind, (4,)),
        (kind, (4,)),
    )
    y = np.array([1, 1, bounds.max, 100], dtype)
    with np.errstate(over="ignore"):
        want = [x + y, x * y, y - x]
    for mine, theirs in zip(ran(device, model, x, y), want, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_integer_division_is_exact(device: OpenVINO) -> None:
    rng = np.random.default_rng(3)
    a = rng.integers(-(1 << 31), 1 << 31, 4000).astype(np.int32)
    b = np.where(
        rng.random(4000) < 0.5, rng.integers(-20, 20, 4000), rng.integers(-(1 << 30), 1 << 30, 4000)
    )
    b = b.astype(np.int32)
    model = model_of(
        lambda x, y: (
            binary.div(x, y),
            binary.floor_div(x, y),
            binary.mod(x, y),
            binary.mod(x, y, fmod=True),
        ),
        (I32, (4000,)),
        (I32, (4000,)),
    )
    ones = np.where(b == 0, 1, b).astype(np.int64)
    wide = a.astype(np.int64)
    trunc = np.sign(wide) * np.sign(ones) * (np.abs(wide) // np.abs(ones))
    wants = [trunc, wide // ones, wide % ones, wide - trunc * ones]
    for got, want in zip(ran(device, model, a, b), wants, strict=True):
        np.testing.assert_array_equal(got, np.where(b == 0, 0, want).astype(np.int32))


def test_quotients_of_sizes_that_are_subtracted(device: OpenVINO) -> None:
    def divide(x: Value) -> tuple[Value, ...]:
        less = binary.sub(
            np.int64(3), index.gather(shape.shape(x, dtype=Precision.INT64), np.int64(0), axis=0)
        )
        by = np.int64(5)
        return binary.floor_div(less, by), binary.mod(less, by), binary.mod(less, np.int64(-5))

    model = model_of(divide, (F32, (symbol("n"), 2)))
    for size in (1, 3, 4, 8, 22):
        got = ran(device, model, np.zeros((size, 2), np.float32))
        assert [a.item() for a in got] == [(3 - size) // 5, (3 - size) % 5, (3 - size) % -5]


def test_quotients_of_large_sizes(device: OpenVINO) -> None:
    """OpenVINO divides in float32, which does not hold them."""

    def divide(x: Value) -> tuple[Value, ...]:
        rows, columns = (
            index.gather(shape.shape(x, dtype=Precision.INT64), np.int64(k), axis=0) for k in (0, 1)
        )
        many = rows * columns * columns
        return many // np.int64(7), many % columns, (many + rows) // (columns + np.int64(2))

    model = model_of(divide, (Precision.INT8, (symbol("n"), symbol("m"))))
    for n, m in ((1203, 1111), (77, 4097), (3, 1)):
        many = n * m * m
        got = ran(device, model, np.zeros((n, m), np.int8))
        assert [a.item() for a in got] == [many // 7, many % m, (many + n) // (m + 2)]


def test_integer_sums_are_exact(device: OpenVINO) -> None:
    x = np.array([[1 << 24, 1, 1], [(1 << 31) - 1, 1, 5]], np.int32)
    model = model_of(lambda v: reduce.reduce_sum(v, [1], keepdim=False), (I32, (2, 3)))
    with np.errstate(over="ignore"):
        want = x.sum(1, dtype=np.int32)
    np.testing.assert_array_equal(ran(device, model, x)[0], want)


def test_nan_and_infinities_stay(device: OpenVINO) -> None:
    x = np.array([np.nan, -np.inf, np.inf, -0.5, 2], np.float32)
    model = model_of(
        lambda v: (
            activation.relu(v),
            unary.exp(v),
            compare.greater_equal(v, v),
            binary.max_(v, unary.neg(v)),
            reduce.reduce_max(v, [0]),
        ),
        (F32, (5,)),
    )
    relu, exp, reflexive, larger, top = ran(device, model, x)
    np.testing.assert_array_equal(relu, np.maximum(x, 0))
    np.testing.assert_allclose(exp, np.exp(x), rtol=1e-6)
    np.testing.assert_array_equal(reflexive, x >= x)
    np.testing.assert_array_equal(larger, np.maximum(x, -x))
    assert np.isnan(top).all()


def test_what_is_empty(device: OpenVINO) -> None:
    model = model_of(
        lambda v: (
            reduce.reduce_max(v, [0], keepdim=False),
            reduce.reduce_mean(v, [0]),
            binary.add(v, v),
        ),
        (F32, (0, 2)),
    )
    top, mean, same = ran(device, model, np.empty((0, 2), np.float32))
    assert top.tolist() == [-np.inf, -np.inf]
    assert np.isnan(mean).all()
    assert same.shape == (0, 2)


def test_axes_that_are_only_known_while_running(device: OpenVINO) -> None:
    x = np.random.default_rng(5).normal(size=(2, 3, 4)).astype(np.float32)
    model = model_of(
        lambda v, a: (
            reduce.reduce_sum(v, a),
            reduce.reduce_sum(v, a, keepdim=False),
            shape.unsqueeze(v, a),
        ),
        (F32, (2, 3, 4)),
        (I64, (1,)),
    )
    for axis in (-1, 0, 1):
        kept, dropped, grown = ran(device, model, x, np.array([axis]))
        np.testing.assert_allclose(kept, x.sum(axis, keepdims=True), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(dropped, x.sum(axis), rtol=1e-5, atol=1e-6)
        assert grown.shape == np.expand_dims(x, axis).shape


def test_branches_and_loops(device: OpenVINO) -> None:
    def branch(sign: int) -> Model:
        inner = Model()
        value = inner.input("v", TensorType(F32, (2,)))
        inner.outputs = [binary.mul(value, inner.constant(np.float32(sign)))]
        return inner

    body = Model()
    count = body.input("i", TensorType(I64, ()))
    total = body.input("t", TensorType(F32, (2,)))
    after = binary.add(count, body.constant(np.array(1)))
    body.outputs = [
        compare.less(after, body.constant(np.array(4))),
        after,
        binary.add(total, total),
        total,
    ]

    def build(flag: Value, x: Value) -> tuple[Value, ...]:
        (chosen,) = control.if_(flag, x, then_model=branch(1), else_model=branch(-1))
        start = x.model.constant(np.array(0))
        go = x.model.constant(np.array(True))
        looped = control.while_(go, start, chosen, body=body, carried=2, trips=4)
        return (chosen, *looped[1:])

    model = model_of(build, (BOOL, ()), (F32, (2,)))
    for flag in (True, False):
        x = np.array([1, 2], np.float32) * (1 if flag else -1)
        chosen, last, steps = ran(device, model, np.array(flag), np.array([1, 2], np.float32))
        np.testing.assert_array_equal(chosen, x)
        np.testing.assert_array_equal(last, x * 16)
        np.testing.assert_array_equal(steps, [x, x * 2, x * 4, x * 8])


def test_a_convolution_in_groups(device: OpenVINO) -> None:
    def build(x: Value) -> Value:
        rng = np.random.default_rng(2)
        weight = x.model.constant(rng.normal(size=(4, 1, 3, 3)).astype(np.float32))
        bias = x.model.constant(rng.normal(size=4).astype(np.float32))
        return conv.conv_2d(
            x, weight, bias, pads=(1, 1, 1, 1), strides=(2, 1), group=2, dilations=(1, 1)
        )

    model = model_of(build, (F32, (1, 2, symbol("h"), 5)))
    x = np.random.default_rng(1).normal(size=(1, 2, 6, 5)).astype(np.float32)
    from nnir.evaluate import evaluate

    np.testing.assert_allclose(
        ran(device, model, x)[0], evaluate(model, [x])[0], rtol=1e-4, atol=1e-5
    )


def test_half_precision_ends(device: OpenVINO) -> None:
    for kind in (np.float16, ml_dtypes.bfloat16):
        precision = Precision.FLOAT16 if kind is np.float16 else Precision.BFLOAT16
        x = np.array([1, 2.5, -3], kind)
        (got,) = ran(device, model_of(lambda v: binary.mul(v, v), (precision, (3,))), x)
        assert got.dtype == x.dtype
        np.testing.assert_array_equal(got, x * x)


def test_order_with_nan_and_ties(device: OpenVINO) -> None:
    model = model_of(lambda v: sort.top_k(v, [3], axis=0), (F32, (5,)))
    values, places = ran(device, model, np.array([1, 3, np.nan, 3, 2], np.float32))
    assert places.tolist() == [2, 1, 3]
    assert np.isnan(values[0])


def test_indices_from_the_end(device: OpenVINO) -> None:
    model = model_of(
        lambda v, i: (index.gather(v, i), index.gather_elements(v, i)), (F32, (4,)), (I64, (2,))
    )
    got = ran(device, model, np.arange(4, dtype=np.float32), np.array([-1, 1]))
    assert [g.tolist() for g in got] == [[3, 1], [3, 1]]


def test_sizes_of_fill_and_range(device: OpenVINO) -> None:
    model = model_of(
        lambda n: (
            generate.fill(shape.reshape(n, [1]), n.model.constant(np.float32(7))),
            generate.range_(0, n, 2),
        ),
        (I64, ()),
    )
    filled, line = ran(device, model, np.array(5))
    assert filled.tolist() == [7] * 5
    assert line.tolist() == [0, 2, 4]


def test_indices_outside_of_an_axis_are_an_error(device: OpenVINO) -> None:
    model = model_of(
        lambda v, i: index.gather(v, shape.reshape(i, [-1])), (F32, (4,)), (I64, (1, 2))
    )
    x = np.arange(4, dtype=np.float32)
    assert ran(device, model, x, np.array([[-4, 3]]))[0].tolist() == [0, 3]
    for outside in (-5, 4):
        with pytest.raises(DeviceError, match="an axis of 4"):
            ran(device, model, x, np.array([[0, outside]]))


class Partial:
    """A stand-in for OpenVINO, whose newest set of operators has only what is new."""

    class Factory:
        def __init__(self, name: str) -> None:
            self.known = {"opset16": {"New", "Changed"}, "opset15": {"Changed", "Maximum"}}[name]
            self.name = name

        def create(self, op: str, inputs: list[Any], attributes: dict[str, Any]) -> str:
            if op not in self.known:
                raise RuntimeError(f"Check failed: Couldn't create operation: {op}")
            if not inputs:
                raise RuntimeError(f"{op} without inputs")
            return f"{op} of {self.name}"

    utils = SimpleNamespace(node_factory=SimpleNamespace(NodeFactory=Factory))


def test_nodes_are_of_the_oldest_set_that_has_them() -> None:
    factory = NodeFactory(cast(ModuleType, Partial))
    assert factory.create("New", [1], {}) == "New of opset16"
    assert factory.create("Changed", [1], {}) == "Changed of opset15"
    assert factory.create("Maximum", [1], {}) == "Maximum of opset15"
    for op, inputs, what in (("New", [], "without inputs"), ("Old", [1], "Couldn't create")):
        with pytest.raises(RuntimeError, match=what):
            factory.create(op, inputs, {})


def test_a_loop_around_what_is_missing_is_refused(device: OpenVINO) -> None:
    body = Model("body")
    inside = body.input("i", TensorType(F32, (2,)))
    body.outputs = [body.constant(np.array(False)), special.dawsn(inside)]
    model = Model("model")
    condition, x = model.input("go", TensorType(BOOL, ())), model.input("x", TensorType(F32, (2,)))
    model.outputs = [*control.while_(condition, x, body=body, carried=1, trips=None)]
    with pytest.raises(NoLowering, match="no lowering for DAWSN"):
        device.create_program(device.create_context({}, None), model, None)


def rectified(x: Value) -> Value:
    return activation.relu(x)


def picked(x: Value) -> Value:
    return index.gather(x, x.cast(Precision.INT64), axis=0)


@pytest.mark.parametrize(("threads", "cores", "alone"), [(1, 2, True), (2, 2, False), (0, 1, True)])
@pytest.mark.parametrize(
    ("make", "size", "may_fail"), [(rectified, 2, False), (rectified, "n", True), (picked, 2, True)]
)
def test_one_thread_waits_for_what_may_fail(
    monkeypatch: pytest.MonkeyPatch, device: OpenVINO, threads: int, cores: int,
    make: Callable[[Value], Value], size: int | str, *, alone: bool, may_fail: bool,
) -> None:  # fmt: skip
    """Which takes a tenth of a millisecond; of what fails OpenVINO says nothing there otherwise."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(cores)), raising=False)
    model = Model("one")
    x = model.input("x", TensorType(F32, (symbol(size) if isinstance(size, str) else size,)))
    model.outputs = [make(x)]
    context = device.create_context(
        {"INTEL_OPENVINO_INFERENCE_NUM_THREADS": str(threads)} if threads else {}, None
    )
    cache = Cache([v.type for v in model.inputs], [v.type for v in model.outputs])
    made = device.create_program(context, model, cache)
    again = device.create_program(context, None, cache)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0}, raising=False)
    later = device.create_program(context, None, cache)  # kept with more cores than there are now
    assert made.waits == again.waits == (alone and may_fail)
    assert later.waits == may_fail
    ones = np.ones(2, np.float32)
    for program in (made, again, later):
        np.testing.assert_array_equal(device.execute_program(program, [ones])[0], ones)


@pytest.mark.parametrize("operator", [reduce.cum_max, reduce.cum_min])
def test_the_best_so_far_of_int64(operator: Operator[Any]) -> None:
    """No number beyond 32 bits, which OpenVINO has none of, stands in front of the first."""
    model = Model()
    x = model.input("x", TensorType(Precision.INT64, (2, 11)))
    model.outputs = [*operator(x, axis=1), *operator(x, axis=0)]
    data = np.random.default_rng(0).integers(-9, 9, (2, 11))
    for found, wanted in zip(
        nna.compile(model, "openvino")(data), nna.compile(model)(data), strict=True
    ):
        np.testing.assert_array_equal(found, wanted, strict=True)
