"""Restored programs compute what the cold ones do, whatever the sizes of their weights."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DEVICES = ("onnxruntime", "openvino", "litert", "torch")


def run(device: str, folder: Path, seed: int, count: int) -> None:
    """Fails with the seed that ended the process, or that gave something else."""
    words = [sys.executable, "-m", "tests.hal.restored", device, folder, str(seed), str(count)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    said = done.stdout.split()[-1:], done.stderr[-2000:]
    assert done.returncode == 0, (done.returncode, *said)


@pytest.mark.parametrize("device", DEVICES)
def test_networks_of_odd_sizes(device: str, tmp_path: Path) -> None:
    run(device, tmp_path, 0, 12)


@pytest.mark.long
@pytest.mark.parametrize("device", DEVICES)
def test_many_networks_of_odd_sizes(device: str, tmp_path: Path) -> None:
    run(device, tmp_path, 1000, 150)
