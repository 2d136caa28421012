"""Messages between a process and its worker: a JSON head and raw arrays, no pickle.

Small arrays go through the pipe. Large ones go through a raw file in a folder that both know,
which the receiver maps and removes: they are written once and never copied.
"""

from __future__ import annotations

import json
import struct
import tempfile
from pathlib import Path
from typing import Any, BinaryIO

import ml_dtypes  # noqa: F401  makes NumPy know bfloat16 and its like by name
import numpy as np

HEAD = struct.Struct("<Q")
LARGE = 1 << 20
"""Bytes from which an array has a file of its own."""


def send(
    stream: BinaryIO,
    head: dict[str, Any],
    arrays: list[np.ndarray],
    blob: bytes = b"",
    folder: str | None = None,
) -> None:
    """Write one message; large arrays into files in `folder`, where there is one."""
    parts = [np.ascontiguousarray(a).reshape(a.shape) for a in arrays]
    described, raw = [], []
    for array in parts:
        about: dict[str, Any] = {"dtype": array.dtype.name, "shape": list(array.shape)}
        data = array.reshape(-1).view(np.uint8)  # before half a message is out
        if folder is not None and data.size >= LARGE:
            about["file"] = _write_data(data, folder)
        else:
            raw.append(data.data)
        described.append(about)
    text = json.dumps({**head, "arrays": described, "blob": len(blob)}).encode()
    stream.write(HEAD.pack(len(text)) + text + blob)
    for part in raw:
        stream.write(part)
    stream.flush()


def _write_data(data: np.ndarray, folder: str) -> str:
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        data.tofile(file)
    return file.name


def receive(stream: BinaryIO) -> tuple[dict[str, Any], list[np.ndarray], bytes]:
    """Read one message; EOFError when the other side is gone."""
    (size,) = HEAD.unpack(_exactly(stream, HEAD.size))
    head = json.loads(_exactly(stream, size))
    blob = _exactly(stream, head["blob"])
    arrays = []
    for described in head["arrays"]:
        dtype = np.dtype(described["dtype"])
        if "file" in described:
            raw = _map_file(Path(described["file"]))
        else:
            count = int(np.prod(described["shape"], dtype=np.int64))
            raw = np.frombuffer(_exactly(stream, count * dtype.itemsize), np.uint8)
        arrays.append(raw.view(dtype).reshape(described["shape"]))
    return head, arrays, blob


def _map_file(path: Path) -> np.ndarray:
    """The bytes of a file that is gone when nobody looks at them any more."""
    raw = np.memmap(path, np.uint8, "c").view(np.ndarray)
    path.unlink()
    return raw


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("the other process is gone")
    return data
