"""Fuzzing: the same seed gives the same examples, planted bugs are found and made small."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from conformance.case import Case, f, i, scalar
from conformance.engines.engine import Answer
from conformance.fuzzing.nearness import is_near
from conformance.fuzzing.rows import names, row_of
from conformance.fuzzing.search import Finding, Search, seed_of
from conformance.fuzzing.starts import start
from conformance.fuzzing.tree import arrays, same
from conformance.fuzzing.undefined import EXCLUSIONS, exclusion_of
from conformance.judging.judge import judge
from conformance.judging.result import ERROR, PASS, WRONG
from conformance.oracles.oracle import Oracle
from conformance.running.suite import Crew, Options
from conformance.suites import suite
from conformance.suites.fuzz import FRONTENDS
from frontends.table import Converter
from nnir.model import Value
from nnir.operator import Operator
from nnir.ops import activation, binary

GIGABYTE = 1 << 30


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle("conformance.oracles.onnx", timeout=60) as worker:
        yield worker


def search(op: str, oracle: Oracle, *, seed: int = 7, examples: int = 100) -> Search:
    begin = start("onnx", op, "builtin")
    return Search(begin, "builtin", oracle, seed=seed, examples=examples, seconds=30)


def read(row: str) -> Case:
    """What a row evaluates to in a table of cases."""
    found = eval(row, names())
    assert isinstance(found, Case)
    return found


def test_a_seed_is_the_same_everywhere() -> None:
    assert seed_of(7, "torch", "aten.add.Tensor") == 13843396300311619287
    assert seed_of(7, "torch", "aten.add.Tensor") != seed_of(8, "torch", "aten.add.Tensor")


def test_the_same_seed_gives_the_same_examples(oracle: Oracle) -> None:
    runs = [search("Where", oracle, seed=s, examples=30) for s in (3, 3, 4)]
    for run in runs:
        assert run.run() is None
    rows = [tuple(r._seen) for r in runs]
    assert rows[0] == rows[1]
    assert rows[0] != rows[2]
    assert runs[0].tally.tried == 30


def no_nan(input: np.ndarray) -> np.ndarray:
    return np.nan_to_num(np.maximum(input, 0), nan=0, posinf=np.inf)


def no_broadcast(a: np.ndarray, b: np.ndarray, **_: Any) -> np.ndarray:
    total = np.add(a, b)
    return total if a.shape == b.shape or 1 not in (*a.shape, *b.shape) else total * 0


def truncated(a: np.ndarray, b: np.ndarray, **_: Any) -> np.ndarray:
    """Rounds down, where ONNX rounds towards zero."""
    return a // b if a.dtype.kind in "iu" else a / b


PLANTED: dict[str, tuple[Operator, Callable[..., Any]]] = {
    "Relu": (activation.relu, no_nan),
    "Add": (binary.add, no_broadcast),
    "Div": (binary.div, truncated),
}


def found_by(op: str, oracle: Oracle) -> Finding:
    """What fails, whose row fails by itself as well."""
    found = search(op, oracle).run()
    assert found is not None, f"no failure of {op} was found"
    case = read(found.row)
    assert same(case, found.case)
    engine = start("onnx", op, "builtin").engine
    assert judge(engine, case, "builtin", (), oracle).verdict != PASS
    return found


@pytest.mark.parametrize("op", PLANTED)
def test_a_planted_bug_is_found_and_made_small(
    op: str, oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator, wrong = PLANTED[op]
    monkeypatch.setattr(operator, "reference", wrong)
    found = found_by(op, oracle)
    assert max(a.size for a in arrays(found.case)) <= 3


def test_a_converter_that_ignores_an_attribute_is_found(
    oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = import_module("frontends.onnx").TABLE
    right = table.find("ReduceSum", 23)

    def reduce_sum(data: Value, axes: Value | None = None, **given: Any) -> Any:
        return right.function(data, axes, **{**given, "keepdims": 1})

    wrong = Converter("ReduceSum", reduce_sum)
    wrong.__dict__["parameters"] = right.parameters
    monkeypatch.setattr(
        type(table), "find", lambda self, name, version: wrong if name == "ReduceSum" else None
    )
    found = found_by("ReduceSum", oracle)
    assert found.case.attrs["keepdims"] == 0
    assert max(a.size for a in arrays(found.case)) <= 3


def test_a_python_error_is_a_failure(oracle: Oracle, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(input: np.ndarray) -> np.ndarray:
        raise ZeroDivisionError(input.shape)

    monkeypatch.setattr(activation.relu, "reference", broken)
    found = found_by("Relu", oracle)
    assert found.verdict.verdict == ERROR
    assert "ZeroDivisionError" in found.verdict.reason


@pytest.mark.parametrize("frontend", FRONTENDS)
def test_rows_evaluate_to_their_cases(frontend: str) -> None:
    known = names()
    table = import_module(f"conformance.cases.{frontend.replace('-', '_')}")
    count = 0
    for case in table.CASES:
        if all(a.size <= 64 for a in arrays(case)):
            count += 1
            assert same(eval(row_of(case), known), case), row_of(case)
    assert count > 500


def test_rows_are_short_where_arrays_are_simple() -> None:
    case = Case("Add", (np.ones((2, 3), np.float32), f(np.nan, -0.0), scalar(2, np.int8)))
    assert row_of(case) == (
        "Case('Add', (np.full((2, 3), 1, np.float32), f(nan, -0.0), scalar(2, np.int8)))"
    )


def test_what_has_no_answer_is_excluded() -> None:
    cast = Case("Cast", (f(np.nan, 1e30),), {"to": 6})
    answer = Answer([np.zeros(2, np.int32)])
    assert "undefined" in (exclusion_of("onnx", "Cast", cast, answer) or "")
    fine = Case("Cast", (f(1, 2),), {"to": 6})
    assert exclusion_of("onnx", "Cast", fine, Answer([i(1, 2, dtype=np.int32)])) is None
    divided = Case("Div", (i(1), i(0)))
    assert exclusion_of("onnx", "Div", divided, Answer([i(0)])) is not None
    typed = Case("Sin", (i(1),))
    assert "ONNX does not allow" in (exclusion_of("onnx", "Sin", typed, Answer([f(1)])) or "")
    assert all(e.why and e.ops for e in EXCLUSIONS)


@pytest.mark.parametrize(
    ("frontend", "op"),
    [
        *(("onnx", n) for n in ("Relu", "Sqrt", "Elu", "Add", "Max", "Tanh", "Gelu")),
        *(("torch", f"aten.{n}.default") for n in ("relu_", "sqrt", "lgamma", "gelu", "elu_")),
        *(("tensorflow", n) for n in ("Relu", "Sqrt", "Selu", "Maximum", "Sigmoid")),
        *(("paddle", n) for n in ("sqrt_", "gelu_", "add", "sigmoid", "exp")),
    ],
)
def test_exclusions_leave_what_is_defined(frontend: str, op: str) -> None:
    given = f(np.nan, 1, np.inf, 1)
    assert exclusion_of(frontend, op, Case(op.partition(":")[0], (given,)), Answer([given])) is None


def test_the_yardstick() -> None:
    exact = np.array([1.0, 2.0, 3.0])
    half = exact.astype(np.float16)
    unit = np.float16(2**-9)
    assert is_near(half + np.array([0, 0, unit], np.float16), half, exact)
    assert not is_near(half + np.array([0, 0, 3 * unit], np.float16), half, exact)
    assert not is_near(np.array([1, 2, np.nan], np.float16), half, exact)
    assert is_near(half, np.array([1, 2, np.inf], np.float16), exact)  # the origin overflows


def test_the_suite_says_how_many_and_what_to_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    crew = Crew(60.0, 8 * GIGABYTE)
    fuzz = suite("fuzz")(Options(suites=("fuzz",), seed=7, examples=40), crew)
    item = next(x for x in fuzz.items("onnx") if x.op == "Relu")
    try:
        (good,) = fuzz.run(item, "builtin")
        monkeypatch.setattr(activation.relu, "reference", no_nan)
        (bad,) = fuzz.run(item, "builtin")
    finally:
        crew.close()
    assert good.verdict == PASS
    assert good.reason.startswith("40 examples")
    assert bad.verdict == WRONG
    assert "nan" in bad.inputs[0]
    assert bad.command.endswith("--case Relu --seed 7 --examples 40")
    assert read(bad.row).op == "Relu"


def test_legacy_and_lists_are_varied() -> None:
    begin = start("paddle-legacy", "sum", "builtin")
    assert begin.rows
    assert isinstance(begin.rows[0].inputs[0], dict)
