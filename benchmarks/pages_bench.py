"""What huge pages do to a call: a program before and after its memory moves there.

    python -m benchmarks.pages_bench [NAME ...] [--devices onnxruntime,openvino] [--threads 1]
                                     [--rounds 5] [--folder DIR]

A process each time: two processes of one program differ by more than what is measured.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from . import torch_models
from .latency import THREADS, read_arrays

OUT = Console(width=120)
NAMES = ("bert", "llama", "swin_t", "convnext_t")
LONG = 0.7
"""Seconds that a program is called for each time."""


def median_call(run: Callable[[], Any]) -> float:
    """Median seconds of a call, the less of two."""
    medians = []
    for _ in range(2):
        times: list[float] = []
        while len(times) < 9 or sum(times) < LONG:
            started = time.perf_counter()
            run()
            times.append(time.perf_counter() - started)
        medians.append(statistics.median(times))
    return min(medians)


def compare(folder: Path, name: str, device: str, threads: int) -> dict[str, float]:
    """Milliseconds of a call before and after, and what moved: megabytes, and milliseconds."""
    import nnadapter as nna
    from hal import pages

    program, _ = torch_models.ensure(folder, name)
    arrays = read_arrays(folder / f"{name}_inputs.npz")
    model = nna.load(program)
    nna.optimize(model)
    before = pages.own_spans()
    properties = THREADS[device].format(threads) + "NNADAPTER_HUGE_PAGES=0;"
    compiled = nna.compile(model, device, properties)
    compiled(*arrays)
    made = pages.without(pages.own_spans(), before)
    median_call(lambda: compiled(*arrays))
    found = {"before": 1e3 * median_call(lambda: compiled(*arrays))}
    started = time.perf_counter()
    found["moved"] = pages.collapse(made, 60) / 1e6
    found["moving"] = 1e3 * (time.perf_counter() - started)
    return found | {"after": 1e3 * median_call(lambda: compiled(*arrays))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*NAMES])
    parser.add_argument("--devices", default="onnxruntime,openvino")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    folder = Path(tempfile.gettempdir()) / "nnadapter-bench"
    parser.add_argument("--folder", type=Path, default=folder)
    parser.add_argument("--one", action="store_true", help="Print one comparison as JSON.")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(compare(given.folder, given.names[0], given.devices, given.threads)))
        return
    shown = Table("device", "network", "before ms", "after ms", "ratio", "moved MB", "in ms")
    for device in given.devices.split(","):
        ratios = []
        for name in given.names:
            rows = [run_apart(given, name, device) for _ in range(given.rounds)]
            middle = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
            ratios.append(statistics.median(row["after"] / row["before"] for row in rows))
            told = (f"{middle[key]:.1f}" for key in ("before", "after"))
            moved = (f"{middle[key]:.0f}" for key in ("moved", "moving"))
            shown.add_row(device, name, *told, f"{ratios[-1]:.3f}", *moved)
        shown.add_row(device, "geometric mean", "", "", f"{statistics.geometric_mean(ratios):.3f}")
    OUT.print(shown)


def run_apart(given: argparse.Namespace, name: str, device: str) -> dict[str, float]:
    """What `compare` finds in a process of its own."""
    words = [sys.executable, "-W", "ignore", "-m", __spec__.name, name, "--one"]
    words += ["--devices", device, "--threads", str(given.threads), "--folder", str(given.folder)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
