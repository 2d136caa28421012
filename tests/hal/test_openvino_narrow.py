"""Elements that OpenVINO does not compute in, choices of wide integers, and files read back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hal.device import Cache
from hal.drivers.openvino import OpenVINO
from hal.drivers.openvino.elements import CARRIED
from nnir.errors import BadFile, DeviceError, NoLowering
from nnir.evaluate import evaluate
from nnir.model import Model, Value
from nnir.ops import binary, compare, index, quant, reduce, shape, unary
from nnir.types import Precision, TensorType

pytest.importorskip("openvino")
F32, F16 = Precision.FLOAT32, Precision.FLOAT16
EIGHTH = Precision.FLOAT8E8M0FNU
NARROW = sorted(CARRIED)
BYTES = np.arange(256, dtype=np.uint8)


@pytest.fixture(scope="module")
def device() -> Iterator[OpenVINO]:
    made = OpenVINO()
    made.open_device()
    yield made
    made.close_device()


def model_of(build: Callable[..., Any], *inputs: tuple[Precision, tuple[int, ...]]) -> Model:
    model = Model()
    values = [model.input(n, TensorType(p, s)) for n, (p, s) in zip("abc", inputs, strict=False)]
    made = build(*values)
    model.outputs = list(made) if isinstance(made, tuple) else [made]
    return model


def ran(device: OpenVINO, model: Model, *arrays: np.ndarray) -> list[np.ndarray]:
    program = device.create_program(device.create_context({}, None), model, None)
    return device.execute_program(program, arrays)


def cast(device: OpenVINO, array: np.ndarray, source: Precision, to: Precision) -> np.ndarray:
    model = model_of(lambda x: unary.cast(x, dtype=to), (source, array.shape))
    return ran(device, model, array)[0]


def reference(array: np.ndarray, to: Precision) -> np.ndarray:
    with np.errstate(all="ignore"):
        return unary.cast.reference(array, dtype=to)


def is_defined(x: np.ndarray, to: Precision) -> np.ndarray:
    """Not what no integer holds, and not NaN with a sign, which OpenVINO does not tell."""
    with np.errstate(invalid="ignore"):
        held = (np.abs(x.astype(np.float32)) < 1 << 31) | to.is_float
    return held & ~(np.isnan(x) & np.signbit(x))


def require_same(got: np.ndarray, want: np.ndarray, defined: Any) -> None:
    assert got.dtype == want.dtype
    lost = np.isnan(got.astype(np.float32)) & np.isnan(want.astype(np.float32))
    other = (got.view(np.uint8) != want.view(np.uint8)) & ~lost
    assert not np.flatnonzero(other & defined).size


def edges(to: Precision) -> np.ndarray:
    """What the type has, what lies between, and the float32 on both sides of each."""
    exact = BYTES.view(to.dtype).astype(np.float32)
    exact = np.unique(exact[np.isfinite(exact)])
    middles = exact[:-1] + (exact[1:] - exact[:-1]) / 2
    more = np.array([0, -0.0, np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-30, -1e-30], np.float32)
    all_ = np.concatenate([exact, middles, more])
    up, down = (np.nextafter(all_, np.float32(way)) for way in (np.inf, -np.inf))
    return np.concatenate([all_, up, down])


@pytest.mark.parametrize("to", NARROW, ids=lambda p: p.name)
def test_every_float16_becomes_narrow(device: OpenVINO, to: Precision) -> None:
    x = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16).view(np.float16)
    got = cast(device, x, F16, to)
    require_same(got, reference(x, to), is_defined(x, to))


@pytest.mark.parametrize("to", [p for p in NARROW if p != EIGHTH], ids=lambda p: p.name)
def test_float32_rounds_to_narrow(device: OpenVINO, to: Precision) -> None:
    noise = np.random.default_rng(1).integers(0, 1 << 32, 50000).astype(np.uint32)
    x = np.concatenate([edges(to), noise.view(np.float32)])
    require_same(cast(device, x, F32, to), reference(x, to), is_defined(x, to))


@pytest.mark.parametrize("to", NARROW, ids=lambda p: p.name)
def test_integers_become_narrow(device: OpenVINO, to: Precision) -> None:
    for source in ("int8", "uint8", "int32", "int64"):
        x = np.random.default_rng(2).integers(-300, 70000, 500).astype(source)
        require_same(cast(device, x, Precision[source.upper()], to), reference(x, to), True)


@pytest.mark.parametrize("source", NARROW, ids=lambda p: p.name)
def test_every_code_is_read(device: OpenVINO, source: Precision) -> None:
    """But for the smallest exponent, whose number OpenVINO takes for 0."""
    x = BYTES[source == EIGHTH :].view(source.dtype)
    for to in (F32, F16, Precision.BFLOAT16, Precision.INT32, Precision.UINT8, Precision.INT4):
        with np.errstate(invalid="ignore"):
            defined = (np.abs(x.astype(np.float32)) < 1 << 31) | to.is_float
        got, want = cast(device, x, source, to), reference(x, to)
        assert got.dtype == want.dtype
        kept = got.astype(np.float32)[defined], want.astype(np.float32)[defined]
        np.testing.assert_array_equal(*kept)


def test_narrow_elements_move(device: OpenVINO) -> None:
    def build(x: Value, flag: Value) -> tuple[Value, ...]:
        other = x.model.constant(np.array([[1, 2, 3]], Precision.INT4.dtype))
        joined = shape.concat(shape.transpose(x), shape.reshape(other, [3, 1]), axis=1)
        return joined, index.gather(joined, [2, 0]), compare.where(flag, x, other)

    model = model_of(build, (Precision.INT4, (2, 3)), (Precision.BOOL8, (2, 1)))
    x = np.arange(-3, 3).reshape(2, 3).astype(Precision.INT4.dtype)
    flag = np.array([[True], [False]])
    for got, want in zip(ran(device, model, x, flag), evaluate(model, [x, flag]), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got.astype(int), want.astype(int))


def test_narrow_elements_are_not_computed_with(device: OpenVINO) -> None:
    for build in (lambda x: binary.add(x, x), lambda x: compare.equal(x, x)):
        model = model_of(build, (Precision.FLOAT8E5M2, (2,)))
        (reason,) = device.explain_program(None, model)
        assert reason is not None
        assert "FLOAT8E5M2" in reason
        with pytest.raises(NoLowering, match="FLOAT8E5M2"):
            device.create_program(device.create_context({}, None), model, None)


def test_numbers_that_are_not_normal_have_no_exponent(device: OpenVINO) -> None:
    with pytest.raises(NoLowering, match=r"1\.2e-38"):
        cast(device, np.ones(2, np.float32), F32, EIGHTH)


def test_bits_stay(device: OpenVINO) -> None:
    pairs = [
        (Precision.UINT8, Precision.FLOAT8E4M3FN),
        (Precision.FLOAT8E5M2, Precision.INT8),
        (Precision.INT4, Precision.FLOAT4E2M1FN),
    ]
    for source, to in pairs:
        x = BYTES[:16].view(source.dtype)
        model = model_of(lambda v, to=to: unary.bit_cast(v, dtype=to), (source, x.shape))
        want = unary.bit_cast.reference(x, dtype=to)
        np.testing.assert_array_equal(ran(device, model, x)[0].view(np.uint8), want.view(np.uint8))


@pytest.mark.parametrize("to", [Precision.FLOAT8E4M3FN, Precision.UINT4, Precision.INT2])
def test_quantised_and_back(device: OpenVINO, to: Precision) -> None:
    def build(x: Value, scale: Value) -> tuple[Value, Value]:
        steps = quant.quantize_linear(x, scale, dtype=to, axis=0)
        return steps, quant.dequantize_linear(steps, scale, axis=0)

    model = model_of(build, (F32, (2, 50)), (F32, (2,)))
    x = np.random.default_rng(3).normal(size=(2, 50)).astype(np.float32) * 4
    scale = np.array([0.5, 0.125], np.float32)
    steps, real = ran(device, model, x, scale)
    want, back = evaluate(model, [x, scale])
    np.testing.assert_array_equal(steps.view(np.uint8), want.view(np.uint8))
    np.testing.assert_array_equal(real, back)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_choices_of_large_integers(device: OpenVINO, dtype: str) -> None:
    """What is chosen right behind a comparison keeps all its bits."""
    kind = Precision[dtype.upper()]

    def build(a: Value, b: Value, x: Value) -> tuple[Value, ...]:
        far = x.model.constant(np.array((1 << 31) - 1, dtype))
        chosen = compare.where(compare.equal(a, b), x, far)
        return reduce.reduce_min(compare.where(compare.less(a, b), x, far), [0]), chosen

    model = model_of(build, (kind, (4,)), (kind, (1,)), (kind, (4,)))
    x = np.array([(1 << 24) + 1, (1 << 30) + 1, 7, -(1 << 25) - 1], dtype)
    arrays = [np.array([1, 2, 2, 3], dtype), np.array([2], dtype), x]
    for got, want in zip(ran(device, model, *arrays), evaluate(model, arrays), strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_large_integers_are_compared(device: OpenVINO, dtype: str) -> None:
    """Neighbours that are the same in float32, and ends whose difference overflows."""
    kind, far = Precision[dtype.upper()], 1 << 30
    near = [k + d for k in (-far, -1, 0, 1 << 24, far) for d in (-1, 0, 1)]
    values = np.array([*near, -(1 << 31), (1 << 31) - 1], dtype)
    a, b = (v.reshape(-1) for v in np.meshgrid(values, values))
    tests = [
        *(compare.equal, compare.not_equal, compare.less),
        *(compare.less_equal, compare.greater, compare.greater_equal),
    ]

    def build(x: Value, y: Value) -> tuple[Value, ...]:
        low, high = (x.model.constant(np.array(v, dtype)) for v in (-far - 1, far + 1))
        kept = binary.min_(binary.max_(x, low), high)
        return (*(test(x, y) for test in tests), binary.max_(x, y), binary.min_(x, y), kept)

    model = model_of(build, (kind, a.shape), (kind, a.shape))
    for got, want in zip(ran(device, model, a, b), evaluate(model, [a, b]), strict=True):
        np.testing.assert_array_equal(got, want)


def test_a_file_is_read_back(device: OpenVINO, tmp_path: Path) -> None:
    def build(a: Value, b: Value, c: Value) -> tuple[Value, ...]:
        late = binary.sub(c, unary.cast(b, dtype=F32))
        wave = unary.cast(a, dtype=Precision.COMPLEX64)
        return binary.mul(late, a), shape.transpose(b), binary.mul(wave, wave), a

    model = model_of(build, (F32, (2,)), (Precision.INT4, (1, 2)), (F32, (1, 2)))
    path = tmp_path / "model.xml"
    device.export(model, path)
    ends = [[v.type for v in values] for values in (model.inputs, model.outputs)]
    program = device.import_program(device.create_context({}, None), path, *ends)
    arrays = [
        np.array([1, 2], np.float32),
        np.array([[3, -4]], Precision.INT4.dtype),
        np.array([[5, 6]], np.float32),
    ]
    found = device.execute_program(program, arrays)
    for got, want in zip(found, evaluate(model, arrays), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got.astype(complex), want.astype(complex))


def test_a_file_of_others_is_refused(device: OpenVINO, tmp_path: Path) -> None:
    context, path = device.create_context({}, None), tmp_path / "model.xml"
    with pytest.raises(BadFile, match=r"model\.xml"):
        device.import_program(context, path, [], [])
    device.export(model_of(lambda x: unary.neg(x), (F32, (2,))), path)
    with pytest.raises(BadFile, match="f32"):
        device.import_program(context, path, [TensorType(F16, (2,))], [TensorType(F32, (2,))])


def test_no_reduced_axes_are_all(device: OpenVINO) -> None:
    model = model_of(lambda x, a: reduce.reduce_sum(x, a), (F32, (2, 3)), (Precision.INT64, (0,)))
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert ran(device, model, x, np.empty(0, np.int64))[0].tolist() == [[15.0]]


def test_a_buffer_in_a_map_is_restored(device: OpenVINO) -> None:
    model = model_of(lambda x: unary.cast(x, dtype=Precision.FLOAT8E5M2), (F32, (3,)))
    context = device.create_context({}, None)
    cache = Cache([v.type for v in model.inputs], [v.type for v in model.outputs])
    program = device.create_program(context, model, cache)
    cache.view = memoryview(bytearray(cache.buffer))
    again = device.create_program(context, None, cache)
    x = np.array([1, -0.0, 9], np.float32)
    first, second = (device.execute_program(p, [x])[0] for p in (program, again))
    assert first.dtype == second.dtype == Precision.FLOAT8E5M2.dtype
    assert first.tobytes() == second.tobytes()
    cache.view = memoryview(cache.buffer)[:-1]
    with pytest.raises(DeviceError, match="damaged"):
        device.create_program(context, None, cache)
