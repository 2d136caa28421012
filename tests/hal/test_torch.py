"""The torch device: modules of torch's own operations, `.pt2` files, memory, threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import torch

import nnadapter as nna
from hal.device import PROFILE, Cache
from hal.drivers.torch import Torch
from hal.drivers.torch.dtypes import array_of, tensor_of
from hal.drivers.torch.exporting import ATTEMPTS, _examples, _narrow_dims
from nnir.dim import evaluate, symbol
from nnir.errors import BadInput, DeviceError, NoDevice, NoLowering, Unsupported
from nnir.model import Model, Value
from nnir.ops import (
    activation,
    binary,
    compare,
    control,
    conv,
    generate,
    index,
    linear,
    reduce,
    resize,
    shape,
    special,
    unary,
)
from nnir.types import Precision, TensorType

F32, I64, BOOL = Precision.FLOAT32, Precision.INT64, Precision.BOOL8
FAR = 1 << 62


@pytest.fixture(scope="module")
def device() -> Torch:
    opened = Torch()
    opened.open_device()
    return opened


def one(
    type: TensorType, build: Callable[..., Any], *others: TensorType, names: str = "xyz"
) -> Model:
    """A model of one operation."""
    model = Model()
    values = [model.input(n, t) for n, t in zip(names, (type, *others), strict=False)]
    made = build(*values)
    model.outputs = list(made) if isinstance(made, tuple) else [made]
    for name in {d for t in (type, *others) for d in map(str, t.shape) if not d.isdigit()}:
        model.symbols[name] = (0, None)
    return model


def f32(*sizes: Any) -> TensorType:
    return TensorType(F32, sizes)


def run(model: Model, *arrays: np.ndarray, properties: str = "") -> list[np.ndarray]:
    with nna.compile(model, "torch", properties) as program:
        return program(*arrays)


def mlp() -> Model:
    model = Model("mlp")
    x = model.input("the input", f32(symbol("batch"), 4))
    model.symbols["batch"] = (0, None)
    weight = model.constant(np.arange(12, dtype=np.float32).reshape(3, 4), name="weight")
    bias = model.constant(np.ones(3, np.float32), name="bias")
    model.outputs = [activation.relu(linear.fully_connected(x, weight, bias))]
    return model


X = np.arange(8, dtype=np.float32).reshape(2, 4)


def test_the_ends_have_names_and_dynamic_sizes() -> None:
    with nna.compile(mlp(), "torch") as program:
        assert [n for n, _ in program.inputs] == ["the input"]
        for rows in (1, 2, 5):
            assert program(np.ones((rows, 4), np.float32))[0].shape == (rows, 3)


def test_weights_are_shared(device: Torch) -> None:
    model = mlp()
    program = device.create_program(device.create_context({}, None), model, None)
    weight = model.operations[0].inputs[1]
    assert weight is not None
    assert weight.constant is not None
    places = {t.data_ptr() for t in program.module.buffers()}
    assert weight.constant.__array_interface__["data"][0] in places


def test_read_only_strided_and_reversed_arrays() -> None:
    model = one(f32(2, 3), unary.neg)
    base = np.arange(12, dtype=np.float32).reshape(2, 6)
    base.flags.writeable = False
    for array in (base[:, :3], base[:, ::2], base[::-1, ::-2]):
        np.testing.assert_array_equal(run(model, array)[0], -array)


def test_unaligned_arrays() -> None:
    raw = np.zeros(4 * 3 + 1, np.uint8)[1:].view(np.float32)
    raw[:] = [1, 2, 3]
    assert run(one(f32(3), unary.neg), raw)[0].tolist() == [-1, -2, -3]


def test_results_belong_to_the_caller() -> None:
    model = Model()
    x = model.input("x", f32(2, 2))
    weight = model.constant(np.ones((2, 2), np.float32))
    model.outputs = [unary.assign(x), shape.transpose(x), unary.assign(weight), unary.neg(x)]
    array = np.zeros((2, 2), np.float32)
    with nna.compile(model, "torch") as program:
        first = program(array)
        for result in first:
            result += 7
        assert not array.any()
        second = program(array)
    assert second[2].tolist() == [[1, 1], [1, 1]]
    assert not second[0].any()
    assert all(r.flags.c_contiguous and r.flags.writeable for r in second)


@pytest.mark.parametrize("kind", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint64"])
def test_elements_that_numpy_or_torch_lack(kind: str) -> None:
    dtype = np.dtype(getattr(ml_dtypes, kind, kind))
    array = np.array([0, 1, 3, 7]).astype(dtype)
    model = one(
        TensorType(nna.load and Precision[kind.upper().replace("_", "")], (4,)),
        lambda x: (unary.assign(x), unary.cast(x, dtype=F32)),
    )
    same, wide = run(model, array)
    assert same.dtype == dtype
    np.testing.assert_array_equal(same.astype(np.float32), [0, 1, 3, 7])
    np.testing.assert_array_equal(wide, [0, 1, 3, 7])


def test_arrays_and_tensors_share_memory() -> None:
    array = np.array([1, 2], ml_dtypes.bfloat16)
    array.flags.writeable = False
    tensor = tensor_of(array)
    assert tensor.dtype == torch.bfloat16
    assert tensor.data_ptr() == array.__array_interface__["data"][0]
    assert array_of(tensor, array.dtype).dtype == array.dtype


def test_integers_divide_as_the_standard_says() -> None:
    low = np.iinfo(np.int32).min
    a, b = np.array([7, -7, low, 5], np.int32), np.array([-2, 2, -1, 0], np.int32)
    kind = TensorType(Precision.INT32, (4,))
    for build in (binary.div, binary.floor_div, binary.mod):
        model = one(kind, build, kind)
        want = nna.compile(model, "builtin")(a, b)[0]
        np.testing.assert_array_equal(run(model, a, b)[0], want)


def test_unsigned_integers_of_64_bits() -> None:
    kind = TensorType(Precision.UINT64, (4,))
    a = np.array([2**64 - 1, 2**63, 5, 2**64 - 2], np.uint64)
    b = np.array([3, 2**63 + 1, 2**63, 2**64 - 1], np.uint64)
    for build in (binary.div, binary.mod, binary.max_, binary.add):
        model = one(kind, build, kind)
        want = nna.compile(model, "builtin")(a, b)[0]
        np.testing.assert_array_equal(run(model, a, b)[0], want)


def test_the_sign_of_nan_is_nan() -> None:
    assert np.isnan(run(one(f32(1), unary.sign), np.array([np.nan], np.float32))[0][0])


def test_sizes_that_are_computed_while_running() -> None:
    model = Model()
    x, sizes = model.input("x", f32(6)), model.input("sizes", TensorType(I64, (2,)))
    model.outputs = [shape.reshape(x, sizes), generate.fill(sizes, model.constant(np.float32(2)))]
    made, filled = run(model, np.arange(6, dtype=np.float32), np.array([3, 2]))
    assert made.shape == filled.shape == (3, 2)


def test_sizes_come_from_shapes_without_tensors(device: Torch) -> None:
    model = Model()
    x = model.input("x", f32(symbol("n"), 4))
    model.symbols["n"] = (0, None)
    rows = index.gather(shape.shape(x, dtype=I64), [0])
    model.outputs = [
        shape.reshape(
            x,
            shape.concat(model.constant([2], "int64"), rows, model.constant([-1], "int64"), axis=0),
        )
    ]
    program = device.create_program(device.create_context({}, None), model, None)
    assert "tensor" not in program.module.code
    assert run(model, np.zeros((3, 4), np.float32))[0].shape == (2, 3, 2)


def branches() -> Model:
    model = Model()
    flag, x = model.input("flag", TensorType(BOOL, ())), model.input("x", f32(3))
    parts = []
    for build in (unary.neg, unary.exp):
        inner = Model(outer=model)
        inner.outputs = [build(inner.input("v", f32(3)))]
        parts.append(inner)
    (out,) = control.if_.append((flag, x), {"then_model": parts[0], "else_model": parts[1]})
    model.outputs = [out]
    return model


def loop() -> Model:
    model = Model()
    flag, x = model.input("flag", TensorType(BOOL, ())), model.input("x", f32())
    body = Model(outer=model)
    v = body.input("v", f32())
    doubled = binary.add(v, v)
    body.outputs = [compare.less(doubled, body.constant(np.float32(100))), doubled]
    model.outputs = list(control.while_.append((flag, x), {"body": body, "carried": 1}))
    return model


def test_branches_and_loops() -> None:
    ones = np.ones(3, np.float32)
    assert run(branches(), np.array(True), ones)[0].tolist() == [-1, -1, -1]
    assert run(branches(), np.array(False), 0 * ones)[0].tolist() == [1, 1, 1]
    assert run(loop(), np.array(True), np.float32(3).reshape(()))[0] == 192
    assert run(loop(), np.array(False), np.float32(3).reshape(()))[0] == 3


def test_a_cache_restores_a_program(device: Torch) -> None:
    context, model = device.create_context({}, None), mlp()
    cache = Cache([v.type for v in model.inputs], [v.type for v in model.outputs])
    first = device.create_program(context, model, cache)
    again = device.create_program(context, None, Cache(cache.inputs, cache.outputs, cache.buffer))
    want = device.execute_program(first, [X])[0]
    np.testing.assert_array_equal(device.execute_program(again, [X])[0], want)


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b[:99], lambda b: b[:40] + b"!" * 200])
def test_a_damaged_cache(device: Torch, damage: Callable[[bytes], bytes]) -> None:
    context, model = device.create_context({}, None), mlp()
    cache = Cache([v.type for v in model.inputs], [v.type for v in model.outputs])
    device.create_program(context, model, cache)
    with pytest.raises(DeviceError, match="restore"):
        device.create_program(context, None, Cache([], [], damage(cache.buffer)))


def test_threads_share_a_program() -> None:
    model, results = mlp(), {}
    with nna.compile(model, "torch") as program:

        def work(k: int) -> None:
            for _ in range(20):
                results[k] = program(X + k)[0]

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for k, result in results.items():
            np.testing.assert_array_equal(result, program(X + k)[0])


def test_refusals_say_why(device: Torch) -> None:
    model = Model()
    x = model.input("x", f32(2))
    model.outputs = [special.dawsn(unary.neg(x)), special.spence(x)]
    told = device.explain_program(device.create_context({}, None), model)
    assert told[0] is None
    assert "DAWSN" in str(told[1])
    assert device.validate_program(device.create_context({}, None), model) == [True, False, False]
    with pytest.raises(NoLowering, match=r"DAWSN.*SPENCE"):
        nna.compile(model, "torch")


def test_properties(device: Torch) -> None:
    before = torch.get_num_threads()
    try:
        run(mlp(), X, properties="TORCH_NUM_THREADS=1;")
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)
    with pytest.raises(BadInput, match="TORCH_NUM_THREADS"):
        device.create_context({"TORCH_NUM_THREADS": "0"}, None)
    with pytest.raises(NoDevice, match="nonsense"):
        device.create_context({"TORCH_DEVICE": "nonsense"}, None)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_no_gpu(device: Torch) -> None:
    with pytest.raises(NoDevice, match="cuda"):
        device.create_context({"TORCH_DEVICE": "cuda"}, None)


def test_times_of_operations(device: Torch) -> None:
    program = device.create_program(device.create_context({PROFILE: "1"}, None), mlp(), None)
    device.execute_program(program, [X])
    rows = device.timings(program)
    assert [r.operator for r in rows] == ["FULLY_CONNECTED", "RELU"]
    assert all(r.seconds >= 0 and r.start >= 0 for r in rows)


def test_a_failure_is_a_device_error() -> None:
    model = one(f32(3), lambda x, i: index.gather(x, i), TensorType(I64, (1,)))
    with pytest.raises(DeviceError, match="torch failed"):
        run(model, np.zeros(3, np.float32), np.array([9]))


@pytest.mark.parametrize("make", [mlp, branches, loop])
@pytest.mark.long
def test_a_written_file_is_read_back_and_equal(make: Callable[[], Model], tmp_path: Path) -> None:
    model = make()
    nna.convert(model, tmp_path / "a.pt2", device="torch")
    loaded = torch.export.load(tmp_path / "a.pt2").module()
    arrays = [X] if make is mlp else [np.array(True), np.full(model.inputs[1].shape, 3, np.float32)]
    want = nna.compile(model, "builtin")(*arrays)[0]
    with torch.no_grad():
        got = loaded(*(torch.from_numpy(np.array(a)) for a in arrays))
    np.testing.assert_allclose(got[0].numpy(), want, rtol=1e-6)


def test_writing_is_deterministic(device: Torch, tmp_path: Path) -> None:
    for name in "ab":
        device.export(mlp(), tmp_path / f"{name}.pt2")
    assert (tmp_path / "a.pt2").read_bytes() == (tmp_path / "b.pt2").read_bytes()


def test_dynamic_sizes_and_input_names_are_kept(device: Torch, tmp_path: Path) -> None:
    device.export(mlp(), tmp_path / "a.pt2")
    model = nna.load(tmp_path / "a.pt2")
    assert model.inputs[0].name == "the_input"
    assert not model.inputs[0].is_static
    assert nna.compile(model, "builtin")(X)[0].shape == (2, 3)


@pytest.mark.parametrize("bounds", [(1, FAR, 1), (0, -1, 1), (0, 5, 2), (-3, 2, 1), (-1, 1, 2)])
def test_slices_of_a_file_take_any_size(
    device: Torch, bounds: tuple[int, ...], tmp_path: Path
) -> None:
    """Also those for which a bound is clipped, or one element is left or none."""
    model = Model()
    x = model.input("x", f32(2, symbol("n")))
    starts, ends, steps = (model.constant(np.array([n])) for n in bounds)
    cut = index.slice_(x, model.constant(np.array([1])), starts, ends, steps)
    model.outputs = [activation.relu(cut)]
    device.export(model, tmp_path / "a.pt2")
    loaded = torch.export.load(tmp_path / "a.pt2").module()
    for size in range(1, 9):
        array = np.linspace(-1, 1, 2 * size, dtype=np.float32).reshape(2, size)
        (got,) = loaded(torch.from_numpy(array))
        np.testing.assert_array_equal(got.numpy(), run(model, array)[0])


def resize_by(mode: str, coordinates: str) -> Callable[[Value, Value], Value]:
    """By a mode of ONNX Resize, in its coordinates."""
    how = {"mode": mode, "coordinate_transformation_mode": coordinates, "axes": (2, 3)}
    return lambda x, factors: resize.resize(x, None, factors, None, **how)


def resize_linear_by(**how: Any) -> Callable[[Value, Value], Value]:
    return lambda x, factors: resize.resize_linear(x, None, factors, **how)


@pytest.mark.parametrize("scales", [(2, 3), (0.5, 1), (1 / 3, 1.5)], ids=str)
@pytest.mark.parametrize(
    "resized",
    [
        pytest.param(resize_by("nearest", "asymmetric"), id="nearest-asymmetric"),
        pytest.param(resize_by("linear", "half_pixel"), id="linear-half_pixel"),
        pytest.param(resize_by("linear", "align_corners"), id="linear-align_corners"),
        pytest.param(resize_by("cubic", "pytorch_half_pixel"), id="cubic-pytorch_half_pixel"),
        pytest.param(resize_linear_by(align_corners=True), id="RESIZE_LINEAR-align_corners"),
        pytest.param(resize_linear_by(align_corners=False, align_mode=0), id="RESIZE_LINEAR-0"),
    ],
)
@pytest.mark.long
def test_resizes_of_a_file_take_any_size(
    device: Torch,
    scales: tuple[float, ...],
    resized: Callable[[Value, Value], Value],
    tmp_path: Path,
) -> None:
    model = Model()
    x = model.input("x", f32(1, 2, symbol("h"), symbol("w")))
    factors = model.constant(np.array(scales, np.float32))
    model.outputs = [resized(x, factors)]
    device.export(model, tmp_path / "a.pt2")
    loaded = torch.export.load(tmp_path / "a.pt2").module()
    again = nna.compile(nna.load(tmp_path / "a.pt2"), "builtin")
    for sizes in ((1, 1), (3, 2), (4, 6), (7, 5)):
        array = np.random.default_rng(0).standard_normal((1, 2, *sizes), np.float32)
        (want,) = nna.compile(model, "builtin")(array)
        for (got,) in (loaded(torch.from_numpy(array)), again(array)):
            np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, atol=1e-5)


def test_products_of_a_file_take_any_number_of_rows(device: Torch, tmp_path: Path) -> None:
    model = Model()
    batch, length = symbol("batch"), symbol("length")
    x = model.input("x", f32(batch, length, 4))
    rows = shape.reshape(x, [1, -1, 4])
    weights = model.constant(np.arange(60, dtype=np.float32).reshape(3, 4, 5))
    again = linear.mat_mul(rows, weights)
    model.outputs = [
        linear.mat_mul(again, model.constant(np.ones((3, 2, 5), "f4")), transpose_y=True)
    ]
    device.export(model, tmp_path / "a.pt2")
    loaded = torch.export.load(tmp_path / "a.pt2").module()
    for sizes in ((1, 1), (2, 3)):
        array = np.random.default_rng(0).standard_normal((*sizes, 4), np.float32)
        (want,) = nna.compile(model, "builtin")(array)
        for got in (loaded(torch.from_numpy(array))[0], nna.compile(model, "torch")(array)[0]):
            np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, atol=1e-5)


def test_no_size_of_an_example_is_one() -> None:
    """Windows leave one row of small images, which torch takes for the only number there is."""
    model = Model()
    made = model.input("x", TensorType(F32, (symbol("n"), 2, symbol("h"), symbol("w"))))
    taps = model.constant(np.full((2, 2, 3, 3), 0.1, np.float32))
    how = {"strides": (2, 2), "pads": (1, 1, 1, 1), "dilations": (1, 1)}
    for _ in range(5):
        made = conv.conv_2d(made, taps, model.constant(np.zeros(2, np.float32)), **how)
    model.outputs = [made]
    for sizes in _examples(model)[:ATTEMPTS]:
        assert min(int(evaluate(d, sizes)) for d in made.shape) > 1


def test_what_cannot_be_exported_leaves_no_file(device: Torch, tmp_path: Path) -> None:
    model = Model()
    x, sizes = model.input("x", f32(6)), model.input("sizes", TensorType(I64, (2,)))
    model.outputs = [shape.reshape(x, sizes)]
    with pytest.raises(Unsupported, match="cannot export"):
        device.export(model, tmp_path / "a.pt2")
    with pytest.raises(Unsupported, match="opset"):
        device.export(mlp(), tmp_path / "a.pt2", opset=7)
    assert not list(tmp_path.iterdir())


def test_proposed_ranges() -> None:
    dims = {"n": torch.export.Dim("n"), "m": torch.export.Dim("m")}
    message = (
        "Suggested fixes:\n  n = Dim('n', max=64)\n  _m = Dim('_m', min=1, max=oo)\n  m = 2*_m\n"
    )
    made = _narrow_dims(dims, message)
    assert made is not None
    assert made["n"].max == 64
    assert _narrow_dims(dims, "Suggested fixes:\n  n = 3\n") is None


@pytest.mark.parametrize("pads", [None, (1, 0, 2, 1), (0, 3, 0, 0)])
def test_convolutions_pad_unevenly(pads: tuple[int, ...] | None) -> None:
    rng = np.random.default_rng(0)
    model = Model()
    x = model.input("x", f32(1, 2, 6, 7))
    w = model.constant(rng.normal(size=(4, 1, 3, 3)).astype(np.float32))
    b = model.constant(np.ones(4, np.float32))
    given: dict[str, Any] = {"pads": pads, "strides": (2, 1), "dilations": (1, 2)}
    model.outputs = [conv.conv_2d(x, w, b, group=2, **given)]
    array = rng.normal(size=(1, 2, 6, 7)).astype(np.float32)
    want = nna.compile(model, "builtin")(array)[0]
    np.testing.assert_allclose(run(model, array)[0], want, rtol=1e-5, atol=1e-5)


def test_long_integers_around_a_tensor() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.INT64, (2,)))
    model.outputs = [shape.pad(x, [1, 2], np.int64(2**63 - 1))]
    array = np.array([1, 2])
    (got,) = nna.compile(model, "torch")(array)
    np.testing.assert_array_equal(got, nna.compile(model)(array)[0])


def test_the_largest_of_nothing() -> None:
    def build(x: Value) -> Value:
        made: Value = reduce.reduce_max(x, [1])
        return made

    model = one(f32(2, symbol("n")), build)
    assert run(model, np.zeros((2, 0), np.float32))[0].tolist() == [[-np.inf], [-np.inf]]
    assert run(model, np.ones((2, 3), np.float32))[0].tolist() == [[1], [1]]


def test_a_run_that_fails_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """torch.fx would print where in a module's code it was."""
    model = Model()
    at = model.input("at", TensorType(Precision.INT64, (1,)))
    model.outputs = [index.gather(model.constant(np.zeros(3, np.float32)), at, axis=0)]
    program = nna.compile(model, "torch")
    with pytest.raises(DeviceError, match="index 7 is out of bounds"):
        program(np.array([7]))
    assert capfd.readouterr() == ("", "")
