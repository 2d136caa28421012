"""What the tests of all frameworks' cases have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from typing import Any

from conformance import ledger
from conformance.case import Case, Limit, ModelCase
from conformance.engines.engine import Answer, Engine
from conformance.judging.judge import judge as verdict_on
from conformance.judging.record import PLAIN
from conformance.judging.result import GOOD, Result
from conformance.oracles.oracle import Oracle
from conformance.suites.operators import TABLES, operator_of
from hal.emission import decompositions

FRONTENDS = {f"conformance.oracles.{TABLES.get(f, f)}": f for f in ledger.FRONTENDS}
FRONTENDS |= {"conformance.oracles.litert": "tflite", "": "nnir"}
"""The frontends by their oracles."""

DEVICES = ("builtin", "onnxruntime")
"""Where every case is a test of its own, for who runs one file; `test_devices` runs them all."""

OTHERS = ("openvino", "litert", "torch")


@cache
def kept(frontend: str) -> ledger.Ledger:
    """The ledger of a frontend."""
    return ledger.read(frontend)


def worker_of(name: str) -> Iterator[Oracle]:
    """The oracle of a framework, for a fixture of the session."""
    with Oracle(f"conformance.oracles.{name}", timeout=120) as worker:
        yield worker


def judge(
    engine: Engine[Any],
    case: Any,
    limits: Sequence[Limit],
    oracle: Oracle,
    *,
    may_refuse: bool = False,
) -> None:
    """AssertionError when the case does not do what it or a limit says, or what the ledger says, on
    some of `DEVICES`. The origin is asked once. `may_refuse`: it is refused where the ledger says
    so."""

    @cache
    def ask() -> Answer:
        return engine.ask(case, oracle)

    good = GOOD if may_refuse else PLAIN
    problems = [p for d in DEVICES for p in problems_on(d, engine, case, limits, oracle, ask, good)]
    assert not problems, "\n".join(problems)


def problems_on(
    device: str,
    engine: Engine[Any],
    case: Any,
    limits: Sequence[Limit],
    oracle: Oracle,
    ask: Callable[[], Answer],
    good: Collection[str] = PLAIN,
) -> list[str]:
    """What a case does otherwise than it is to do on a device."""
    with decompositions() as decomposed:
        found = verdict_on(engine, case, device, limits, oracle, ask)
    if found.verdict not in good:
        return [f"on {device}: {found.verdict}: {found.reason}"]
    frontend = FRONTENDS[engine.worker]
    name = f"model-{case}" if isinstance(case, ModelCase) else str(case)
    op = operator_of(case) if frontend == "onnx" else case.op
    names = tuple(sorted({n for _, n in decomposed}))
    where = ("cases", frontend, op, name, device, found.verdict)
    result = Result(*where, reason=found.reason, decomposed=names)
    differences = ledger.differences(kept(frontend), [result], is_whole=False)
    return [*differences, ledger.REGENERATE.format(frontend)] if differences else []


def require_used(limit: Limit, cases: Sequence[Case]) -> None:
    """AssertionError for a limit that no case shows."""
    assert any(limit.matches(c, d) for c in cases for d in (*DEVICES, *OTHERS) if not c.raises)


def require_distinct(cases: Sequence[Case]) -> None:
    """AssertionError where two cases have one name."""
    names = [str(c) for c in cases]
    assert sorted(names) == sorted(set(names))
