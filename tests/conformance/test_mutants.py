"""Planted changes: which a file offers, who comes by them, and that they are noticed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.mutants.changes import Change, changes_of, is_another
from conformance.mutants.coverage import Kept, Visit, watching
from conformance.mutants.defaults import says_the_default
from conformance.mutants.host import NOTICED, SURVIVED
from conformance.mutants.places import PLACES, ROOT, Place, module_of, name_of
from conformance.mutants.score import EQUIVALENT, KNOWN, Host, Mutant, Score, read_equivalent
from conformance.mutants.trial import Bench

ACTIVATION = ROOT / "hal/drivers/onnxruntime/activation.py"
TEXT = b'''
LIMIT = 3


def clip(x: int, low: int = 0, *, mode: str = "near") -> int:
    """Not below 1."""
    if x < low and mode == "near":
        return max(x, low, key=abs)
    elif mode == "far":
        raise ValueError(f"{x + 1} is too far")
    require(x > 5, "more than 5 are needed")
    return x - 1
'''


def offered(text: bytes) -> set[str]:
    return {c.shown(text)[2] for c in changes_of(text) if is_another(c.apply(text), text)}


def test_what_is_offered() -> None:
    found = offered(TEXT)
    wanted = """if x <= low and mode == "near":|if x < low or mode == "near":|if True:
    if x < low and mode != "near":|if x < low and mode == 'far':|return min(x, low, key=abs)
    return max(x, low)|return max(x, key=abs)|elif False:|return x + 1|return x - 2|return x - (0)
    require(x >= 5, "more than 5 are needed")|require("more than 5 are needed", x > 5)
    def clip(x: int, low: int = 1, *, mode: str = "near") -> int:"""
    assert {w.strip() for line in wanted.splitlines() for w in line.split("|")} <= found


def test_defaults_that_nothing_reads_are_left_alone() -> None:
    text = b"""
def convert(x, *, times=1, share=0):
    return x * times


@operator(code=1)
def scale(input, *, by=1):
    return input.type
"""
    found = " ".join(offered(text))
    assert "times=2" in found
    assert "by=2" in found
    assert "share=1" not in found


def test_what_speaks_to_people_is_left_alone() -> None:
    changed = " ".join(offered(TEXT))
    assert "Not below 1" not in changed
    assert "raise ValueError(f" not in changed
    assert "LIMIT" not in changed


def test_a_change_knows_its_lines() -> None:
    lines = {c.shown(TEXT)[2]: c.lines for c in changes_of(TEXT)}
    assert lines["return x + 1"] == (12, 12)
    assert lines["if True:"] == (7, 7)
    assert lines['def clip(x: int, low: int = 1, *, mode: str = "near") -> int:'] == (6, 12)


def test_operands_that_commute_are_not_exchanged() -> None:
    text = b"""
def both(g, a, b, most):
    first = g.pair("Minimum" if most else "Maximum", a, b)
    second = g.pair("Minimum" if most else "Divide", a, b)
    return g.pair("Add", first, second)
"""
    swapped = {c.shown(text)[2] for c in changes_of(text) if c.kind == "swapped"}
    assert 'second = g.pair("Minimum" if most else "Divide", b, a)' in swapped
    assert 'first = g.pair("Minimum" if most else "Maximum", b, a)' not in swapped
    assert 'return g.pair("Add", second, first)' not in swapped


def test_what_says_the_default_is_no_change() -> None:
    module = "frontends.onnx.operators.pool"
    assert says_the_default(module, ("reduce.reduce_max", "keepdim", "True"))
    assert says_the_default(module, ("pool_maxima", "positions", "False")) is False  # has none
    assert not says_the_default(module, ("reduce.reduce_max", "keepdim", "False"))
    assert not says_the_default(module, ("operator", "keepdim", "True"))


def test_a_dropped_argument_is_told() -> None:
    told = {c.left_out for c in changes_of(TEXT) if c.kind == "dropped argument"}
    text = '"more than 5 are needed"'
    assert told == {("max", "key", "abs"), ("max", "1", "low"), ("require", "1", text)}


@pytest.mark.parametrize("place", PLACES, ids=lambda p: p.name)
def test_every_place_offers_changes(place: Place) -> None:
    package = place.name.replace("/", ".")
    assert all(module_of(p).startswith(package) for p in place.files)
    largest = sorted(place.files, key=lambda p: p.stat().st_size)[-6:]
    assert sum(len(changes_of(p.read_bytes())) for p in largest) > 30


def find(function: str, after: str) -> Change:
    text = ACTIVATION.read_bytes()
    (found,) = [c for c in changes_of(text) if c.function == function and c.shown(text)[2] == after]
    return found


@pytest.fixture(scope="module")
def visits() -> Iterator[dict[str, Visit]]:
    """Cases of ONNX Runtime's lowerings, by operator, with the lines that they run."""
    bench = Bench()
    found = {}
    for op in ("Hardmax", "Softplus"):
        name = next(n for n in bench.names("onnx") if n.startswith(f"{op}-float32"))
        with watching() as lines:
            outcome = bench.run("onnx", name, "onnxruntime")
        found[op] = Visit("onnx", name, "onnxruntime", outcome, 0.1, lines())
    yield found
    bench.close()


def test_the_lines_of_a_case(visits: dict[str, Visit]) -> None:
    file = name_of(ACTIVATION)
    change = find("hardmax", "return g.squeeze(hot, axis - 1)")
    assert visits["Hardmax"].touches(file, *change.lines)
    assert not visits["Softplus"].touches(file, *change.lines)
    assert visits["Hardmax"].outcome.startswith("pass HARDMAX ")  # and its translation


@pytest.mark.long
def test_a_planted_change_is_noticed_and_an_equivalent_one_is_not(
    visits: dict[str, Visit],
) -> None:
    text = ACTIVATION.read_bytes()
    wrong = find("hardmax", "return g.squeeze(hot, axis - 1)")
    kept = "if beta != 1 or threshold < (19) or input.precision == Precision.FLOAT64:"
    same = find("softplus", kept)
    with Host("hal/drivers/onnxruntime") as host:
        found = host.run(ACTIVATION, wrong.apply(text).decode(), [visits["Hardmax"]])
        assert found["verdict"] == NOTICED
        assert found["found"] != "pass"
        unchanged = host.run(ACTIVATION, None, [*visits.values()])
        assert unchanged == {"verdict": SURVIVED, "ran": 2}
        equal = host.run(ACTIVATION, same.apply(text).decode(), [visits["Softplus"]])
        assert equal == {"verdict": SURVIVED, "ran": 1}
        broken = host.run(ACTIVATION, "import nothing_of_this_name", [visits["Hardmax"]])
        assert broken["verdict"] == NOTICED
        assert broken["found"].startswith("error HARDMAX")


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "lines.json")
    kept.add("Celu", "row", "pass", 0.5, {name_of(ACTIVATION): [1, 2]})
    kept.add("Gelu", "row", "pass", 0.5, {"nnir/ops/gone.py": [1]})
    kept.files["nnir/ops/gone.py"] = "of another text"
    kept.save()
    (visit,) = Kept.read(kept.path).visits("onnx", "builtin")
    assert (visit.case, visit.lines) == ("Celu", {name_of(ACTIVATION): [1, 2]})


def test_what_other_words_were_kept_for_is_run_again(tmp_path: Path) -> None:
    """Words of an earlier version are not what a case says now: no change would be noticed."""
    kept = Kept(tmp_path / "lines.json")
    kept.add("Relu", "row", "pass", 0.1, {})
    kept.save()
    written = json.loads(kept.path.read_text())
    kept.path.write_text(json.dumps(written | {"words": "of another version"}))
    assert not Kept.read(kept.path).cases
    kept.path.write_text(json.dumps(written))
    assert Kept.read(kept.path).cases


def test_equivalent_changes_are_still_there() -> None:
    """A row of `equivalent.txt` names a change that its file offers."""
    for file, function, before, after in read_equivalent():
        text = (ROOT / file).read_bytes()
        shown = {(c.function, *c.shown(text)[1:]) for c in changes_of(text)}
        assert (function, before, after) in shown


def test_rows_of_equivalent_changes_are_apart() -> None:
    """A blank line between two: else the second one is read as the reason of the first."""
    rows = KNOWN.read_text().split("\n\n")
    assert [r for r in rows if sum(line.startswith("- ") for line in r.split("\n")) > 1] == []


def test_the_score_leaves_out_what_is_equivalent() -> None:
    words = ("place", "file", "function", "kind", 1, "before", "after")
    mutants = [Mutant(*words, by=by) for by in ("cases", "cases", "survived", EQUIVALENT)]
    assert Score("place", 0, mutants).share("cases") == pytest.approx(2 / 3)
