"""A step of a language model whose cache stays in the memory of a GPU.

    python -m benchmarks.cuda_decoding [--device cuda] [--provider CUDA] [--calls 50]

A Llama of 8 layers and width 1024 with a static cache of 1,024 places (64 MB), as transformers
exports it: with the cache as states, which stay on the device; with the same cache as inputs and
outputs (`state="explicit"`), which pass through the host; and as PyTorch runs the program itself.
Words are those of PyTorch on the CPU. Needs transformers; `--provider ""` leaves ONNX Runtime out.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import nnadapter as nna

from .decoding import WORDS, Run, decode, export
from .turns import in_turns

PLACES = 1024
SIZES = {
    "hidden_size": 1024,
    "num_hidden_layers": 8,
    "num_attention_heads": 16,
    "num_key_value_heads": 16,
    "intermediate_size": 2752,
    "vocab_size": 8000,
    "max_position_embeddings": PLACES,
    "use_cache": True,
}


def keep_on_device(path: Path, device: str, properties: str) -> Run:
    """Steps of a program that keeps its cache."""
    program = nna.compile(nna.load(path), device, properties)
    return lambda words, places: program(words, places)[0]


def pass_through_host(path: Path, device: str, properties: str) -> Run:
    """Steps of a program that is handed its cache, and gives it back."""
    kept = nna.load(path)
    cache = [state.initial for state in kept.states]
    program = nna.compile(nna.load(path, state="explicit"), device, properties)

    def run(words: np.ndarray, places: np.ndarray) -> np.ndarray:
        first, *after = program(words, places, *cache)
        cache[:] = after
        return first

    return run


def run_pytorch(path: Path, device: str) -> Run:
    """Steps of the program in PyTorch."""
    import torch
    from torch.export.passes import move_to_device_pass

    program = torch.export.load(path)
    module = move_to_device_pass(program, torch.empty(0, device=device).device).module()

    def run(words: np.ndarray, places: np.ndarray) -> np.ndarray:
        with torch.inference_mode():
            tensors = (torch.from_numpy(a).to(device) for a in (words, places))
            found = module(**dict(zip(("input_ids", "cache_position"), tensors, strict=True)))
        first = found if isinstance(found, torch.Tensor) else found[0]
        array: np.ndarray = first.cpu().numpy()
        return array

    return run


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each way."""
    import torch

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--provider", default="CUDA")
    parser.add_argument("--calls", type=int, default=50)
    given = parser.parse_args(arguments)
    warnings.filterwarnings("ignore")
    torch.set_float32_matmul_precision("highest")
    table = Table("way", "ms a step", f"words of {WORDS}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "llama.pt2"
        wanted = decode(export("llama", path, SIZES, PLACES))
        ours: dict[str, tuple[str, str]] = {"torch": ("torch", f"TORCH_DEVICE={given.device};")}
        if given.provider:
            properties = f"ONNXRUNTIME_PROVIDERS={given.provider};"
            ours["onnxruntime"] = "onnxruntime", properties
        ways: dict[str, Run] = {"PyTorch": run_pytorch(path, given.device)}
        for name, how in ours.items():
            ways[f"{name}, states"] = keep_on_device(path, *how)
            ways[f"{name}, through the host"] = pass_through_host(path, *how)
        equal = {name: _count_equal(decode(run), wanted) for name, run in ways.items()}
        times = in_turns({name: _step(run) for name, run in ways.items()}, given.calls)
    for name, seconds in times.items():
        table.add_row(name, f"{1e3 * seconds:.2f}", str(equal[name]))
    Console(width=100).print(table)


def _step(run: Run) -> Callable[[], np.ndarray]:
    return lambda: run(np.array([[5]]), np.array([WORDS]))


def _count_equal(words: Sequence[int], wanted: Sequence[int]) -> int:
    return sum(a == b for a, b in zip(words, wanted, strict=True))


if __name__ == "__main__":
    main()
