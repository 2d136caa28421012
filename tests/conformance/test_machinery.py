"""Comparison, channels and oracles: they see what is wrong and survive what dies."""

from __future__ import annotations

import io
from pathlib import Path
from threading import Thread

import ml_dtypes
import numpy as np
import pytest

from conformance.case import EXACT, Case, Limit, Tolerance, f, i, rand
from conformance.judging.compare import compare
from conformance.judging.type_rules import problem
from conformance.oracles.oracle import Oracle
from conformance.processes import channel
from conformance.processes.worker import FOLDER
from conformance.verifying.inputs import random_inputs
from nnir.dim import symbol
from nnir.errors import BadInput, DeviceError, Unsupported
from nnir.model import Model
from nnir.ops import binary
from nnir.types import Precision, TensorType

NAN, INF = np.nan, np.inf
FOUR_BITS = np.array([0x11], np.uint8).view(ml_dtypes.int4)
"""A 1 with other bits than those that it has."""


@pytest.mark.parametrize(
    ("got", "want", "tolerance", "text"),
    [
        (f(1, 2), f(1, 2), EXACT, None),
        (f(NAN, INF, -INF), f(NAN, INF, -INF), EXACT, None),
        (f(1), f(1.5), Tolerance(absolute=0.5), None),
        (f(100), f(101), Tolerance(relative=0.01), None),
        (f(1, 3), f(1, 2), EXACT, r"1 of 2 elements differ, worst at \[1\]: 3\.0 instead of 2\.0"),
        (f(NAN), f(1), Tolerance(absolute=1e9), "1 of 1"),
        (f(INF), f(-INF), Tolerance(absolute=1e9), "1 of 1"),
        (f(1), f(INF), Tolerance(relative=1e9), "1 of 1"),
        (f(1), i(1), EXACT, "precision float32, not int64"),
        (f(1), f(1, 1), EXACT, r"shape \[1\], not \[2\]"),
        (i(2**62), i(2**62 + 1), EXACT, "1 of 1"),
        (np.array([True]), np.array([False]), EXACT, "1 of 1"),
        (f(), f(), EXACT, None),
        (f(1, dtype=ml_dtypes.bfloat16), f(2, dtype=ml_dtypes.bfloat16), EXACT, "1 of 1"),
        (np.array([1 + 2j]), np.array([1 + 3j]), EXACT, "1 of 1"),
        (FOUR_BITS, f(1, dtype=ml_dtypes.int4), EXACT, "bits that int4 has not"),
    ],
)
def test_compare(got: np.ndarray, want: np.ndarray, tolerance: Tolerance, text: str | None) -> None:
    found = compare(got, want, tolerance).problem
    if text is None:
        assert found is None
    else:
        with pytest.raises(AssertionError, match=text):
            raise AssertionError(found)


def test_distances() -> None:
    found = compare(f(1, 2.0000002), f(1, 2), EXACT)
    assert found.max_ulp == 1
    assert found.index == (1,)
    assert found.max_absolute == pytest.approx(2.4e-7, rel=0.1)


@pytest.mark.parametrize(
    "dtype", [np.float32, np.bool_, ml_dtypes.bfloat16, ml_dtypes.int4, np.complex64]
)
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_arrays_cross_the_channel(dtype: type, shape: tuple[int, ...]) -> None:
    stream = io.BytesIO()
    array = np.ones(shape, dtype)
    channel.send(stream, {"a": 1}, [array, array], b"blob")
    stream.seek(0)
    head, arrays, blob = channel.receive(stream)
    assert head["a"] == 1
    assert blob == b"blob"
    assert [(a.dtype, a.shape) for a in arrays] == [(array.dtype, shape)] * 2
    with pytest.raises(EOFError):
        channel.receive(stream)


def test_large_arrays_cross_in_files(tmp_path: Path) -> None:
    stream = io.BytesIO()
    array = np.arange(1 << 19, dtype=np.float32).reshape(2, -1)
    channel.send(stream, {}, [array, f(1)], folder=str(tmp_path))
    assert stream.tell() < 1000
    assert len(list(tmp_path.iterdir())) == 1
    stream.seek(0)
    _, (first, second), _ = channel.receive(stream)
    np.testing.assert_array_equal(first, array)
    assert second == 1
    assert not list(tmp_path.iterdir())
    with Oracle("tests.conformance.dying_oracle", timeout=30) as oracle:
        (back,) = oracle.ask({"how": "answer"}, [array])
        np.testing.assert_array_equal(back, array)


def test_a_worker_keeps_its_files_with_those_of_its_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that they go with the parent's, however suddenly the parent is stopped."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    with Oracle("tests.conformance.dying_oracle", timeout=30) as oracle:
        oracle.ask({"how": "answer"}, [f(1)])
        (inside,) = tmp_path.iterdir()
        assert inside.is_dir()
    assert not list(tmp_path.iterdir())


def test_an_oracle_survives_a_refusal(oracle: Oracle) -> None:
    with pytest.raises(Unsupported, match="the origin framework refuses"):
        oracle.ask({}, [], b"not a model")
    with pytest.raises(Unsupported):
        oracle.ask({}, [], b"not a model either")


def test_an_oracle_that_dies_is_replaced() -> None:
    with Oracle("tests.conformance.dying_oracle", timeout=5) as dying:
        with pytest.raises(DeviceError, match="died"):
            dying.ask({"how": "exit"}, [])
        dying.timeout = 0.5
        with pytest.raises(DeviceError, match="hangs"):
            dying.ask({"how": "hang"}, [])
        dying.timeout = 30
        assert dying.ask({"how": "answer"}, [f(1)])[0] == 1


def test_an_oracle_outlives_the_thread_that_asks_first() -> None:
    with Oracle("tests.conformance.dying_oracle", timeout=30) as oracle:
        thread = Thread(target=oracle.ask, args=({"how": "answer"}, [f(1)]))
        thread.start()
        thread.join()
        first = oracle.pid
        assert first is not None
        assert oracle.ask({"how": "answer"}, [f(2)])[0] == 2
        assert oracle.pid == first


def test_limits_match_by_device_type_and_name() -> None:
    case = Case("Add", (f(1), f(2)), why="plain sum")
    assert Limit("Add", "x").matches(case, "any")
    assert Limit("Add", "x", device="a", dtype="float32", case="sum").matches(case, "a")
    assert not Limit("Add", "x", device="a").matches(case, "b")
    assert not Limit("Add", "x", dtype="int64").matches(case, "a")


def test_random_inputs_are_the_same_each_time() -> None:
    model = Model()
    model.input("x", TensorType(Precision.FLOAT32, (symbol("n"), 3)))
    model.input("i", TensorType(Precision.INT64, (symbol("n"),)))
    first, again = random_inputs(model, 1, {"n": 4}), random_inputs(model, 1, {"n": 4})
    assert [a.shape for a in first] == [(4, 3), (4,)]
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    with pytest.raises(BadInput, match="no dimension z"):
        random_inputs(model, 1, {"z": 4})
    assert rand(2, 3).tolist() == rand(2, 3).tolist()


def test_a_wrong_rule_is_found() -> None:
    model = Model()
    x = model.input("x", TensorType(Precision.FLOAT32, (2, 3)))
    operation = binary.add(x, x).producer
    arrays = [np.ones((2, 3), np.float32)] * 2
    assert problem(operation, arrays, [np.ones((2, 3), np.float32)]) is None
    assert "gives float64" in str(problem(operation, arrays, [np.ones((2, 3))]))
    assert "gives shape [3]" in str(problem(operation, arrays, [np.ones(3, np.float32)]))
