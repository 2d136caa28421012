"""First inferences: from the start of a process to the first result of a file.

    python -m benchmarks.first_bench [NAME ...] [--devices onnxruntime,openvino,litert,torch]
                                     [--rounds 7] [--folder DIR] [--warm]

Each device beside its own engine on the same file, in turns, in fresh processes, with what each
does when nothing is said: seconds from the start of Python to the first result (imports included),
seconds of processors, which say more where others keep the machine busy, and the peak of the
anonymous memory, which is watched from outside every five milliseconds.
`--warm`: `compile` with an empty cache and a full one instead, seconds of the calls alone.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from . import devices_bench, first_models

OUT = Console(width=150)
PAUSE = 0.005
OURS = """
import sys, numpy as np, nnadapter as nna
program = nna.compile(nna.load({path!r}), {device!r})
result = program({inputs})[0]
"""
THEIRS = {
    "onnxruntime": """
import sys, numpy as np, onnxruntime
session = onnxruntime.InferenceSession({path!r}, providers=["CPUExecutionProvider"])
result = session.run(None, {{session.get_inputs()[0].name: {inputs}}})[0]
""",
    "openvino": """
import sys, numpy as np, openvino
core = openvino.Core()
hints = {{"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}}
compiled = core.compile_model(core.read_model({path!r}), "CPU", hints)
result = compiled({inputs})[0]
""",
    "litert": """
import sys, os, numpy as np
from ai_edge_litert.interpreter import Interpreter
made = Interpreter({path!r}, num_threads=len(os.sched_getaffinity(0)))
made.allocate_tensors()
detail = made.get_input_details()[0]
made.set_tensor(detail["index"], {inputs}.astype(detail["dtype"]))
made.invoke()
result = made.get_tensor(made.get_output_details()[0]["index"])
""",
    "torch": """
import sys, numpy as np, torch
program = torch.export.load({path!r}).module()
with torch.inference_mode():
    result = program(torch.from_numpy({inputs}))
""",
}
"""What runs a file without us."""
SUFFIXES = {"onnxruntime": ".onnx", "openvino": ".onnx", "litert": ".tflite", "torch": ".pt2"}
END = """
import os
print(float(result.sum()), flush=True)
os.read(0, 1)
os._exit(0)
"""


@dataclass(frozen=True)
class First:
    """One first inference: seconds, seconds of processors, and megabytes of anonymous memory at its
    peak."""

    seconds: float
    processor: float
    memory: float


def run_once(code: str) -> First:
    """Run code in a fresh Python until it prints; RuntimeError where it fails."""
    started = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code + END],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"},
    )  # fmt: skip
    assert child.stdout is not None  # noqa: S101  for types
    assert child.stdin is not None  # noqa: S101
    peak = 0
    while not select.select([child.stdout], [], [], PAUSE)[0]:
        peak = max(peak, anonymous(child.pid))
    seconds = time.perf_counter() - started
    told = child.stdout.readline()
    peak = max(peak, anonymous(child.pid))
    with contextlib.suppress(BrokenPipeError):
        child.stdin.write(b"x")
        child.stdin.close()
    _, status, usage = os.wait4(child.pid, 0)
    child.stdout.close()
    child.returncode = os.waitstatus_to_exitcode(status)
    if not told:
        raise RuntimeError(f"nothing came of {code}")
    return First(seconds, usage.ru_utime + usage.ru_stime, peak / 1024)


def anonymous(process: int) -> int:
    """Kilobytes of memory that no file is behind."""
    try:
        text = Path(f"/proc/{process}/status").read_text("ascii")
    except OSError:
        return 0
    _, found, rest = text.partition("RssAnon:")
    return int(rest.split(None, 1)[0]) if found else 0


def compare(folder: Path, name: str, device: str, rounds: int) -> tuple[list[First], list[First]]:
    """Ours and theirs, in turns; the first round, which fills the caches of files, is left out."""
    path = str(first_models.ensure(folder, name, SUFFIXES[device]))
    words = {"path": path, "inputs": first_models.inputs_of(name), "device": device}
    codes = [OURS.format(**words), THEIRS[device].format(**words)]
    ours, theirs = ([run_once(code) for _ in range(1)] for code in codes)
    for _ in range(rounds):
        for code, found in zip(codes, (ours, theirs), strict=True):
            found.append(run_once(code))
    return ours[1:], theirs[1:]


def middle(found: Sequence[First]) -> First:
    columns = [(f.seconds, f.processor, f.memory) for f in found]
    return First(*map(statistics.median, zip(*columns, strict=True)))


def first_table(folder: Path, names: Sequence[str], devices: Sequence[str], rounds: int) -> None:
    """Seconds and megabytes of each network on each device, and geometric means of the ratios."""
    heads = ["device", "network", "nnadapter s", "engine s", "ratio", "of the least"]
    heads += ["nnadapter cpu s", "engine cpu s", "ratio", "nnadapter MB", "engine MB", "ratio"]
    shown = Table(*heads)
    for device in devices:
        times, processors, sizes = [], [], []
        for name in names:
            both = compare(folder, name, device, rounds)
            ours, theirs = map(middle, both)
            least = [min(f.seconds for f in found) for found in both]
            times.append(ours.seconds / theirs.seconds)
            processors.append(ours.processor / theirs.processor)
            sizes.append(ours.memory / theirs.memory)
            row = [device, name, f"{ours.seconds:.3f}", f"{theirs.seconds:.3f}"]
            row += (f"{times[-1]:.2f}", f"{least[0] / least[1]:.2f}")
            row += (f"{ours.processor:.3f}", f"{theirs.processor:.3f}", f"{processors[-1]:.2f}")
            row += (f"{ours.memory:.0f}", f"{theirs.memory:.0f}", f"{sizes[-1]:.2f}")
            shown.add_row(*row)
            print(*row, flush=True)
        found = (times, processors, sizes)
        means = [f"{math.exp(statistics.fmean(map(math.log, ratios))):.2f}" for ratios in found]
        blank = ("", "")
        shown.add_row(
            device, "geometric mean", *blank, means[0], "", *blank, means[1], *blank, means[2]
        )
    OUT.print(shown)


def warm_table(folder: Path, names: Sequence[str], devices: Sequence[str], rounds: int) -> None:
    """Compilation without and with a cache."""
    shown = Table("device", "network", "cold ms", "warm ms", "times faster")
    for device in devices:
        for name in names:
            path = first_models.ensure(folder, name, SUFFIXES[device])
            cold, warm = devices_bench.compile_times(path, device, folder / "cache", rounds)
            row = (f"{cold * 1e3:.0f}", f"{warm * 1e3:.0f}", f"{cold / warm:.1f}")
            shown.add_row(device, name, *row)
    OUT.print(shown)


def make_parser(text: str | None) -> argparse.ArgumentParser:
    """What a benchmark of first results is told: networks, devices, rounds and a folder."""
    parser = argparse.ArgumentParser(
        description=text, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=[*first_models.NAMES])
    parser.add_argument("--devices", default=",".join(SUFFIXES))
    parser.add_argument("--rounds", type=int, default=7)
    folder = Path(tempfile.gettempdir()) / "nnadapter-bench"
    parser.add_argument("--folder", type=Path, default=folder)
    return parser


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--warm", action="store_true")
    given = parser.parse_args()
    show = warm_table if given.warm else first_table
    show(given.folder, given.names, given.devices.split(","), given.rounds)


if __name__ == "__main__":
    main()
