"""How long a call takes of programs with open sizes: through us, and in the engines.

    python -m benchmarks.open_sizes [NAME ...] [--devices onnxruntime,openvino] [--threads 1]
                                    [--calls 9] [--folder DIR]

Transformers of `benchmarks.torch_models` whose batch, words or caches have any size. Ours is the
`.pt2` file and the file of PyTorch's exporter to ONNX, loaded, optimised and compiled; the engine
has the second one. Each has processes for itself, three in turns, and is called on each size;
times are medians of all calls. Results are compared with PyTorch's.
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from . import torch_models
from .latency import THREADS, Arrays, Call, error_of, peer_of, read_arrays
from .turns import in_turns

OUT = Console(width=120)
ROUNDS = 3
WAYS = ("pt2", "onnx", "engine")
"""Ours of either file, and the engine."""

SIZES: Mapping[str, Sequence[tuple[int, int]]] = {
    "bert": ((1, 128), (4, 64)),
    "gpt2": ((1, 128), (4, 64)),
    "llama": ((1, 128), (1, 1024)),
    "vit_b": ((1, 0), (2, 0)),
    "whisper": ((1, 0),),
}
"""How many samples, and how many words, or words in the caches behind the one that is new."""


@dataclass(frozen=True)
class Task:
    """A network on a device."""

    folder: Path
    name: str
    device: str
    threads: int
    calls: int

    def file(self, end: str) -> Path:
        return self.folder / f"open_{self.name}{end}"


def inputs_of(name: str, batch: int, length: int) -> list[Any]:
    """Tensors of these sizes."""
    import torch

    words = torch.randint(0, 8000, (batch, length))
    match name:
        case "bert":
            return [words, torch.ones(batch, length, dtype=torch.int64)]
        case "gpt2":
            return [words]
        case "llama":
            return [words[:, :1], *torch.randn(16, batch, 4, length, 64)]
        case "vit_b":
            return [torch.randn(batch, 3, 224, 224)]
    return [torch.randn(batch, 80, 3000)]


def open_axes(name: str) -> list[dict[int, Any]]:
    """What may have any size, of each input."""
    from torch.export import Dim

    match name:
        case "bert":
            return [dict.fromkeys((0, 1), Dim.AUTO)] * 2
        case "gpt2":
            return [dict.fromkeys((0, 1), Dim.AUTO)]
        case "llama":
            return [{0: Dim.AUTO}, *[dict.fromkeys((0, 2), Dim.AUTO)] * 16]
    return [{0: Dim.AUTO}]


def make(task: Task) -> None:
    """Write both files of a network, and what PyTorch gives on each size."""
    import torch

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    torch.manual_seed(0)
    module, _ = torch_models.build(task.name)
    module.eval()
    task.folder.mkdir(parents=True, exist_ok=True)
    example = tuple(inputs_of(task.name, 2, 100))
    with torch.no_grad():
        program = torch.export.export(
            module, example, dynamic_shapes=(tuple(open_axes(task.name)),)
        )
        torch.onnx.export(program, dynamo=True, optimize=True).save(task.file(".onnx"))
        torch.export.save(program, task.file(".pt2"))
        for place, sizes in enumerate(SIZES[task.name]):
            inputs = inputs_of(task.name, *sizes)
            results = module(*inputs)
            results = [results] if torch.is_tensor(results) else results
            np.savez(task.file(f"_inputs{place}.npz"), *(x.numpy() for x in inputs))
            np.savez(task.file(f"_results{place}.npz"), *(x.numpy() for x in results))


def call_of(task: Task, way: str, arrays: Arrays) -> Call:
    """The network, loaded and compiled, on arrays."""
    if way == "engine":
        return peer_of(task.device, task.file(".onnx"), arrays, task.threads)
    import nnadapter as nna

    model = nna.load(task.file(f".{way}"))
    nna.optimize(model)
    program = nna.compile(model, task.device, THREADS[task.device].format(task.threads))
    return partial(program, *arrays)


def measure(task: Task, way: str) -> list[tuple[float, float]]:
    """Milliseconds and the largest error on each size."""
    found = []
    for place in range(len(SIZES[task.name])):
        arrays, wanted = (
            read_arrays(task.file(f"_{kind}{place}.npz")) for kind in ("inputs", "results")
        )
        run = call_of(task, way, arrays)
        error = error_of(run(), wanted)
        found.append((1e3 * in_turns({way: run}, task.calls)[way], error))
    return found


def run_apart(task: Task, *words: str) -> str:
    """What a process of its own prints."""
    command = [sys.executable, "-W", "ignore", "-m", __spec__.name, task.name, *words]
    command += ["--devices", task.device, "--threads", str(task.threads)]
    command += ["--calls", str(task.calls), "--folder", str(task.folder)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def show(tasks: Sequence[Task]) -> None:
    """A table of all networks on a device."""
    title = f"{tasks[0].device}, {tasks[0].threads} threads"
    head = ("network", "sizes", ".pt2 ms", ".onnx ms", "engine ms", "ratio", "ratio", "error")
    shown = Table(*head, title=title)
    ratios: list[tuple[float, float]] = []
    for task in tasks:
        if not task.file(f"_results{len(SIZES[task.name]) - 1}.npz").exists():
            run_apart(task, "--make")
        told: dict[str, list[Any]] = {way: [] for way in WAYS}
        for _ in range(ROUNDS):
            for way, rows in told.items():
                rows.append(json.loads(run_apart(task, "--one", way).splitlines()[-1]))
        for place, sizes in enumerate(SIZES[task.name]):
            each = {w: statistics.median(r[place][0] for r in told[w]) for w in WAYS}
            error = max(r[place][1] for rows in told.values() for r in rows)
            ratios.append((each["pt2"] / each["engine"], each["onnx"] / each["engine"]))
            row = [f"{each[way]:.2f}" for way in WAYS] + [f"{ratio:.2f}" for ratio in ratios[-1]]
            shown.add_row(task.name, f"{sizes}", *row, f"{error:.0e}")
            print(title, task.name, sizes, *row, f"{error:.0e}", flush=True)
    means = [f"{statistics.geometric_mean(column):.3f}" for column in zip(*ratios, strict=True)]
    shown.add_row("geometric mean", "", "", "", "", *means, "")
    OUT.print(shown)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*SIZES])
    parser.add_argument("--devices", default="onnxruntime,openvino")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--calls", type=int, default=9)
    folder = Path(tempfile.gettempdir()) / "nnadapter-bench"
    parser.add_argument("--folder", type=Path, default=folder)
    parser.add_argument("--one", choices=WAYS, help="Print what one way takes as JSON.")
    parser.add_argument("--make", action="store_true", help="Only make the files.")
    given = parser.parse_args()
    for device in given.devices.split(","):
        for threads in map(int, given.threads.split(",")):
            tasks = [Task(given.folder, n, device, threads, given.calls) for n in given.names]
            if given.make:
                make(tasks[0])
            elif given.one:
                print(json.dumps(measure(tasks[0], given.one)))
            else:
                show(tasks)


if __name__ == "__main__":
    main()
