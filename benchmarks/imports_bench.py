"""What is imported before the first result of a file.

    python -m benchmarks.imports_bench [NAME ...] [--devices onnxruntime,openvino,litert,torch]
                                       [--rounds 7] [--folder DIR]

In fresh processes: how many modules of ours and of others come beside those that the engine
imports by itself, and the milliseconds that Python says of them (`-X importtime`, each module by
the least of the rounds).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from . import first_models
from .first_bench import OURS, SUFFIXES, THEIRS, make_parser

OWN = ("nnadapter", "nnir", "hal", "frontends")
LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)", re.ASCII)
END = "\nprint(*sys.modules)\n"
Found = tuple[set[str], dict[str, int]]


def imports_of(code: str, rounds: int) -> Found:
    """The modules that are there behind some code, and the microseconds of each by itself."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    modules: set[str] = set()
    least: dict[str, int] = {}
    for turn in range(rounds + 1):  # the first one writes what is compiled
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-W", "ignore", "-c", code + END],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        modules = {*done.stdout.split()}
        for microseconds, name in LINE.findall(done.stderr) if turn else ():
            least[name] = min(least.get(name, int(microseconds)), int(microseconds))
    return modules, least


def row_of(folder: Path, name: str, device: str, rounds: int) -> list[str]:
    """Modules and milliseconds of ours, and of others that the engine does without."""
    words = {
        "path": str(first_models.ensure(folder, name, SUFFIXES[device])),
        "inputs": first_models.inputs_of(name),
        "device": device,
    }
    modules, times = imports_of(OURS.format(**words), rounds)
    needed, _ = imports_of(THEIRS[device].format(**words), 0)
    own = {m for m in modules if m.partition(".")[0] in OWN}
    others = modules - own - needed
    cells = [device, name]
    for some in (own, others):
        cells += [str(len(some)), f"{sum(times.get(m, 0) for m in some) / 1000:.0f}"]
    return cells


def main() -> None:
    given = make_parser(__doc__).parse_args()
    shown = Table("device", "network", "modules of ours", "ms", "of others", "ms")
    for device in given.devices.split(","):
        for name in given.names:
            shown.add_row(*row_of(given.folder, name, device, given.rounds))
    Console(width=150).print(shown)


if __name__ == "__main__":
    main()
