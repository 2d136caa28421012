"""Measurements in fresh processes: seconds and peak memory of one piece of code."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

CHILD = """
import time as _time
{setup}
_started = _time.perf_counter()
{body}
_seconds = _time.perf_counter() - _started
import json as _json, os as _os, sys as _sys
_status = open("/proc/self/status").read()  # VmHWM is this process alone, ru_maxrss the parent too
_peak = int(_status.split("VmHWM:")[1].split()[0]) / 1024
print("@@" + _json.dumps([_seconds, _peak]))
_sys.stdout.flush()
_os._exit(0)
"""


@dataclass(frozen=True)
class Row:
    """What is measured: `setup` (imports) is part of the process time only.

    `python`: the interpreter, another one for peers that need other packages.
    """

    model: str
    label: str
    setup: str
    body: str
    python: str = sys.executable


@dataclass(frozen=True)
class Result:
    """Medians over the rounds; `error` when the peer is missing or fails."""

    row: Row
    seconds: float = 0.0
    process: float = 0.0
    peak_mb: float = 0.0
    error: str = ""


def run_once(row: Row) -> tuple[float, float, float] | str:
    """Seconds of the body, seconds of the process and its peak memory in MB."""
    code = CHILD.format(setup=row.setup, body=row.body)
    started = time.perf_counter()
    done = subprocess.run(
        [row.python, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "2"},
    )  # fmt: skip
    process = time.perf_counter() - started
    for line in done.stdout.splitlines():
        if line.startswith("@@"):
            seconds, peak = json.loads(line[2:])
            return seconds, process, peak
    return (done.stderr.strip().splitlines() or ["no output"])[-1][:100]


def measure(rows: list[Row], rounds: int) -> list[Result]:
    """Rounds over all rows, so that noise hits every row alike; the first round warms caches."""
    found: dict[Row, list[tuple[float, float, float]]] = {row: [] for row in rows}
    errors: dict[Row, str] = {}
    for number in range(rounds + 1):
        for row in rows:
            if row in errors:
                continue
            outcome = run_once(row)
            if isinstance(outcome, str):
                errors[row] = outcome
            elif number:
                found[row].append(outcome)
    return [
        Result(row, error=errors[row])
        if row in errors
        else Result(row, *(statistics.median(column) for column in zip(*found[row], strict=True)))
        for row in rows
    ]
