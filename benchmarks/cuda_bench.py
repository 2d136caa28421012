"""Networks on a CUDA device: through nnadapter, and as PyTorch itself runs the program.

    python -m benchmarks.cuda_bench [NAME ...] [--device cuda] [--calls 50] [--folder DIR]

Results come back to host memory on both sides. Needs a PyTorch with CUDA, and transformers.
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

from . import torch_models
from .turns import in_turns

OUT = Console(width=150)
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
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "nnadapter-bench"
    )
    given = parser.parse_args()
    torch.set_float32_matmul_precision("highest")
    torch.backends.cudnn.allow_tf32 = False  # float32 stays float32 on both sides
    ways = ("nnadapter", "PyTorch", "nnadapter, TORCH_COMPILE", "torch.compile")
    title = torch.cuda.get_device_name(given.device) if "cuda" in given.device else given.device
    shown = Table(
        "network", *(f"{w} ms" for w in ways), "ours off", "compiled off", "CPU off", title=title
    )
    for name in given.names:  # each alone
        path = torch_models.ensure_program(given.folder, name)
        found = measure(path, given.device, given.calls)
        far = (found["nnadapter off"], found["nnadapter, TORCH_COMPILE off"], found["CPU off"])
        shown.add_row(
            name, *(f"{found[w]:.2f}" for w in ways), *(f"{distance:.1e}" for distance in far)
        )
    OUT.print(shown)


if __name__ == "__main__":
    main()
