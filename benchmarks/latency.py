"""How long a call takes: PyTorch programs through us, and their ONNX export in the engines.

    python -m benchmarks.latency [NAME ...] [--devices onnxruntime,openvino] [--threads 1,2]
                                 [--fastest] [--calls 25] [--folder DIR]

Ours is the `.pt2` file, loaded, optimised and compiled; the peer is what
`torch.onnx.export(dynamo=True, optimize=True)` writes, in ONNX Runtime and as OpenVINO reads it.
Each pair is called in turns in two processes of its own: what is compiled first in a process may
lie in slower memory (a tenth, on a virtual machine), so each is the first once, and the times are
geometric means. Both results are compared with PyTorch's.

Ours runs on the device of the engine that it is compared with, or with `--fastest` on the one that
`device="fastest"` chose of those installed, in a process before. Then each has its processes for
itself, four in turns: threads of ONNX Runtime wait for work by running, up to fifty milliseconds
long, which takes a core from another engine in the same process.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from . import torch_models
from .turns import in_turns

OUT = Console(width=120)
DEVICES = ("onnxruntime", "openvino")
WARM = 1.5
"""Seconds that each is called before it is measured, of which a program takes one to move what it
packed into huge pages."""

FIRST = ("ours", "peer")
"""Which of the two is compiled first."""

NUMBERS = (*FIRST, "ours error", "peer error")

THREADS = {
    "onnxruntime": "ONNXRUNTIME_NUM_THREADS={};",
    "openvino": "INTEL_OPENVINO_INFERENCE_NUM_THREADS={};",
    "litert": "GOOGLE_XNNPACK_NUM_THREADS={};",
    "torch": "TORCH_NUM_THREADS={};",
}
Arrays = Sequence[np.ndarray]
Call = Callable[[], Arrays]


def peer_of(device: str, path: Path, arrays: Arrays, threads: int) -> Call:
    """A call of the engine on an ONNX file, with what it does when only threads are said."""
    if device == "onnxruntime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        providers = ["CPUExecutionProvider"]
        session = onnxruntime.InferenceSession(path, options, providers=providers)
        feeds = dict(zip([i.name for i in session.get_inputs()], arrays, strict=True))
        return lambda: session.run(None, feeds)
    import openvino

    core = openvino.Core()
    hints = {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    hints |= {"INFERENCE_NUM_THREADS": threads}
    request = core.compile_model(core.read_model(path), "CPU", hints).create_infer_request()
    return lambda: [*request.infer(arrays, share_inputs=True, share_outputs=True).values()]


def error_of(found: Arrays, wanted: Arrays) -> float:
    """The largest difference of a result, as a part of its largest element."""
    return max(
        float(np.abs(a - b).max() / np.abs(b).max()) for a, b in zip(found, wanted, strict=True)
    )


def read_arrays(path: Path) -> list[np.ndarray]:
    """The arrays of an archive, in the order in which they were written."""
    with np.load(path) as file:
        return [file[f"arr_{k}"] for k in range(len(file.files))]


@dataclass(frozen=True)
class Task:
    """A network that is measured beside an engine, ours on its device or on the fastest one."""

    folder: Path
    name: str
    device: str
    threads: int
    calls: int
    is_fastest: bool


def compile_ours(task: Task, program: Path, arrays: Arrays) -> Any:
    """The `.pt2` file compiled, on the device that the task says."""
    import nnadapter as nna

    model = nna.load(program)
    nna.optimize(model)
    if not task.is_fastest:
        return nna.compile(model, task.device, THREADS[task.device].format(task.threads))
    properties = "".join(text.format(task.threads) for text in THREADS.values())
    cache = task.folder / f"fastest_{task.threads}"
    cache.mkdir(exist_ok=True)
    return nna.compile(model, "fastest", properties, inputs=arrays, cache_dir=cache)


def compare(task: Task, first: str) -> dict[str, Any]:
    """Milliseconds of both and the largest errors, and where ours ran; of one alone where different
    engines would be in the way of each other."""
    program, exported = torch_models.ensure(task.folder, task.name)
    archives = (task.folder / f"{task.name}_{w}.npz" for w in ("inputs", "results"))
    arrays, wanted = map(read_arrays, archives)
    found: dict[str, Any] = {}

    def make_ours() -> Call:
        compiled = compile_ours(task, program, arrays)
        found["device"] = "+".join(compiled.devices)
        compiled(*arrays)  # some engines pack weights only now, and beside what the peer allocates
        return lambda: compiled(*arrays)

    make = {
        "ours": make_ours,
        "peer": partial(peer_of, task.device, exported, arrays, task.threads),
    }
    order = [first] if task.is_fastest else sorted(make, key=lambda k: k != first)
    runs = {key: make[key]() for key in order}
    found |= {f"{key} error": error_of(run(), wanted) for key, run in runs.items()}
    for run in runs.values():
        keep_running(run)
    return found | {key: 1e3 * seconds for key, seconds in in_turns(runs, task.calls).items()}


def keep_running(run: Call) -> None:
    """Until what a program does once it is in use is over."""
    end = time.monotonic() + WARM
    while time.monotonic() < end:
        run()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*torch_models.NAMES])
    parser.add_argument("--devices", default=",".join(DEVICES))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--calls", type=int, default=25)
    folder = Path(tempfile.gettempdir()) / "nnadapter-bench"
    parser.add_argument("--folder", type=Path, default=folder)
    parser.add_argument("--fastest", action="store_true", help="Ours on the fastest device.")
    parser.add_argument("--one", choices=FIRST, help="Print one comparison as JSON.")
    given = parser.parse_args()
    for device in given.devices.split(","):
        for count in map(int, given.threads.split(",")):
            tasks = [
                Task(given.folder, name, device, count, given.calls, given.fastest)
                for name in given.names
            ]
            if given.one:
                print(json.dumps(compare(tasks[0], given.one)))
            else:
                show(tasks)


def run_apart(task: Task, first: str) -> dict[str, Any]:
    """What `compare` finds in a process of its own."""
    words = [sys.executable, "-W", "ignore", "-m", __spec__.name, task.name]
    words += ["--devices", task.device, "--threads", str(task.threads), "--one", first]
    words += ["--calls", str(task.calls), "--folder", str(task.folder)]
    words += ["--fastest"] if task.is_fastest else []
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def show(tasks: Sequence[Task]) -> None:
    """A table of all networks beside an engine."""
    title = f"{tasks[0].device}, {tasks[0].threads} threads"
    head = ("network", "nnadapter ms", "on", "engine ms", "ratio", "error", "its error")
    shown = Table(*head, title=title)
    ratios = []
    for task in tasks:
        torch_models.ensure(task.folder, task.name)
        if task.is_fastest:
            run_apart(task, "ours")  # which chooses
        told = [run_apart(task, first) for first in (FIRST * 2 if task.is_fastest else FIRST)]
        column = {key: [row[key] for row in told if key in row] for key in NUMBERS}
        found = {key: statistics.geometric_mean(column[key]) for key in FIRST}
        found |= {key: max(column[key]) for key in NUMBERS[len(FIRST) :]}
        ratios.append(found["ours"] / found["peer"])
        device = next(row["device"] for row in told if "device" in row)
        row = (f"{found['ours']:.2f}", device, f"{found['peer']:.2f}")
        errors = (f"{found[key]:.0e}" for key in NUMBERS[len(FIRST) :])
        shown.add_row(task.name, *row, f"{ratios[-1]:.3f}", *errors)
        print(title, task.name, *row, f"{ratios[-1]:.3f}", flush=True)
    mean = statistics.geometric_mean(ratios)
    shown.add_row("geometric mean", "", "", "", f"{mean:.3f}", "", "")
    OUT.print(shown)


if __name__ == "__main__":
    main()
