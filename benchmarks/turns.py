"""Timing of calls in turns, so that noise hits each alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any


def in_turns(runs: dict[str, Callable[[], Any]], calls: int) -> dict[str, float]:
    """Median seconds of each."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(calls):
        for name, run in runs.items():
            started = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - started)
    return {name: statistics.median(column) for name, column in times.items()}
