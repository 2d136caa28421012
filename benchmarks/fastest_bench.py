"""`device="fastest"` beside every single device: processes from their start to their last result.

    python -m benchmarks.fastest_bench [NAME ...] [--calls 20] [--rounds 5] [--folder DIR]

Every process loads an `.onnx` file, compiles it with a folder of caches and runs it some times, in
turns: on each device and on "fastest", which chose in a process before them. Seconds of the clock;
the ratio is that of "fastest" to the best single device.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from . import first_models
from .first_bench import run_once

DEVICES = ("builtin", "onnxruntime", "openvino", "litert", "torch")
CODE = """
import numpy as np, nnadapter as nna
program = nna.compile(nna.load({path!r}), {device!r}, cache_dir={cache!r})
x = {inputs}
for _ in range({calls}):
    result = program(x)[0]
"""


def compare(folder: Path, name: str, calls: int, rounds: int) -> tuple[dict[str, float], str]:
    """Medians of seconds by device, and the device that "fastest" chose."""
    path = first_models.ensure(folder, name, ".onnx")
    found: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as cache:
        words = {"path": str(path), "inputs": first_models.inputs_of(name), "cache": cache}
        codes = {
            device: CODE.format(**words, device=device, calls=calls)
            for device in ("fastest", *DEVICES)
        }
        for code in codes.values():  # fills the caches, and chooses
            run_once(code)
        (kept,) = Path(cache).glob("*.fastest.json")
        chosen: str = json.loads(kept.read_text())["device"]
        for _ in range(rounds):
            for device, code in codes.items():
                found.setdefault(device, []).append(run_once(code).seconds)
    return {device: statistics.median(seconds) for device, seconds in found.items()}, chosen


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=[*first_models.NAMES])
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    folder = Path(tempfile.gettempdir()) / "nnadapter-bench"
    parser.add_argument("--folder", type=Path, default=folder)
    given = parser.parse_args()
    shown = Table("network", "chosen", *DEVICES, "fastest", "ratio")
    for name in given.names:
        seconds, chosen = compare(given.folder, name, given.calls, given.rounds)
        ratio = seconds["fastest"] / min(seconds[device] for device in DEVICES)
        row = [name, chosen, *(f"{seconds[device]:.2f}" for device in (*DEVICES, "fastest"))]
        print(*row, f"{ratio:.3f}", flush=True)
        shown.add_row(*row, f"{ratio:.3f}")
    Console(width=150).print(shown)


if __name__ == "__main__":
    main()
