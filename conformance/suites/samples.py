"""PyTorch's operator samples (OpInfo) as a suite, with what is known not to pass."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

import numpy as np

from ..judge import Verdict
from ..record import record
from ..result import LIMIT, PASS, WRONG, Result
from ..suite import Crew, Item, Options, Suite, command
from . import opinfo
from .opinfo_gaps import gap


class OpInfo(Suite):
    """One item is an operator and a precision; it has as many results as samples."""

    name = "opinfo"
    frontends = ("torch",)

    def __init__(self, options: Options, crew: Crew) -> None:
        super().__init__(options, crew)
        self._places: dict[str, int] = {}
        self._samples: dict[tuple[str, str, int], list[np.ndarray] | None] = {}

    def items(self, frontend: str) -> Iterable[Item]:
        for op in self._names():
            if not opinfo.LEFT_OUT.search(op):
                for dtype in self.options.dtypes:
                    yield Item(self.name, frontend, op, f"{op}-{dtype}")

    @property
    def campaign(self) -> str:
        """As the gaps call it."""
        return "special" if self.options.special else "dynamic" if self.options.dynamic else ""

    def _names(self) -> dict[str, int]:
        """PyTorch's operators and their places in its list."""
        if not self._places:
            names = opinfo.names(self.crew.oracle(opinfo.WORKER))
            self._places = {n: k for k, n in enumerate(names)}
        return self._places

    def run(self, item: Item, device: str) -> Iterator[Result]:
        op, _, dtype = item.name.rpartition("-")
        for number in range(self.options.samples):
            arrays = self._asked(op, dtype, number)
            if arrays is None:
                return
            if arrays:
                sample = Item(item.suite, item.frontend, op, f"{item.name}-{number}")
                started = time.perf_counter()
                found = with_gap(
                    op, device, dtype, self.campaign, opinfo.verdict(op, device, arrays)
                )
                yield record(
                    sample,
                    device,
                    found,
                    seconds=time.perf_counter() - started,
                    inputs=arrays[2 : 2 + int(arrays[0][0])],
                    command=command(item, device, self.options),
                )

    def _asked(self, op: str, dtype: str, number: int) -> list[np.ndarray] | None:
        """A sample, kept for the next device."""
        key = op, dtype, number
        if key not in self._samples:
            if next(iter(self._samples), key)[:2] != key[:2]:
                self._samples.clear()
            head = {"index": self._names()[op], "dtype": dtype, "sample": number}
            head |= {"special": self.options.special, "dynamic": self.options.dynamic}
            self._samples[key] = opinfo.asked(self.crew.oracle(opinfo.WORKER), head)
        return self._samples[key]


def with_gap(op: str, device: str, dtype: str, campaign: str, found: Verdict) -> Verdict:
    """The verdict in the light of what is listed as not passed."""
    known = gap(op, device, dtype, campaign)
    if known is None or found.verdict == PASS or (found.verdict == WRONG and not known.wrong):
        return found  # a gap is of an operator: some of its samples may pass
    return Verdict(LIMIT, known.why, found.outcome)
