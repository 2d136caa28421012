"""`check` says yes where `convert` writes a file, and no where it refuses: cases of frontends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import onnx
import pytest

import nnadapter as nna
from conformance import ledger
from conformance.engines.engine import Answer
from conformance.suites.operators import book
from hal.runtime import manager
from nnadapter import conversion
from nnadapter.conversion import Given, Plan
from nnadapter.outputs import Sources
from nnadapter.readiness.checking import ask_target
from nnir.errors import NNAdapterError
from nnir.model import Model

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
FORMATS = {"onnxruntime": ".onnx", "litert": ".tflite", "openvino": ".xml"}
FRONTENDS = ("nnir", "onnx", "torch", "tensorflow", "paddle")
"""Those whose cases need no other process to become models."""

MANY = 24
ALIKE = 3
"""So many cases of a frontend that a device refuses, and so many that it takes; so many of them of
one operator."""

FEW = 8

PLAN = Plan(verify=False)


@pytest.fixture(autouse=True)
def known_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    """The installed devices, looked for once."""
    found = manager.classes()
    monkeypatch.setattr(manager, "classes", lambda: found)


def writes(model: Model, target: Path, plan: Plan = PLAN) -> bool:
    """Whether `convert` writes a model, which it really does; nothing is left of it."""
    try:
        conversion.convert(model, target, plan, lambda: model, nna.load)
    except NNAdapterError:
        return False
    assert target.exists()
    for path in target.parent.iterdir():
        path.unlink()
    return True


def sample(frontend: str, device: str) -> Iterator[tuple[str, Model]]:
    """Models of cases that a device refuses, and of such as it takes."""
    kept, left = ledger.read(frontend), {True: MANY, False: MANY}
    seen: Counter[tuple[str, bool]] = Counter()
    for name, (engine, case) in book(frontend).cases.items():
        rows = kept.get(case.op)
        if rows is None or case.raises is not None or name.startswith("model-"):
            continue
        is_refused = rows.of(name, device).startswith("refused")
        if not left[is_refused] or seen[case.op, is_refused] == ALIKE:
            continue
        seen[case.op, is_refused] += 1
        try:
            model = engine.model(case, Answer([], made=getattr(case, "outputs", 1)))
        except NNAdapterError:
            continue
        left[is_refused] -= 1
        yield name, model


@pytest.mark.parametrize("frontend", FRONTENDS)
@pytest.mark.parametrize("device", FORMATS)
def test_check_says_what_convert_does(frontend: str, device: str, tmp_path: Path) -> None:
    target = tmp_path / f"m{FORMATS[device]}"
    verdicts = []
    for name, model in sample(frontend, device):
        said = is_ready(model, target)
        assert not any(tmp_path.iterdir()), name
        assert said is writes(model, target), name
        verdicts.append(said)
    assert verdicts.count(True) >= FEW
    assert verdicts.count(False) >= (0 if device == "onnxruntime" else FEW)


def is_ready(model: Model, target: Path) -> bool:
    """What `check` answers, without the commands that would help."""
    answer = ask_target(Given(model, Sources([])), target, PLAN, cures=False)
    assert bool(answer) is not bool(answer.missing)
    assert bool(answer) is not bool(answer.error)
    return bool(answer)


@pytest.mark.parametrize("suffix", FORMATS.values())
@pytest.mark.parametrize("name", ["light_squeezenet", "light_shufflenet"])
def test_whole_networks(name: str, suffix: str, tmp_path: Path) -> None:
    model = nna.load(LIGHT / f"{name}.onnx")
    target = tmp_path / f"m{suffix}"
    assert is_ready(model, target) is writes(model, target) is True


@pytest.mark.parametrize(
    "plan",
    [
        replace(PLAN, optimize=True),
        replace(PLAN, standard="v1.1"),
        replace(PLAN, standard="v1", level="unrolled"),
    ],
    ids=["fused", "exact", "unrolled"],
)
def test_plans_that_change_the_model(plan: Plan, tmp_path: Path) -> None:
    verdicts, target = set(), tmp_path / "m.tflite"
    for name, model in sample("onnx", "litert"):
        before = str(model)
        said = bool(ask_target(Given(model, Sources([])), target, plan, cures=False))
        assert str(model) == before, name
        assert said is writes(model, target, plan), name
        verdicts.add(said)
    assert verdicts == {True, False}


@pytest.mark.parametrize("opset", range(13, 26, 4))
def test_every_operator_set(opset: int, tmp_path: Path) -> None:
    plan, target = replace(PLAN, opset=opset), tmp_path / "m.onnx"
    models = [model for _, model in sample("onnx", "onnxruntime")]
    for model in models:
        said = bool(ask_target(Given(model, Sources([])), target, plan, cures=False))
        assert said is writes(model, target, plan)
