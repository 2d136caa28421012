"""`python -m benchmarks.language.steps [NAME ...]`: the cost of a word, beside ONNX Runtime's own.

The files of optimum's and of onnxruntime-genai's layout, wider than the others so that there is
something to compute, on the onnxruntime device and in a session of ONNX Runtime, in turns: the same
caches go in as arrays, and come out as arrays. Needs the package transformers.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

import nnadapter as nna

from .. import turns
from . import genai_parts, networks, optimum_parts
from .parts import Layout

WIDER = {
    "hidden_size": 512,
    "num_hidden_layers": 6,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "intermediate_size": 1376,
    "vocab_size": 8000,
    "max_position_embeddings": 2048,
}
BEFORE = (16, 256, 1024)
"""Words in the cache."""


def make_feeds(layout: Layout, count: int) -> list[np.ndarray]:
    """Arrays for a step behind `count` words."""
    rng = np.random.default_rng(0)
    arrays = {
        "words": np.array([[7]]),
        "places": np.array([[count]]),
        "mask": np.ones((1, count + 1), np.int64),
    }
    for name, (batch, heads, room, width) in layout.empty.items():
        size = (batch, heads, count + 256 if room else count, width)
        arrays[name] = rng.standard_normal(size, np.float32)
    return [arrays[name] for name in layout.parts["step"].inputs]


def measure(layout: Layout, count: int, calls: int, threads: int) -> tuple[float, float]:
    """Milliseconds of a step, ours and of ONNX Runtime."""
    path = layout.parts["step"].source
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    arrays = make_feeds(layout, count)
    feeds = dict(zip([i.name for i in session.get_inputs()], arrays, strict=True))
    with nna.compile(
        nna.load(path), "onnxruntime", f"ONNXRUNTIME_NUM_THREADS={threads};"
    ) as program:
        ours, theirs = program(*arrays), session.run(None, feeds)
        np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-3, atol=1e-3)
        found = turns.in_turns(
            {"ours": lambda: program(*arrays), "peer": lambda: session.run(None, feeds)}, calls
        )
    return found["ours"] * 1e3, found["peer"] * 1e3


def main() -> None:
    """Print a row for each model, layout and length."""
    from rich.console import Console
    from rich.table import Table

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["llama", "qwen3", "phi3"])
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    layouts: dict[str, Any] = {"optimum": optimum_parts, "genai": genai_parts}
    shown = Table("model", "layout", "words before", "nnadapter ms", "ONNX Runtime ms", "ratio")
    for name in given.names:
        model = networks.build_network(name, WIDER)
        for kind, maker in layouts.items():
            with tempfile.TemporaryDirectory() as folder:
                layout = maker.export_layout(model, name, Path(folder))
                for count in BEFORE:
                    ours, peer = measure(layout, count, given.calls, given.threads)
                    cells = f"{count}", f"{ours:.2f}", f"{peer:.2f}", f"{ours / peer:.3f}"
                    shown.add_row(name, kind, *cells)
    Console(width=120).print(shown)


if __name__ == "__main__":
    main()
