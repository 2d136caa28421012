"""Messages between a process and its worker: a JSON head and raw arrays, no pickle."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

import ml_dtypes  # noqa: F401  makes NumPy know bfloat16 and its like by name
import numpy as np

HEAD = struct.Struct("<Q")


def send(
    stream: BinaryIO, head: dict[str, Any], arrays: list[np.ndarray], blob: bytes = b""
) -> None:
    """Write one message."""
    parts = [np.ascontiguousarray(a).reshape(a.shape) for a in arrays]
    described = [{"dtype": a.dtype.name, "shape": list(a.shape)} for a in parts]
    text = json.dumps({**head, "arrays": described, "blob": len(blob)}).encode()
    raw = [a.reshape(-1).view(np.uint8).data for a in parts]  # before half a message is out
    stream.write(HEAD.pack(len(text)) + text + blob)
    for data in raw:
        stream.write(data)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], list[np.ndarray], bytes]:
    """Read one message; EOFError when the other side is gone."""
    (size,) = HEAD.unpack(_exactly(stream, HEAD.size))
    head = json.loads(_exactly(stream, size))
    blob = _exactly(stream, head["blob"])
    arrays = []
    for described in head["arrays"]:
        dtype = np.dtype(described["dtype"])
        count = int(np.prod(described["shape"], dtype=np.int64))
        raw = np.frombuffer(_exactly(stream, count * dtype.itemsize), np.uint8)
        arrays.append(raw.view(dtype).reshape(described["shape"]))
    return head, arrays, blob


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("the other process is gone")
    return data
