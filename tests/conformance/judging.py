"""What the tests of all frameworks' cases have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from conformance.case import Case, Limit
from conformance.engine import Engine
from conformance.judge import judge as verdict_on
from conformance.oracle import Oracle
from conformance.result import GOOD

DEVICES = ("builtin", "onnxruntime")
"""Where every case is a test of its own; `test_devices` runs them on the others."""

OTHERS = {"openvino": 0.6, "litert": 0.5, "torch": 0.85}
"""The other devices, with the share of the cases that each passes at least."""


def worker_of(name: str) -> Iterator[Oracle]:
    """The oracle of a framework, for a fixture of the session."""
    with Oracle(f"conformance.oracles.{name}", timeout=120) as worker:
        yield worker


def judge(
    engine: Engine[Any], case: Any, device: str, limits: Sequence[Limit], oracle: Oracle
) -> None:
    """AssertionError when the case does not do what it or a limit says."""
    found = verdict_on(engine, case, device, limits, oracle)
    assert found.verdict in GOOD, f"{found.verdict}: {found.reason}"


def require_used(limit: Limit, cases: Sequence[Case]) -> None:
    """AssertionError for a limit that no case shows."""
    assert any(limit.matches(c, d) for c in cases for d in (*DEVICES, *OTHERS) if not c.raises)


def require_distinct(cases: Sequence[Case]) -> None:
    """AssertionError where two cases have one name."""
    names = [str(c) for c in cases]
    assert sorted(names) == sorted(set(names))
