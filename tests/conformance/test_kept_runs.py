"""What devices make of models is kept, and taken again only where all is as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conformance.case import type_of
from conformance.engines import runs
from conformance.engines.runs import KeptRuns, keeping, run
from conformance.processes.answer_store import AnswerStore
from conformance.running.identity import code, identity
from hal.emission import decompositions
from nnir import Model
from nnir.errors import NoLowering
from nnir.ops import activation

X = np.array([[0.5, -1.0, 2.0]], np.float32)
ENGINE = "onnxruntime"


def model(shift: float = 0.0) -> Model:
    found = Model("kept")
    x = found.input("x", type_of(X))
    found.outputs = [activation.softmax(x + shift, axis=-1)]
    return found


@pytest.fixture
def kept(tmp_path: Path) -> KeptRuns:
    return KeptRuns(AnswerStore(tmp_path / "runs.sqlite"), lambda device: f"this {device}")


class Counting:
    """How often a device really runs."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self._run = runs._run
        patch.setattr(runs, "_run", self)

    def __call__(self, *given: object) -> list[np.ndarray]:
        self.count += 1
        return self._run(*given)  # type: ignore[arg-type]


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> Counting:
    return Counting(monkeypatch)


def test_a_run_is_kept_by_model_inputs_and_device(kept: KeptRuns, counting: Counting) -> None:
    with keeping(kept):
        (first,) = run(model(), ENGINE, [X])
        (again,) = run(model(), ENGINE, [X])
        assert counting.count == 1
        assert np.array_equal(first, again)
        assert first.dtype == again.dtype
        run(model(), ENGINE, [X * 2])
        run(model(1.0), ENGINE, [X])
        run(model(), "builtin", [X])
        assert counting.count == 4
    run(model(), ENGINE, [X])
    assert counting.count == 5


def test_what_is_not_the_same_is_asked_again(tmp_path: Path, counting: Counting) -> None:
    store = AnswerStore(tmp_path / "runs.sqlite")
    for version in ("1", "2", "2"):
        with keeping(KeptRuns(store, lambda device, version=version: version)):
            run(model(), ENGINE, [X])
    assert counting.count == 2
    with keeping(KeptRuns(store, lambda device: None)):
        run(model(), ENGINE, [X])
        run(model(), ENGINE, [X])
    assert counting.count == 4


def test_refusals_and_decompositions_are_kept(
    kept: KeptRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> list[np.ndarray]:
        with decompositions() as found:
            found["litert", "SOFTMAX"] += 1
        runs.add_decompositions(found)
        error = NoLowering("nothing")
        error.add_note("in y")
        raise error

    monkeypatch.setattr(runs, "_run", refuse)
    told = []
    for _ in range(2):
        with keeping(kept), decompositions() as found:
            with pytest.raises(NoLowering, match="nothing") as raised:
                run(model(), "litert", [X])
            told.append((raised.value.__notes__, dict(found)))
        monkeypatch.setattr(runs, "_run", lambda *_: pytest.fail("it is asked again"))
    assert told[0] == told[1] == (["in y"], {("litert", "SOFTMAX"): 1})


def test_a_bug_is_not_kept(kept: KeptRuns, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> list[np.ndarray]:
        raise TypeError

    monkeypatch.setattr(runs, "_run", fail)
    with keeping(kept), pytest.raises(TypeError):
        run(model(), ENGINE, [X])
    assert not kept.has(model(), ENGINE, [X])


def test_who_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    assert identity("builtin") is None
    assert identity("a device of others") is None
    found = identity(ENGINE)
    assert found is not None
    assert code(ENGINE) in found
    assert code("openvino") != code(ENGINE)
    identity.cache_clear()
    monkeypatch.setenv("OMP_NUM_THREADS", "77")
    assert identity(ENGINE) != found
    identity.cache_clear()


def test_a_full_store_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    first = AnswerStore(path)
    first.put(b"key", {"x": 1}, [np.zeros(99_999)])
    first.close()
    small = AnswerStore(path, most=10_000)
    assert small.get(b"key") is None
    small.close()
    assert path.stat().st_size < 100_000
