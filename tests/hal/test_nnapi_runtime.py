"""Our implementation of the HAL: calls, order, status codes; integers by every pair of bytes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from hal.drivers.nnapi.kernels import fixed
from hal.drivers.nnapi.runtime import SoftwareDevice
from nnir.formats.nnapi.operations import SIGNATURES
from nnir.formats.nnapi.structures import (
    DataLocation,
    DeviceStatus,
    ErrorStatus,
    Model,
    Operand,
    OperandType,
    OperationType,
    Request,
    RequestArgument,
)

from ..nnir.nnapi_models import ALL, build, one
from .nnapi_mutations import run, starts

ADD = one("ADD", [(2, 3), (2, 3)], {"fuse_code": 0})
X = np.arange(6, dtype=np.float32).reshape(2, 3)
BROKEN = replace(ADD, output_indexes=())


def request(*arrays: np.ndarray, out: int, dims: tuple[int, ...]) -> Request:
    """A request with a pool for each argument, the last one of the result."""
    pools = [np.ascontiguousarray(a).reshape(-1).view(np.uint8) for a in arrays]
    pools.append(np.zeros(out, np.uint8))
    arguments = [RequestArgument(False, DataLocation(k, 0, len(p))) for k, p in enumerate(pools)]
    arguments[-1] = replace(arguments[-1], dimensions=dims)
    return Request(tuple(arguments[:-1]), tuple(arguments[-1:]), tuple(pools))


def prepare(model: Model):
    status, prepared = SoftwareDevice().prepare_model(model)
    assert status == ErrorStatus.NONE
    return prepared


def test_a_device_says_what_it_is() -> None:
    device = SoftwareDevice()
    assert device.get_status() == DeviceStatus.AVAILABLE
    status, capabilities = device.get_capabilities()
    assert status == ErrorStatus.NONE
    assert capabilities.float32_performance.exec_time == 1
    assert device.get_supported_operations(ADD) == (ErrorStatus.NONE, [True])


def test_every_operation_is_supported() -> None:
    device = SoftwareDevice()
    models = {m.operations[0].type: m for m in starts()}
    assert set(models) == set(SIGNATURES)
    for model in models.values():
        assert device.get_supported_operations(model) == (ErrorStatus.NONE, [True])


def test_an_invalid_model_is_an_invalid_argument() -> None:
    device = SoftwareDevice()
    assert device.get_supported_operations(BROKEN) == (ErrorStatus.INVALID_ARGUMENT, [])
    assert device.prepare_model(BROKEN) == (ErrorStatus.INVALID_ARGUMENT, None)


def test_calls_behind_the_end_are_unavailable() -> None:
    device = SoftwareDevice()
    _, prepared = device.prepare_model(ADD)
    device.close()
    assert device.get_status() == DeviceStatus.OFFLINE
    gone = ErrorStatus.DEVICE_UNAVAILABLE
    assert device.get_capabilities()[0] == gone
    assert device.get_supported_operations(ADD) == (gone, [])
    assert device.prepare_model(ADD) == (gone, None)
    assert prepared is not None
    assert prepared.execute(request(X, X, out=24, dims=(2, 3))) == gone
    device.close()
    assert device.get_status() == DeviceStatus.OFFLINE


def test_a_request_runs_as_often_as_it_is_made() -> None:
    prepared = prepare(ADD)
    for factor in (1, 2):
        asked = request(X * factor, X, out=24, dims=(2, 3))
        assert prepared.execute(asked) == ErrorStatus.NONE
        found = asked.pools[-1].view(np.float32).reshape(2, 3)
        assert np.array_equal(found, X * factor + X)


@pytest.mark.parametrize(
    ("out", "dims", "status"),
    [
        (20, (2, 3), ErrorStatus.OUTPUT_INSUFFICIENT_SIZE),
        (28, (2, 3), ErrorStatus.INVALID_ARGUMENT),
        (24, (), ErrorStatus.INVALID_ARGUMENT),
        (24, (6,), ErrorStatus.INVALID_ARGUMENT),
        (24, (3, 2), ErrorStatus.INVALID_ARGUMENT),
        (0, (2, 3), ErrorStatus.OUTPUT_INSUFFICIENT_SIZE),
    ],
)
def test_an_output_has_the_size_of_the_result(out: int, dims: tuple[int, ...], status: int) -> None:
    asked = request(X, X, out=out, dims=dims)
    assert prepare(ADD).execute(asked) == status
    assert not asked.pools[-1].any()  # nothing is written unless all went well


def test_memory_that_is_not_writable_takes_no_output() -> None:
    asked = request(X, X, out=24, dims=(2, 3))
    asked.pools[-1].flags.writeable = False
    assert prepare(ADD).execute(asked) == ErrorStatus.INVALID_ARGUMENT


def test_open_dimensions_are_filled_by_the_request() -> None:
    prepared = prepare(one("ADD", [(0, 3), (2, 3)], {"fuse_code": 0}))
    asked = request(X, X, out=24, dims=(2, 3))
    assert prepared.execute(asked) == ErrorStatus.INVALID_ARGUMENT
    first = replace(asked.inputs[0], dimensions=(2, 3))
    asked = replace(asked, inputs=(first, asked.inputs[1]))
    assert prepared.execute(asked) == ErrorStatus.NONE
    assert np.array_equal(asked.pools[-1].view(np.float32), (X + X).reshape(-1))


def test_data_that_an_operation_refuses_is_a_failure() -> None:
    prepared = prepare(one("EMBEDDING_LOOKUP", [("i", 2), (3, 2)]))
    rows = np.array([0, 3], np.int32)
    table = np.ones((3, 2), np.float32)
    asked = request(rows, table, out=16, dims=(2, 2))
    assert prepared.execute(asked) == ErrorStatus.GENERAL_FAILURE
    asked = request(rows % 3, table, out=16, dims=(2, 2))
    assert prepared.execute(asked) == ErrorStatus.NONE


def test_keys_that_do_not_ascend_are_a_failure() -> None:
    wanted, rows = np.array([1], np.int32), np.ones((2, 2), np.float32)
    for keys, status in (([1, 3], ErrorStatus.NONE), ([3, 1], ErrorStatus.GENERAL_FAILURE)):
        model = build("HASHTABLE_LOOKUP", [("i", 1), np.array(keys, np.int32), (2, 2)])
        asked = request(wanted, rows, out=8, dims=(1, 2))
        hits = RequestArgument(False, DataLocation(3, 0, 1), (1,))
        pools = (*asked.pools, np.zeros(1, np.uint8))
        asked = replace(asked, outputs=(*asked.outputs, hits), pools=pools)
        assert prepare(model).execute(asked) == status


def test_an_optional_input_may_be_left_out() -> None:
    model = ALL["svdf"]()
    prepared = prepare(model)
    sizes = ((2, 3), (6, 3), (6, 4), (3,), (2, 18))
    arrays = [np.full(s, 0.5, np.float32) for s in sizes]
    pools = [a.reshape(-1).view(np.uint8) for a in arrays]
    pools += [np.zeros(4 * 2 * 18, np.uint8), np.zeros(4 * 2 * 3, np.uint8)]
    given = [RequestArgument(False, DataLocation(k, 0, len(p))) for k, p in enumerate(pools)]
    given[5:] = [replace(given[5], dimensions=(2, 18)), replace(given[6], dimensions=(2, 3))]
    asked = Request(tuple(given[:5]), tuple(given[5:]), tuple(pools))
    assert prepared.execute(asked) == ErrorStatus.NONE
    with_bias = pools[6].view(np.float32).copy()
    left = replace(asked, inputs=(*given[:3], RequestArgument(True), given[4]))
    assert prepared.execute(left) == ErrorStatus.NONE
    assert np.allclose(with_bias - pools[6].view(np.float32), 0.5)
    wrong = replace(asked, inputs=(RequestArgument(True), *given[1:5]))
    assert prepared.execute(wrong) == ErrorStatus.INVALID_ARGUMENT


def test_mutations_are_refused_or_give_equal_results() -> None:
    """Some of the 20,000 that `python -m tests.hal.nnapi_mutations` tries."""
    found, problems = run(400, seed=7)
    assert problems == []
    assert found["equal"] > 20
    assert found["refused"] > 100


# Integers

OUT = Operand(OperandType.TENSOR_QUANT8_ASYMM, (1,), scale=0.05, zero_point=7)


def exactly(sums: np.ndarray, multiplier: float, out: Operand) -> list[int]:
    """Rounding half to even and saturation, in whole fractions."""
    factor = Fraction(multiplier)
    return [min(max(round(int(s) * factor) + out.zero_point, 0), 255) for s in sums.reshape(-1)]


@pytest.mark.parametrize("multiplier", [0.5, 0.25, 2.0, 1 / 3, 0.0123456])
def test_every_product_of_bytes_rounds_half_to_even(multiplier: float) -> None:
    sums = np.unique(np.outer(np.arange(-255, 256), np.arange(-255, 256)))
    found = fixed.rescale(sums.astype(np.int32), multiplier, OUT)
    assert found.tolist() == exactly(sums, multiplier, OUT)


def test_every_byte_comes_back_from_its_real_number() -> None:
    codes = np.arange(256, dtype=np.uint8)
    for zero in range(256):
        operand = replace(OUT, zero_point=zero)
        assert np.array_equal(fixed.quantize(fixed.dequantize(codes, operand), operand), codes)


def test_activations_leave_the_integers_of_their_real_numbers() -> None:
    reals = np.linspace(-9, 9, 4001)
    for code, (low, high) in fixed.REALS.items():
        found = fixed.quantize(reals, OUT, code)
        want = fixed.quantize(np.clip(reals, low, high), OUT)
        assert np.array_equal(found, want)
        assert all(a <= b for a, b in pairwise(found.tolist()))


def test_sums_wrap_around_at_32_bits() -> None:
    assert fixed.wrap(np.array([2.0**31, -(2.0**31) - 1])).tolist() == [-(2**31), 2**31 - 1]


@pytest.mark.parametrize("terms", [1, 200, 300, 5000])
def test_products_of_matrices_are_exact(terms: int) -> None:
    rng = np.random.default_rng(terms)
    a = rng.integers(-255, 256, (3, terms)).astype(np.int32)
    b = rng.integers(-255, 256, (terms, 4)).astype(np.int32)
    assert np.array_equal(fixed.multiply(a, b), a.astype(np.int64) @ b.astype(np.int64))


def test_the_codes_are_those_of_the_text() -> None:
    assert [t.value for t in OperationType] == [*range(29), 10000]
    assert [s.value for s in ErrorStatus] == [0, 1, 2, 3, 4]
