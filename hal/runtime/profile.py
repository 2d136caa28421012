"""Where the time of a run went."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field
from pathlib import Path

from nnir.records import dataclass
from nnir.staging import replacing

from ..device import Device

MICROSECONDS = 1e6


@dataclass(frozen=True)
class Row:
    """One step of one program; times in seconds, `start` from the begin of the run. `covers`: the
    names of all that the step computes, where that is known."""

    device: str
    name: str
    operator: str
    start: float
    seconds: float
    covers: tuple[str, ...] = ()

    @classmethod
    def of(cls, device: Device, program: object, start: float, seconds: float) -> list[Row]:
        """The steps that a device knows, else the whole program as one."""
        steps = device.timings(program)
        if not steps:
            return [cls(device.name, "program", "PROGRAM", start, seconds)]
        return [
            cls(device.name, s.name, s.operator, start + s.start, s.seconds, s.covers)
            for s in steps
        ]


@dataclass(frozen=True)
class Profile:
    """The steps of a run, and the time of all its programs in seconds."""

    rows: list[Row] = field(default_factory=list)
    seconds: float = 0.0

    def by_operator(self) -> list[tuple[str, str, int, float]]:
        """Device, operator, number of steps and seconds, the longest first."""
        found: dict[tuple[str, str], list[float]] = defaultdict(list)
        for row in self.rows:
            found[row.device, row.operator].append(row.seconds)
        table = [(*key, len(times), sum(times)) for key, times in found.items()]
        return sorted(table, key=lambda row: -row[3])

    def trace(self) -> dict[str, object]:
        """The run in the trace event format of Chrome and Perfetto: one track for each device."""
        tracks = {name: k + 1 for k, name in enumerate(dict.fromkeys(r.device for r in self.rows))}
        heads = [
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": k, "args": {"name": name}}
            for name, k in tracks.items()
        ]
        steps = [
            {
                "ph": "X",
                "name": row.name,
                "cat": row.operator,
                "pid": 1,
                "tid": tracks[row.device],
                "ts": row.start * MICROSECONDS,
                "dur": row.seconds * MICROSECONDS,
            }
            for row in self.rows
        ]
        return {"traceEvents": heads + steps, "displayTimeUnit": "ms"}

    def write(self, path: Path) -> None:
        """Write the trace as JSON, whole or not at all."""
        import json  # few profiles are written

        with replacing(path) as file:
            file.write(json.dumps(self.trace()).encode())
