"""What the tests of all frameworks' cases have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import pytest

from conformance.case import Case, Limit
from conformance.oracle import Oracle

DEVICES = ("builtin", "onnxruntime")


def worker_of(name: str) -> Iterator[Oracle]:
    """The oracle of a framework, for a fixture of the session."""
    with Oracle(f"conformance.oracles.{name}", timeout=120) as worker:
        yield worker


def judge(
    case: Case,
    device: str,
    limits: Sequence[Limit],
    check: Callable[[], None],
    run: Callable[[], Any],
) -> None:
    """Do what the case says: agree with its origin, or fail as it or a limit says."""
    if case.raises is not None:
        with pytest.raises(case.raises):
            run()
        return
    limit = next((x for x in limits if x.matches(case, device)), None)
    with nullcontext() if limit is None else pytest.raises(limit.raises):
        check()


def require_used(limit: Limit, cases: Sequence[Case]) -> None:
    """AssertionError for a limit that no case shows."""
    assert any(limit.matches(c, d) for c in cases for d in DEVICES if not c.raises)


def require_distinct(cases: Sequence[Case]) -> None:
    """AssertionError where two cases have one name."""
    names = [str(c) for c in cases]
    assert sorted(names) == sorted(set(names))
