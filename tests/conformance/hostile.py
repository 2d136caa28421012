"""A suite of cases that die, hang and eat memory among good ones; every case says that it ran."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from conformance.judging.judge import Verdict
from conformance.judging.record import record
from conformance.judging.result import PASS, Result
from conformance.processes.worker import Lost
from conformance.running.suite import Item, Suite
from conformance.suites import SUITES

LOG = "HOSTILE_LOG"
"""Names the file to which every case that is run adds its name."""

HUGE = 100 << 30
BAD = ("kill", "sleep", "eat", "nibble", "oracle-exit", "oracle-hang", "oracle-eat")
GOOD_ONES = 40


def install() -> None:
    SUITES["hostile"] = f"{__name__}:Hostile"
    SUITES["slow"] = f"{__name__}:Slow"
    SUITES["hanging"] = f"{__name__}:Hanging"


class Slow(Suite):
    """Good cases that take a while."""

    name = "slow"
    frontends = ("onnx",)

    def missing(self, frontend: str) -> str | None:
        return None

    def items(self, frontend: str) -> Iterable[Item]:
        return [Item(self.name, frontend, "op", f"good{k}") for k in range(GOOD_ONES)]

    def run(self, item: Item, device: str) -> Iterator[Result]:
        with Path(os.environ[LOG]).open("a") as file:
            file.write(f"{item.name}\n")
        yield record(item, device, self.judged(item.name))

    def judged(self, name: str) -> Verdict:
        time.sleep(0.1)
        return Verdict(PASS)


class Hostile(Slow):
    """Bad cases between good ones."""

    name = "hostile"

    def items(self, frontend: str) -> Iterable[Item]:
        names = [n for k, bad in enumerate(BAD) for n in (f"good{k}", bad)]
        return [Item(self.name, frontend, "op", n) for n in (*names, "good")]

    def judged(self, name: str) -> Verdict:
        if name.startswith("oracle"):
            try:
                oracle = self.crew.oracle("tests.conformance.dying_oracle")
                oracle.ask({"how": name.partition("-")[2]}, [])
            except Lost as lost:
                return Verdict(lost.kind)
        match name:
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "sleep":
                time.sleep(1e6)
            case "eat":
                np.ones(HUGE, np.uint8)
            case "nibble":
                held = [np.ones(1 << 26, np.uint8) for _ in range(HUGE >> 26)]
                raise AssertionError(len(held))
        return Verdict(PASS)


class Hanging(Hostile):
    """Good cases, and a last one that hangs."""

    name = "hanging"

    def items(self, frontend: str) -> Iterable[Item]:
        return [*Slow.items(self, frontend), Item(self.name, frontend, "op", "sleep")]
