"""Cases whose programs are compiled as one: what is said of each is what is said of it alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.judging.result import CRASH, PASS, REFUSED, WRONG, Result
from conformance.processes.worker import Lost
from conformance.running import conform as running
from conformance.running import packs
from conformance.running.runner import Runner
from conformance.running.suite import Options
from hal.drivers.openvino.driver import LOWERINGS
from hal.runtime import manager
from hal.runtime.program import Program
from nnir.dim import symbol
from nnir.errors import DeviceError
from nnir.model import Model
from nnir.ops import binary, unary
from nnir.types import Precision, TensorType

OPTIONS = Options(
    frontends=("onnx",), devices=("openvino",), op="Abs,Neg,If,Mod", yardstick=False, fresh=True
).as_dict()


@pytest.fixture(scope="module")
def runner() -> Iterator[Any]:
    """What answers in a process that runs cases, and the cases."""
    made = Runner()
    items = made.answer({"plan": OPTIONS}, [], b"")["items"]
    yield made, [[*i, "openvino"] for i in items]
    made.close()


class Core:
    """An OpenVINO that counts what it compiles, and refuses graphs with an operation."""

    def __init__(self, device: Any, refused: str = "") -> None:
        self._core, self._refused = device.core, refused
        self.graphs: list[int] = []

    def compile_model(self, graph: Any, *rest: Any) -> Any:
        if any(node.get_type_name() == self._refused for node in graph.get_ops()):
            raise RuntimeError(f"no {self._refused} today")
        self.graphs.append(len(graph.get_results()))
        return self._core.compile_model(graph, *rest)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)


def results(found: list[list[dict[str, Any]]]) -> list[Result]:
    """Without what no two runs have in common."""
    return [replace(Result.of(r), seconds=0.0) for part in found for r in part]


@pytest.mark.parametrize("bug", [None, "wrong", "refused"])
@pytest.mark.long
def test_what_is_said_is_what_is_said_of_each_alone(
    bug: str | None, runner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`wrong`: negations that forget the sign, in the same packs as what is right."""
    made, tasks = runner
    device: Any = manager.acquire("openvino")
    if bug == "wrong":
        entries = {**LOWERINGS.entries, unary.neg: LOWERINGS.entries[unary.abs_]}
        monkeypatch.setattr(LOWERINGS, "entries", entries)
    core = Core(device, "Abs" if bug == "refused" else "")
    monkeypatch.setattr(device, "core", core)
    answers = [made.answer({"run": task, "options": OPTIONS}, [], b"") for task in tasks]
    alone = results([a["results"] for a in answers])
    count = len(core.graphs)
    packed = made.answer({"runs": tasks, "options": OPTIONS}, [], b"")["results"]
    assert results(packed) == alone
    assert {r.verdict for r in alone} >= {PASS, REFUSED} | ({WRONG} if bug == "wrong" else set())
    if bug is None:
        assert max(core.graphs[:count]) < 5
        assert max(core.graphs[count:]) > 20


def test_a_pack_whose_process_dies_is_run_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that only the case that kills the process is told to."""
    asked = []

    class Dying:
        def call(self, head: dict[str, Any], arrays: list[np.ndarray]) -> Any:
            asked.append(head)
            if "runs" in head or head["run"][3] == "b":
                raise Lost(CRASH, "it died")
            return {"data": {"results": [Result(*head["run"], PASS).as_dict()]}}, []

    class Hands:
        def of(self, run: str, options: Options) -> Dying:
            return Dying()

    monkeypatch.setattr(running, "_HANDS", Hands())
    tasks = tuple(("cases", "onnx", "Abs", name, "openvino") for name in "abc")
    options = Options(devices=("openvino",), packed=True).as_dict()
    found = results(running.work(running.Batch("run", tasks, options)))
    assert [r.verdict for r in found] == [PASS, CRASH, PASS]
    assert [next(iter(head)) for head in asked] == ["runs", "run", "run", "run"]


def program(operator: Any, *shapes: tuple[Any, ...]) -> Any:
    """A function that compiles and runs one operator on numbers from 1."""
    model = Model()
    values = [model.input(f"x{k}", TensorType(Precision.FLOAT32, s)) for k, s in enumerate(shapes)]
    model.outputs = [operator(*values)]
    arrays = [np.arange(1, 4, dtype=np.float32) * (k + 1) for k, _ in enumerate(shapes)]

    def run() -> np.ndarray:
        with Program(model, "openvino") as compiled:
            (found,) = compiled(*arrays)
        return found

    return run


def test_programs_with_the_same_names_and_symbols_are_kept_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of seven, three with sizes that are known and four with open ones: two graphs."""
    size = symbol("n")
    jobs = [
        *(program(op, (3,)) for op in (unary.neg, unary.abs_, unary.exp)),
        *(program(op, (size,)) for op in (unary.neg, unary.sqrt, unary.exp)),
        program(binary.add, (size,), (size,)),
    ]
    alone = [job() for job in jobs]
    device: Any = manager.acquire("openvino")
    core = Core(device)
    monkeypatch.setattr(device, "core", core)
    packed = packs.run_packed(jobs, lambda found: True)
    assert core.graphs == [3, 4]
    for mine, theirs in zip(packed, alone, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_a_pack_that_fails_is_run_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    device: Any = manager.acquire("openvino")
    monkeypatch.setattr(device, "core", Core(device, "Exp"))
    jobs = [program(op, (3,)) for op in (unary.neg, unary.abs_)]
    for mine, job in zip(packs.run_packed(jobs, lambda found: True), jobs, strict=True):
        np.testing.assert_array_equal(mine, job())
    with pytest.raises(DeviceError, match="refused the program: no Exp today"):
        packs.run_packed([*jobs, program(unary.exp, (3,))], lambda found: True)


def test_a_result_that_is_not_clean_is_that_of_the_job_alone() -> None:
    calls = []

    def job() -> str:
        calls.append(program(unary.neg, (3,))())
        return "wrong" if len(calls) == 1 else "right"

    assert packs.run_packed([job], lambda found: found == "right") == ["right"]
    assert len(calls) == 2


def test_what_runs_nothing_on_the_device_runs_once_and_raises_as_it_is() -> None:
    calls = []

    def job() -> None:
        calls.append(1)
        raise KeyError("a bug")

    with pytest.raises(KeyError, match="a bug"):
        packs.run_packed([job], lambda found: True)
    assert calls == [1]
