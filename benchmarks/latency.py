"""How long a call takes: PyTorch programs through us, and their ONNX export in the engines.

    python -m benchmarks.latency [NAME ...] [--devices onnxruntime,openvino] [--threads 1,2]
                                 [--calls 25] [--folder DIR]

Ours is the `.pt2` file, loaded, optimised and compiled; the peer is what
`torch.onnx.export(dynamo=True, optimize=True)` writes, in ONNX Runtime and as OpenVINO reads it.
Each pair is called in turns in two processes of its own: what is compiled first in a process may
lie in slower memory (a tenth, on a virtual machine), so each is the first once, and the times are
geometric means. Both results are compared with PyTorch's.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from . import torch_models
from .turns import in_turns

OUT = Console(width=120)
DEVICES = ("onnxruntime", "openvino")
FIRST = ("ours", "peer")
"""Which of the two is compiled first."""

THREADS = {
    "onnxruntime": "ONNXRUNTIME_NUM_THREADS={};",
    "openvino": "INTEL_OPENVINO_INFERENCE_NUM_THREADS={};",
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


def compare(
    folder: Path, name: str, device: str, threads: int, calls: int, *, peer_first: bool
) -> dict[str, float]:
    """Milliseconds of both and the largest errors."""
    import nnadapter as nna

    program, exported = torch_models.ensure(folder, name)
    arrays, wanted = (read_arrays(folder / f"{name}_{w}.npz") for w in ("inputs", "results"))
    peer = peer_of(device, exported, arrays, threads) if peer_first else None
    model = nna.load(program)
    nna.optimize(model)
    compiled = nna.compile(model, device, THREADS[device].format(threads))
    peer = peer or peer_of(device, exported, arrays, threads)
    runs = {"ours": lambda: compiled(*arrays), "peer": peer}
    errors = {f"{k} error": error_of(run(), wanted) for k, run in runs.items()}
    return {k: 1e3 * t for k, t in in_turns(runs, calls).items()} | errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[*torch_models.NAMES])
    parser.add_argument("--devices", default=",".join(DEVICES))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--calls", type=int, default=25)
    folder = Path(tempfile.gettempdir()) / "nnadapter-bench"
    parser.add_argument("--folder", type=Path, default=folder)
    parser.add_argument("--one", choices=FIRST, help="Print one comparison as JSON.")
    given = parser.parse_args()
    devices, threads = given.devices.split(","), [*map(int, given.threads.split(","))]
    if given.one:
        pair = given.folder, given.names[0], devices[0], threads[0], given.calls
        print(json.dumps(compare(*pair, peer_first=given.one == "peer")))
        return
    for device in devices:
        for count in threads:
            show(given.folder, given.names, device, count, given.calls)


def show(folder: Path, names: Sequence[str], device: str, threads: int, calls: int) -> None:
    """A table of all networks on a device."""
    head = ("network", "nnadapter ms", "engine ms", "ratio", "error", "its error")
    shown = Table(*head, title=f"{device}, {threads} threads")
    ratios = []
    for name in names:
        torch_models.ensure(folder, name)
        words = [sys.executable, "-W", "ignore", "-m", __spec__.name, name, "--devices", device]
        words += ["--threads", str(threads), "--calls", str(calls), "--folder", str(folder)]
        told = []
        for first in FIRST:
            done = subprocess.run(
                [*words, "--one", first], check=True, capture_output=True, text=True
            )
            told.append(json.loads(done.stdout.splitlines()[-1]))
        found = {key: math.sqrt(told[0][key] * told[1][key]) for key in told[0]}
        ratios.append(found["ours"] / found["peer"])
        numbers = (f"{found['ours']:.2f}", f"{found['peer']:.2f}", f"{ratios[-1]:.3f}")
        errors = (f"{found[key]:.0e}" for key in ("ours error", "peer error"))
        shown.add_row(name, *numbers, *errors)
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    shown.add_row("geometric mean", "", "", f"{mean:.3f}", "", "")
    OUT.print(shown)


if __name__ == "__main__":
    main()
