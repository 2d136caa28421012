"""Cases of operators a second on one core, once the workers are warm."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from conformance.judging.result import Result
from conformance.running.conform import conform
from conformance.running.suite import NEEDS, Options, missing

WARM = 100
"""Cases that are not measured: the first ones of a framework wait for it to be imported."""


def rate(frontend: str, device: str, *, yardstick: bool) -> tuple[int, float]:
    """Cases measured, and how many of them a second."""
    times: list[tuple[int, float]] = []

    def done(count: int, total: int, results: Sequence[Result]) -> None:
        times.append((count, time.perf_counter()))

    options = Options(frontends=(frontend,), devices=(device,), yardstick=yardstick)
    conform(options, jobs=1, done=done)
    first, started = next(t for t in times if t[0] >= WARM)
    last, ended = times[-1]
    return last - first, (last - first) / (ended - started)


def table(out: Console) -> None:
    """Every frontend on every device; this process and what it starts run on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    shown = Table("frontend", "device", "cases", "cases/s", "with float64 results, cases/s")
    try:
        for frontend in NEEDS:
            if missing(frontend) is None:
                for device in ("builtin", "onnxruntime"):
                    count, plain = rate(frontend, device, yardstick=False)
                    _, measured = rate(frontend, device, yardstick=True)
                    shown.add_row(frontend, device, str(count), f"{plain:.0f}", f"{measured:.0f}")
    finally:
        os.sched_setaffinity(0, before)
    out.print(shown)
