"""Verdicts: what passes, what a limit excuses, what is stale, and how far is near enough."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest

from conformance.case import Case, Limit, Tolerance, f
from conformance.engines.engine import Answer, Engine, Outcome, widen
from conformance.judging.compare import compare, distance, spacing
from conformance.judging.judge import Verdict, judge, yardstick
from conformance.judging.record import describe_array, record
from conformance.judging.result import ERROR, LIMIT, PASS, REFUSED, STALE, TIMEOUT, WRONG, Result
from conformance.judging.tolerance import largest
from conformance.oracles.oracle import Oracle, Refused
from conformance.processes.worker import Lost
from conformance.running.suite import Item
from nnir.errors import BadType, Unsupported
from nnir.model import Model
from nnir.ops import binary, unary
from nnir.types import TensorType, precision_of

NONE = cast(Oracle, None)
X = f(1, 2, 3)


class Fake(Engine[Case]):
    """An origin that computes in NumPy; `wrong` is added to what we give."""

    worker = ""

    def __init__(
        self, wrong: float = 0.0, raises: Exception | None = None, *, refuses: bool = False
    ) -> None:
        self.wrong, self.raises, self.refuses = wrong, raises, refuses

    def ask(self, case: Case, oracle: Oracle) -> Answer:
        if self.raises is not None:
            raise self.raises
        return Answer([np.exp(case.inputs[0])])

    def model(self, case: Case, answer: Answer) -> Model:
        if self.refuses:
            raise Unsupported("not converted")
        model = Model()
        array = case.inputs[0]
        x = model.input("x", TensorType(precision_of(array.dtype), array.shape))
        y = unary.exp(x)
        wrong = model.constant(np.array(self.wrong, array.dtype))
        model.outputs = [binary.add(y, wrong)]
        return model

    def inputs(self, case: Case, model: Model) -> list[np.ndarray]:
        return [case.inputs[0]]


CASE = Case("Exp", (X,), why="one")


def verdict(engine: Fake, case: Case = CASE, *limits: Limit) -> str:
    return judge(engine, case, "builtin", limits, NONE).verdict


def test_verdicts() -> None:
    assert verdict(Fake()) == PASS
    assert verdict(Fake(0.1)) == WRONG
    assert verdict(Fake(0.1), replace(CASE, tol=Tolerance(absolute=0.2))) == PASS
    assert verdict(Fake(raises=Refused("no"))) == REFUSED
    assert verdict(Fake(raises=ValueError("bug"))) == ERROR
    assert verdict(Fake(raises=Lost(TIMEOUT, "slow"))) == TIMEOUT


def test_limits_are_strict() -> None:
    wrong = Limit("Exp", "known")
    refused = Limit("Exp", "known", raises=Unsupported)
    assert verdict(Fake(0.1), CASE, wrong) == LIMIT
    assert verdict(Fake(), CASE, wrong) == STALE
    assert verdict(Fake(raises=Refused("no")), CASE, wrong) == REFUSED
    assert verdict(Fake(raises=Refused("no")), CASE, refused) == REFUSED
    assert verdict(Fake(refuses=True), CASE, refused) == LIMIT
    assert verdict(Fake(refuses=True)) == REFUSED
    assert verdict(Fake(0.1), CASE, refused) == WRONG
    assert verdict(Fake(0.1), CASE, Limit("Log", "another")) == WRONG


def test_cases_that_must_fail() -> None:
    case = replace(CASE, raises=Unsupported)
    assert verdict(Fake(raises=Refused("no")), case) == PASS
    assert verdict(Fake(raises=BadType("no")), case) == WRONG
    found = judge(Fake(), case, "builtin", (), NONE)
    assert (found.verdict, found.reason) == (WRONG, "Unsupported was to be raised, but it runs")


def test_the_origins_own_error_is_the_yardstick() -> None:
    """One unit off is near enough for four times the origin's error, a thousand are not."""
    near, far = Fake(3e-7), Fake(1e-3)
    case = replace(CASE, tol=Tolerance(multiple=4))
    assert verdict(near) == WRONG
    assert verdict(near, case) == PASS
    assert verdict(far, case) == WRONG
    found = judge(near, case, "builtin", (), NONE)
    truth = near.truth(case, NONE, Answer([np.exp(X)]))
    assert truth is not None
    assert truth[0].dtype == np.float64
    ours, theirs = yardstick(found.outcome, truth)
    assert theirs < 1 < ours < 4


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (f(1, 3), f(1, np.inf)),
        (f(1, 3), f(1, np.nan)),
        (f(np.nan, 3), f(1, 3)),
        (f(1), f(1, 1)),
        (f(1, dtype=np.float16), f(1)),
        (np.array([1]), np.array([2])),
    ],
)
def test_a_multiple_excuses_only_rounding(got: np.ndarray, want: np.ndarray) -> None:
    class Told(Fake):
        def ask(self, case: Case, oracle: Oracle) -> Answer:
            return Answer([want.astype(np.float64) if case.inputs[0].dtype == float else want])

        def outcome(self, case: Case, *_: Any) -> Outcome:
            found = compare(got, want, case.tolerance(want.dtype))
            return Outcome([got], [want], [found], found.problem)

    assert verdict(Told(), replace(CASE, tol=Tolerance(multiple=1e30))) == WRONG


def test_complex_numbers_and_large_integers() -> None:
    nan = np.array([complex(np.nan, 1)])
    assert compare(nan, np.array([complex(np.nan, 5)]), Tolerance()).problem is not None
    assert compare(nan, nan + 0, Tolerance()).problem is None
    big = np.array([2**63 - 1])
    assert compare(big - 1, big, Tolerance()).problem is not None
    found = compare(f(1e6 + 5, 0.01), f(1e6, 0), Tolerance(relative=1e-5))
    assert found.index == (1,)
    assert compare(f(np.inf), f(1), Tolerance()).max_ulp == np.inf


def test_widened() -> None:
    wide = widen(Case("A", (X, [X.astype(np.float16)], np.array([1])), {"a": X}))
    assert [a.dtype for a in (wide.inputs[0], wide.inputs[1][0], wide.attrs["a"])] == [float] * 3
    assert wide.inputs[2].dtype == np.int64
    assert widen(Case("A", (np.array([1]),))) is None


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.float64])
@pytest.mark.parametrize("value", [1.0, 1.5, 0.0, 1e-7, 60000.0])
def test_spacing_is_numpys(kind: type, value: float) -> None:
    number = kind(value)
    assert float(spacing(np.array(float(number)), np.dtype(kind))) == float(np.spacing(number))


def test_units_in_the_last_place_of_bfloat16() -> None:
    kind = ml_dtypes.bfloat16
    found = compare(f(1.0078125, dtype=kind), f(1, dtype=kind), Tolerance())
    assert found.max_ulp == 1
    assert distance(f(1, dtype=kind), np.array([1.00390625])) == 0.5
    assert distance(f(np.nan), np.array([1.0])) == np.inf
    assert distance(f(), np.array([])) == 0


def test_signs_of_zeros() -> None:
    a, b = f(0.0, 1.0), f(-0.0, 1.0)
    assert compare(a, b, Tolerance()).problem is None
    assert compare(a, b, Tolerance()).signs == 1
    problem = compare(a, b, Tolerance(signed_zeros=True)).problem
    assert problem == "1 of 2 elements are zeros of the other sign"


def test_a_failure_is_told_in_words() -> None:
    item = Item("cases", "fake", "Exp", str(CASE))
    found = judge(Fake(0.5), CASE, "builtin", (), NONE)
    result = record(item, "builtin", found, inputs=CASE.inputs, command="again")
    assert result.inputs == ("float32[3] [1. 2. 3.]",)
    assert result.got_value != result.want_value
    assert result.want.startswith("float32[3]")
    assert Result.of(result.as_dict()) == result
    passed: dict[str, Any] = record(item, "builtin", Verdict(PASS), inputs=(X,)).as_dict()
    assert "inputs" not in passed
    assert len(describe_array(np.zeros((1000, 1000)))) < 700


def test_verify_sees_imaginary_parts() -> None:
    """The magnitude that a tolerance is of is that of the whole number."""
    want = np.array([100j, 1 + 0j])
    assert largest(want) == 100
    assert largest(np.array([np.nan, -3.0, np.inf])) == 3
    assert largest(np.array([-7, 2])) == 7
    assert largest(f()) == 0
