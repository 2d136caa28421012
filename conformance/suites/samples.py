"""PyTorch's operator samples (OpInfo) as a suite, with what is known not to pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..judging.record import record, with_gap
from ..judging.result import Result
from ..running.suite import Crew, Item, Options, Suite, command
from . import opinfo
from .opinfo_gaps import gap


class OpInfo(Suite):
    """One item is an operator and a precision; it has as many results as samples."""

    name = "opinfo"
    frontends = ("torch",)

    def __init__(self, options: Options, crew: Crew) -> None:
        super().__init__(options, crew)
        self._places: dict[str, int] = {}
        self._samples: dict[tuple[str, str, int], opinfo.Asked] = {}

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
        known = gap(op, device, dtype, self.campaign)
        asked = (self._ask(op, dtype, number) for number in range(self.options.samples))
        for number, found in enumerate(opinfo.judge_samples(op, device, asked)):
            sample = Item(item.suite, item.frontend, op, f"{item.name}-{number}")
            yield record(  # a gap is of an operator: some of its samples may pass
                sample,
                device,
                with_gap(found.verdict, known, must_fail=False),
                seconds=found.seconds,
                inputs=found.inputs,
                command=command(item, device, self.options),
            )

    def _ask(self, op: str, dtype: str, number: int) -> opinfo.Asked:
        """A sample, kept for the next device."""
        key = op, dtype, number
        if key not in self._samples:
            if next(iter(self._samples), key)[:2] != key[:2]:
                self._samples.clear()
            head = {"index": self._names()[op], "dtype": dtype, "sample": number}
            head |= {"special": self.options.special, "dynamic": self.options.dynamic}
            self._samples[key] = opinfo.ask_sample(self.crew.oracle(opinfo.WORKER), head)
        return self._samples[key]
