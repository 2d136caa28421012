"""Samples in files: an array of all of them for each input, in the order of the inputs."""

from __future__ import annotations

from pathlib import Path

import numpy as np

CALIBRATION = 64
"""How many samples choose ranges."""

HELD, FEWER, FEWEST = 8192, 2048, 512
"""How many others are scored, fewer where engines are slow: an answer is 0.01, 0.05 or 0.2 %."""


def write_samples(path: Path, inputs: dict[str, np.ndarray]) -> None:
    """Write the arrays, which have one sample an entry of their first axis."""
    np.savez(path, **inputs)


def read_samples(path: Path) -> list[dict[str, np.ndarray]]:
    """Each sample as a batch of one."""
    with np.load(path) as arrays:
        whole = dict(arrays)
    count = len(next(iter(whole.values())))
    return [{name: a[k : k + 1] for name, a in whole.items()} for k in range(count)]
