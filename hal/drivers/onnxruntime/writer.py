"""Write `.onnx` files: weights go from their views straight to the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from nnir.formats.onnx import ModelProto
from nnir.formats.wire import VARINT
from nnir.mapping import map_file, write_array
from nnir.staging import replacing

from . import proto

IR_VERSION_TAG = ModelProto.IR_VERSION << 3 | VARINT
"""The first byte of a file: the version of the format is field 1, and comes first."""

Head = Callable[[int], bytes]
"""Makes what stands before a graph of so many bytes."""

LARGEST = 3 << 29
"""1.5 GB: protobuf holds 2, and whoever changes such a file needs some room."""


def write(path: Path, graph: bytes, weights: dict[str, np.ndarray], head: Head) -> None:
    """One file; above 1.5 GB the weights go to `<name>.data`."""
    if is_large(graph, weights):
        _write_external(path, graph, weights, head)
        return
    heads = {n: proto.initializer_head(n, a) for n, a in weights.items()}
    size = len(graph) + sum(
        len(h) + a.nbytes for h, a in zip(heads.values(), weights.values(), strict=True)
    )
    with replacing(path) as file:
        file.write(head(size))
        file.write(graph)
        for name, array in weights.items():
            file.write(heads[name])
            write_array(file, array)


def is_large(graph: bytes, weights: dict[str, np.ndarray]) -> bool:
    """Whether the weights need a file of their own."""
    return len(graph) + sum(a.nbytes for a in weights.values()) > LARGEST


def files_to_write(path: Path, graph: bytes, weights: dict[str, np.ndarray]) -> list[Path]:
    """What `write` writes, the main file last."""
    return [data_path(path), path] if is_large(graph, weights) else [path]


def files_of(path: Path) -> list[Path] | None:
    """An existing `.onnx` file, with the file of its weights where it names that; None where it
    begins as no ONNX file does."""
    data = map_file(path)
    if data and data[0] != IR_VERSION_TAG:
        return None
    beside = data_path(path)
    return [path, beside] if data.find(beside.name.encode()) >= 0 else [path]


def data_path(path: Path) -> Path:
    """Where the weights of a large model lie."""
    return path.with_name(f"{path.name}.data")


def _write_external(path: Path, graph: bytes, weights: dict[str, np.ndarray], head: Head) -> None:
    beside = data_path(path)
    placed = []
    with replacing(beside) as file:
        for name, array in weights.items():
            offset = -(-file.tell() // 4096) * 4096
            file.seek(offset)
            write_array(file, array)
            weight = proto.external_tensor(name, array, beside.name, offset, array.nbytes)
            placed.append(proto.initializer(weight))
    body = graph + b"".join(placed)
    with replacing(path) as file:
        file.write(head(len(body)))
        file.write(body)
