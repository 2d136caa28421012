"""Devices that are tried: proved, measured, left out with a reason, and remembered."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nnadapter as nna
from hal.device import Cache, Callback
from hal.drivers.builtin import Builtin
from hal.drivers.builtin import Program as Compiled
from hal.runtime.cache import CacheWarning
from nnadapter import fastest, racing
from nnadapter.racing import LEAST_RUNS, MOST_ROUNDS, ROUNDS, Race, list_candidates
from nnir.errors import BadCall, BadFile, BadInput, NoDevice, NoLowering
from nnir.model import Model
from nnir.ops import unary
from nnir.plugins import REGISTRY
from nnir.types import Precision, TensorType

Arrays = Sequence[np.ndarray]
ONES = np.ones((2, 3), np.float32)
CALLS: list[str] = []


class Counted(Builtin):
    """Notes what is compiled."""

    def create_program(self, context: bool, model: Model | None, cache: Cache | None) -> Compiled:
        CALLS.append(self.name)
        return super().create_program(context, model, cache)


class Quick(Counted):
    """Gives what `builtin` gives, and is the best there is."""

    name = "quick"


class Slow(Counted):
    """Takes its time."""

    name = "slow"

    def execute_program(self, program: Compiled, inputs: Arrays, outputs: Any = ()) -> Any:
        time.sleep(0.01)
        return super().execute_program(program, inputs, outputs)


class Even(Counted):
    """Takes as long each time, and counts its runs."""

    name = "even"
    runs: list[str] = []  # noqa: RUF012  of all that are made

    def execute_program(self, program: Compiled, inputs: Arrays, outputs: Any = ()) -> Any:
        Even.runs.append(self.name)
        time.sleep(0.004)
        return super().execute_program(program, inputs, outputs)


class Other(Even):
    """No faster and no slower."""

    name = "other"


class Wrong(Counted):
    """Is off by one."""

    name = "wrong"

    def execute_program(self, program: Compiled, inputs: Arrays, outputs: Any = ()) -> Any:
        return [y + 1 for y in super().execute_program(program, inputs, outputs)]


class Partial(Slow):
    """Knows ABS alone, and is slow at that."""

    name = "partial"

    def validate_program(self, context: bool, model: Model) -> list[bool]:
        return [o.operator is unary.abs_ for o in model.operations]

    def create_program(self, context: bool, model: Model | None, cache: Cache | None) -> Compiled:
        if model is not None and not all(self.validate_program(context, model)):
            raise NoLowering("partial has no EXP")
        return super().create_program(context, model, cache)


class Absent(Builtin):
    """Has no engine here."""

    name = "absent"

    def create_context(self, properties: Mapping[str, str], callback: Callback | None) -> bool:
        raise NoDevice("absent is not installed: pip install absent")


DEVICES = {kind.name: kind for kind in (Quick, Slow, Even, Other, Wrong, Partial, Absent)}


@pytest.fixture(autouse=True)
def devices(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The devices above are all that is installed beside `builtin`."""
    nna.add_plugin(nna.Plugin("racers", "1", devices=DEVICES))
    monkeypatch.setattr(fastest, "list_candidates", lambda: ["slow", "quick", "wrong", "partial"])
    monkeypatch.setattr(fastest, "Race", partial(Race, seconds=0.05))
    CALLS.clear()
    yield
    REGISTRY.remove("racers")


def made() -> Model:
    model = Model("made")
    x = model.input("x", TensorType(Precision.FLOAT32, (2, 3)))
    model.outputs = [unary.exp(unary.abs_(x))]
    return model


def test_devices_are_ranked() -> None:
    names = ["slow", "quick", "wrong", "partial", "absent"]
    found = nna.benchmark(made(), names, [ONES], seconds=0.02)
    assert found.fastest == "quick"
    order = [row.device for row in found.rows]
    assert order.index("quick") < order.index("slow") < order.index("wrong")
    rows = {row.device: row for row in found.rows}
    assert "does not agree with the references: " in rows["wrong"].left_out
    assert "EXP" in rows["partial"].left_out
    assert not rows["partial,builtin"].left_out
    assert rows["absent"].left_out == "absent is not installed: pip install absent"
    slow = rows["slow"].milliseconds
    assert slow is not None
    assert slow >= 10
    json.dumps(found.as_dict())


def test_those_that_are_close_have_more_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many more as it takes, and none once the time for it is over."""
    counts = []
    for close, seconds in ((0.0, 10.0), (100.0, 10.0), (100.0, 0.0)):
        monkeypatch.setattr(racing, "CLOSE", close)
        monkeypatch.setattr(racing, "MOST_SECONDS", seconds)
        Even.runs.clear()
        found = nna.benchmark(made(), "even,other", [ONES], seconds=0.01)
        assert {row.device for row in found.rows} == {"even", "other"}
        counts.append(Even.runs.count("even"))
    few, many, hurried = counts
    assert (few, many) == (hurried, few + (MOST_ROUNDS - ROUNDS) * (1 + LEAST_RUNS))


def test_none_that_is_right() -> None:
    found = nna.benchmark(made(), "wrong,absent", seconds=0.01)
    with pytest.raises(
        NoDevice, match=r"no device runs made as the references do: wrong: .*absent"
    ):
        _ = found.fastest
    with pytest.raises(NoDevice, match="no device 'quik': did you mean quick"):
        nna.benchmark(made(), "quik")


def test_a_tolerance_lets_it_in() -> None:
    assert nna.benchmark(made(), "wrong", [ONES], seconds=0.01, tolerance=1.0).fastest == "wrong"


def test_emulators_do_not_race() -> None:
    assert {"builtin", "quick"} <= {*list_candidates()}
    assert {"nnapi", "nnrt"}.isdisjoint(list_candidates())


def test_the_fastest_is_compiled() -> None:
    program = nna.compile(made(), "fastest")
    assert program.devices == ["quick"]
    np.testing.assert_allclose(program(ONES)[0], np.exp(ONES), rtol=1e-6)
    assert CALLS.count("quick") == 1  # what was tried is what is given


def test_the_choice_is_kept(tmp_path: Path) -> None:
    nna.compile(made(), "fastest", cache_dir=tmp_path).close()
    CALLS.clear()
    program = nna.compile(made(), "fastest", cache_dir=tmp_path)
    assert program.devices == ["quick"]
    assert program.is_restored
    assert CALLS == ["quick"]
    nna.compile(made(), "fastest", inputs=[ONES], cache_dir=tmp_path).close()  # other inputs
    assert "slow" in CALLS
    (kept,) = tmp_path.glob("*.fastest.json")
    for text in ("{", '{"device": "quick"}', '{"device": 1, "facts": 2}'):
        kept.write_text(text)
        with pytest.warns(CacheWarning, match=r"fastest\.json"):
            nna.compile(made(), "fastest", cache_dir=tmp_path).close()
    told = json.loads(kept.read_text())
    kept.write_text(json.dumps(told | {"device": "rm -rf"}))
    assert nna.compile(made(), "fastest", cache_dir=tmp_path).devices == ["quick"]


def test_a_choice_that_is_kept_imports_no_other_driver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nna.compile(made(), "fastest", cache_dir=tmp_path).close()
    asked = []
    find = fastest.manager.find
    monkeypatch.setattr(fastest.manager, "find", lambda name: (asked.append(name), find(name))[1])
    nna.compile(made(), "fastest", cache_dir=tmp_path).close()
    assert {*asked} <= {"quick"}


def test_a_driver_that_is_changed_is_tried_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nna.compile(made(), "fastest", cache_dir=tmp_path).close()
    stamp = fastest.manager.stamp
    assert stamp("builtin") == stamp("builtin") is not None
    assert stamp("no such device") is None
    changed = {"slow": "another"}
    monkeypatch.setattr(fastest.manager, "stamp", lambda name: changed.get(name, stamp(name)))
    CALLS.clear()
    nna.compile(made(), "fastest", cache_dir=tmp_path).close()
    assert "slow" in CALLS


def test_a_choice_of_another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nna.compile(made(), "fastest", cache_dir=tmp_path).close()
    CALLS.clear()
    monkeypatch.setattr(fastest, "processor", lambda: "another")
    nna.compile(made(), "fastest", cache_dir=tmp_path).close()
    assert "slow" in CALLS


def test_a_token_alone(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"no usable choice .* and no model to try devices on"):
        nna.compile(None, "fastest", cache_dir=tmp_path, cache_token="mine")
    nna.compile(made(), "fastest", cache_dir=tmp_path, cache_token="mine").close()
    program = nna.compile(None, "fastest", cache_dir=tmp_path, cache_token="mine")
    assert program.devices == ["quick"]
    np.testing.assert_allclose(program(ONES)[0], np.exp(ONES), rtol=1e-6)


def test_what_does_not_go_together() -> None:
    with pytest.raises(BadInput, match="'fastest' stands alone"):
        nna.compile(made(), "fastest,builtin")
    with pytest.raises(BadInput, match="cache_buffer: not with device 'fastest'"):
        nna.compile(made(), "fastest", cache_buffer=b"x")
    with pytest.raises(BadInput, match="needs a model"):
        nna.compile(None, "fastest")
    with pytest.raises(BadInput, match="what devices are checked or tried on"):
        nna.compile(made(), "quick", inputs=[ONES])
    with pytest.raises(BadInput, match="the references refuse: 2 arrays for 1 inputs"):
        nna.compile(made(), "fastest", inputs=[ONES, ONES])
    with pytest.raises(BadCall, match="no device has a property 'TYPO'"):
        nna.compile(made(), "fastest", "TYPO=1;")
