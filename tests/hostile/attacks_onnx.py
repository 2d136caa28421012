"""Attacks in ONNX files."""

from __future__ import annotations

from pathlib import Path

from .harness import REFUSED, Attack


def truncated(folder: Path, marker: Path) -> Path:
    path = folder / "m.onnx"
    path.write_bytes(b"\x08\x0a\x3a\x7f\x0a\x05")
    return path


ATTACKS = [
    Attack("a file that ends in the graph", truncated, why="lengths", format=".onnx", ends=REFUSED),
]
