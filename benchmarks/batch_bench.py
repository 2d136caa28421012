"""Many conversions at once: `nnadapter batch` with one worker and with several.

    python -m benchmarks.batch_bench [--count 1000] [--to .tflite] [--jobs 1,2] [--folder DIR]

Small ONNX files with weights of their own (convolutions, products with norms, attention), each
converted and proved. Seconds of the clock from the start of the command to its end.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper
from rich.console import Console
from rich.table import Table

from .models import Builder


def convolutions(b: Builder, depth: int) -> tuple[list[int], str]:
    """A chain of convolutions with norms and activations, pooled."""
    x, channels = "x", 3
    for _ in range(depth):
        x = b.node("Conv", x, b.weight(8, channels, 3, 3, scale=0.2), pads=[1] * 4)
        gain, shift, mean = (b.weight(8) for _ in range(3))
        variance = b.constant(np.ones(8), np.float32)
        x = b.node("Relu", b.node("BatchNormalization", x, gain, shift, mean, variance))
        channels = 8
    return [1, 3, 16, 16], b.node("Flatten", b.node("GlobalAveragePool", x))


def products(b: Builder, depth: int) -> tuple[list[int], str]:
    """Layers of products, with norms and sums around them."""
    x = "x"
    for _ in range(depth):
        normal = b.node("LayerNormalization", x, b.weight(32, scale=1.0), b.weight(32))
        wide = b.node("Gelu", b.node("MatMul", normal, b.weight(32, 64, scale=0.2)))
        x = b.node("Add", x, b.node("MatMul", wide, b.weight(64, 32, scale=0.2)))
    return [1, 8, 32], x


def attention(b: Builder, depth: int) -> tuple[list[int], str]:
    """Heads that see each other."""
    x = "x"
    for _ in range(depth):
        query, key, value = (b.node("MatMul", x, b.weight(32, 32, scale=0.2)) for _ in range(3))
        scores = b.node("MatMul", query, b.node("Transpose", key, perm=[0, 2, 1]))
        x = b.node("Add", x, b.node("MatMul", b.node("Softmax", scores, axis=-1), value))
    return [1, 8, 32], x


KINDS = (convolutions, products, attention)


def make_models(folder: Path, count: int) -> None:
    """So many files of one to four layers; none has the weights of another."""
    for k in range(count):
        b = Builder(opset=20)
        b.rng = np.random.default_rng(k)
        kind = KINDS[k % len(KINDS)]
        sizes, end = kind(b, 1 + k // len(KINDS) % 4)
        head = helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes)
        b.save(folder / f"{kind.__name__}{k}.onnx", [head], end)


def measure(models: Path, folder: Path, to: str, jobs: int) -> float:
    """Seconds; every model must become a proved file."""
    command = [sys.executable, "-P", "-m", "nnadapter", "batch", str(models), "--to", to]
    command += ["--folder", str(folder), "--jobs", str(jobs)]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - started
    made, asked = len([*folder.rglob(f"*{to}")]), len([*models.glob("*.onnx")])
    if made != asked:
        raise RuntimeError(f"{made} of {asked} models were written")
    return seconds


def main() -> None:
    """Print a row for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--to", default=".tflite")
    parser.add_argument("--jobs", default="1,2")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "batch_bench")
    given = parser.parse_args()
    shutil.rmtree(given.folder, ignore_errors=True)
    models = given.folder / "models"
    models.mkdir(parents=True)
    make_models(models, given.count)
    table = Table("workers", "seconds", "times faster")
    first = 0.0
    for jobs in map(int, given.jobs.split(",")):
        seconds = measure(models, given.folder / f"made{jobs}", given.to, jobs)
        first = first or seconds
        table.add_row(str(jobs), f"{seconds:.1f}", f"{first / seconds:.2f}")
    Console().print(f"{given.count} models to {given.to}", table)


if __name__ == "__main__":
    main()
