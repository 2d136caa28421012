"""Large results of the openvino device are written where they are wanted, and to nobody else's."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import nnadapter as nna
from hal.runtime.program import Program
from nnir.model import Model, Value
from nnir.ops import activation, binary, conv, linear, shape
from nnir.types import Precision, TensorType

SIZES = (512, 600)
Make = Callable[[Value], list[Value]]


def product(x: Value) -> list[Value]:
    """Logits."""
    return [linear.mat_mul(x, x.model.constant(2 * np.eye(600, dtype=np.float32)))]


def rectified(x: Value) -> list[Value]:
    return [activation.relu(x)]


def convolved(x: Value) -> list[Value]:
    image = shape.reshape(x, x.model.constant(np.array([1, 1, *SIZES])))
    kernel = x.model.constant(np.full((1, 1, 1, 1), 3, np.float32))
    bias = x.model.constant(np.zeros(1, np.float32))
    return [conv.conv_2d(image, kernel, bias, strides=(1, 1), dilations=(1, 1))]


def given(x: Value) -> list[Value]:
    """An input, which OpenVINO does not write."""
    return [x]


def laid_out(x: Value) -> list[Value]:
    return [shape.reshape(x, x.model.constant(np.array(SIZES)))]


def nothing_more(x: Value) -> list[Value]:
    return [binary.add(x, 0.0)]


def twice(x: Value) -> list[Value]:
    (found,) = rectified(x)
    return [found, found]


def several(x: Value) -> list[Value]:
    (found,) = rectified(x)
    return [found, linear.mat_mul(found, found, transpose_y=True), x, activation.relu(-found)]


def weights(x: Value) -> list[Value]:
    return [activation.softmax(x, axis=-1)]


MAKERS = [product, rectified, weights, convolved, given, laid_out, nothing_more, twice, several]


def program_of(make: Make, **words: object) -> Program:
    model = Model("large")
    model.outputs = make(model.input("x", TensorType(Precision.FLOAT32, SIZES)))
    return nna.compile(model, "openvino", **words)


def wanted_of(make: Make, x: np.ndarray) -> list[np.ndarray]:
    model = Model("large")
    model.outputs = make(model.input("x", TensorType(Precision.FLOAT32, SIZES)))
    return nna.compile(model, "builtin")(x)


def numbers(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=SIZES).astype(np.float32)


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("restored", [False, True])
def test_results_are_ones_own(make: Make, tmp_path: Path, *, restored: bool) -> None:
    """What a call gave is what it was after the next one, and inputs stay as they are."""
    program_of(make, cache_dir=tmp_path, cache_token="one")
    program = (
        program_of(make, cache_dir=tmp_path, cache_token="one") if restored else program_of(make)
    )
    assert program.is_restored == restored
    first, second = numbers(1), numbers(2)
    one = program(first)
    kept = [a.copy() for a in one]
    two = program(second)
    for found, was, want in zip(one, kept, wanted_of(make, first), strict=True):
        np.testing.assert_array_equal(found, was)
        np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-3)
    for found, want in zip(two, wanted_of(make, second), strict=True):
        np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-3)
    for k, found in enumerate((*one, *two)):
        assert not any(np.shares_memory(found, other) for other in (*one, *two)[k + 1 :])
        found[...] = 7
    np.testing.assert_array_equal(first, numbers(1))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("fits", [False, True])
def test_memory_that_is_offered_is_used_where_it_fits(make: Make, *, fits: bool) -> None:
    program, x = program_of(make), numbers(3)
    wanted = wanted_of(make, x)
    offered = [
        np.full(w.shape, 7, np.float32) if fits else np.full((*w.shape, 2), 7, np.float32)[..., 0]
        for w in wanted
    ]
    found = program(x, outputs=offered)
    for place, array, want in zip(offered, found, wanted, strict=True):
        np.testing.assert_allclose(array, want, rtol=1e-5, atol=1e-3)
        assert array is place


def test_memory_of_an_input_is_not_written_while_it_is_read() -> None:
    program, x = program_of(product), numbers(4)
    (found,) = program(x, outputs=[x])
    assert found is x
    np.testing.assert_allclose(x, 2 * numbers(4), rtol=1e-6)


def test_threads_get_results_of_their_own() -> None:
    program = program_of(product)
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda k: program(numbers(k))[0], range(12))]
    for k, array in enumerate(found):
        np.testing.assert_allclose(array, 2 * numbers(k), rtol=1e-6)


def test_only_large_results_of_kernels_are_written() -> None:
    """Others are copied, which takes less time than to say where they go."""
    flags = {
        make.__name__: [end.is_written for end in program_of(make)._plan.steps[0].program.outputs]
        for make in MAKERS
    }
    assert flags.pop("several") == [False, True, False, False]
    written = {name for name, flag in flags.items() if flag[0]}
    assert written == {"product", "convolved", "weights"}
