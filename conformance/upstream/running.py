"""Run the programs: those of one framework in one process, as importing it takes seconds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from pathlib import Path

from . import child
from .bug import Bug

QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "GLOG_v": "0", "GLOG_minloglevel": "3"}


class Status(IntEnum):
    """How a program ends."""

    MENDED = 0
    THERE = 1
    NOT_TRIED = 2
    FAILED = child.FAILED
    LOST = 4


@dataclass(frozen=True)
class Finding:
    """What became of a program: how it ended and what it printed."""

    bug: Bug
    status: Status
    text: str


def try_bugs(
    bugs: Sequence[Bug], python: str = sys.executable, timeout: float = 120
) -> Iterator[Finding]:
    """The finding of every bug, the bugs being in the order of `read_bugs`."""
    for _, members in groupby(bugs, lambda b: b.group):
        yield from _try_group(list(members), python, timeout)


def _try_group(bugs: list[Bug], python: str, timeout: float) -> Iterator[Finding]:
    command = [python, child.__file__, *(str(b.path) for b in bugs)]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            env=os.environ | QUIET,
        )
        printed, end = done.stdout, f"exit status {done.returncode}\n{done.stderr[-1000:]}"
    except subprocess.TimeoutExpired as error:
        printed, end = (error.stdout or b"").decode(), f"not ready after {timeout:.0f} seconds"
    results = dict(_read_results(printed.splitlines()))
    for bug in bugs:
        status, text = results.get(bug.path, (Status.LOST, f"no result: {end}"))
        yield Finding(bug, status, text)


def _read_results(lines: Iterable[str]) -> Iterator[tuple[Path, tuple[Status, str]]]:
    for line in lines:
        if line.startswith(child.MARK):
            path, status, text = json.loads(line.removeprefix(child.MARK))
            yield Path(path), (Status(status), text.strip())
