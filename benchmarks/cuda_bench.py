"""Networks on a CUDA device: through nnadapter, and as PyTorch itself runs the program.

    python -m benchmarks.cuda_bench [NAME ...] [--device cuda] [--calls 50] [--folder DIR]
    python -m benchmarks.cuda_bench [NAME ...] --provider CUDA

Results come back to host memory on both sides. Needs a PyTorch with CUDA, and transformers. With
`--provider` on ONNX Runtime instead, beside its own session on the file of torch.onnx's exporter;
needs onnxruntime-gpu, and onnxscript.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import nnadapter as nna
from hal.drivers.onnxruntime.providers import EXACT

from . import torch_models
from .turns import in_turns

OUT = Console(width=150)
WAYS = ("nnadapter", "PyTorch", "nnadapter, TORCH_COMPILE", "torch.compile")
PROVIDER_WAYS = ("nnadapter", "nnadapter, .pt2", "ONNX Runtime")
NETWORKS = ("resnet50", "vit_b", "bert", "llama", "unet")


def _peer(module: Any, inputs: Sequence[np.ndarray], device: str) -> Callable[[], list[np.ndarray]]:
    """A module of PyTorch on a device, from arrays to arrays."""
    import torch

    def run() -> list[np.ndarray]:
        with torch.inference_mode():
            results = module(*(torch.from_numpy(a).to(device) for a in inputs))
        listed = results if isinstance(results, list | tuple) else [results]
        return [r.cpu().numpy() for r in listed]

    return run


def measure(path: Path, device: str, calls: int) -> dict[str, float]:
    """Milliseconds of each way, in turns, and how far our results are from PyTorch's own, as a part
    of the largest."""
    import torch
    from torch.export.passes import move_to_device_pass

    arrays = [a.numpy() for a in torch_models.build(path.stem)[1]]
    exported = torch.export.load(path)
    moved = move_to_device_pass(exported, torch.empty(0, device=device).device)  # cuda:0
    model = nna.load(path)
    program = nna.compile(model, "torch", f"TORCH_DEVICE={device};")
    fast = nna.compile(model, "torch", f"TORCH_DEVICE={device};TORCH_COMPILE=1;")
    runs: dict[str, Callable[[], Any]] = {
        "nnadapter": lambda: program(*arrays),
        "PyTorch": _peer(moved.module(), arrays, device),
        "nnadapter, TORCH_COMPILE": lambda: fast(*arrays),
        "torch.compile": _peer(torch.compile(moved.module()), arrays, device),
    }
    results = {name: run() for name, run in runs.items()}
    times = {name: 1e3 * seconds for name, seconds in in_turns(runs, calls).items()}
    own = results["PyTorch"]
    with torch.inference_mode():
        exact = torch.export.load(path).module()(*map(torch.from_numpy, arrays))
    for name, answers in results.items():
        times[f"{name} off"] = _farthest(answers, own)
    listed = exact if isinstance(exact, list | tuple) else [exact]
    times["CPU off"] = _farthest([r.numpy() for r in listed], own)
    return times


def measure_provider(folder: Path, name: str, provider: str, calls: int) -> dict[str, float]:
    """The same on ONNX Runtime with a provider, for the file that torch.onnx writes."""
    import onnxruntime

    program, file = torch_models.ensure(folder, name)
    arrays = [a.numpy() for a in torch_models.build(name)[1]]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    kind = f"{provider}ExecutionProvider"
    session = onnxruntime.InferenceSession(
        str(file), options, providers=[(kind, EXACT.get(kind, {})), "CPUExecutionProvider"]
    )
    feeds = dict(zip((i.name for i in session.get_inputs()), arrays, strict=True))
    properties = f"ONNXRUNTIME_PROVIDERS={provider};"
    ours = nna.compile(nna.load(file), "onnxruntime", properties)
    direct = nna.compile(nna.load(program), "onnxruntime", properties)
    runs: dict[str, Callable[[], Any]] = {
        "nnadapter": lambda: ours(*arrays),
        "nnadapter, .pt2": lambda: direct(*arrays),
        "ONNX Runtime": lambda: session.run(None, feeds),
    }
    results = {way: run() for way, run in runs.items()}
    times = {way: 1e3 * seconds for way, seconds in in_turns(runs, calls).items()}
    own = results["ONNX Runtime"]
    return times | {f"{way} off": _farthest(found, own) for way, found in results.items()}


def _farthest(answers: Sequence[np.ndarray], own: Sequence[np.ndarray]) -> float:
    """The largest difference, as a part of the largest number."""
    pairs = zip(answers, own, strict=True)
    return max(float(np.abs(a - b).max() / np.abs(b).max()) for a, b in pairs)


def main() -> None:
    import torch

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=list(NETWORKS))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--provider", help="of ONNX Runtime, such as CUDA")
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "nnadapter-bench"
    )
    given = parser.parse_args()
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False  # float32 stays float32 on both sides
    title = torch.cuda.get_device_name(given.device) if "cuda" in given.device else given.device
    if given.provider:
        ways, offs = PROVIDER_WAYS, ("nnadapter off", "nnadapter, .pt2 off")
    else:
        ways, offs = WAYS, ("nnadapter off", "nnadapter, TORCH_COMPILE off", "CPU off")
    shown = Table("network", *(f"{w} ms" for w in ways), *offs, title=title)
    for name in given.names:  # each alone
        if given.provider:
            found = measure_provider(given.folder, name, given.provider, given.calls)
        else:
            path = torch_models.ensure_program(given.folder, name)
            found = measure(path, given.device, given.calls)
        shown.add_row(name, *(f"{found[w]:.2f}" for w in ways), *(f"{found[w]:.1e}" for w in offs))
    OUT.print(shown)


if __name__ == "__main__":
    main()
