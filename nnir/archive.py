"""The `.nnir` file: a safetensors file whose metadata holds the graph as JSON.

Weights are written from their views and read as views into the map of the file, each aligned to
64 bytes. Elements narrower than a byte are packed, the first in the lowest bits. Equal models give
equal bytes. Nothing in the file is code.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from .errors import DAMAGE, BadFile, NNAdapterError, describe
from .formats.archives import SUFFIX as SUFFIX
from .formats.archives import is_archive as is_archive
from .formats.bits import BITS, pack, stored_size, unpack
from .mapping import MappedFile, map_file, write_array
from .model import Model
from .provenance import decode_places, encode_places
from .serial import Encoder, decode
from .types import Precision, precision_of

ALIGNMENT = 64
LARGEST_HEADER = 100_000_000
KEY = "nnir"
HALVES = "[\ud800-\udfff]"
NATIVE = {
    Precision.BOOL8: "BOOL",
    Precision.INT8: "I8",
    Precision.UINT8: "U8",
    Precision.INT16: "I16",
    Precision.UINT16: "U16",
    Precision.INT32: "I32",
    Precision.UINT32: "U32",
    Precision.INT64: "I64",
    Precision.UINT64: "U64",
    Precision.FLOAT16: "F16",
    Precision.FLOAT32: "F32",
    Precision.FLOAT64: "F64",
    Precision.BFLOAT16: "BF16",
    Precision.FLOAT8E4M3FN: "F8_E4M3",
    Precision.FLOAT8E5M2: "F8_E5M2",
}
"""Precisions that safetensors names; the others are stored as bytes."""


def save(model: Model, path: Path) -> None:
    """Write a model; the file appears whole or not at all."""
    prepare(model, path)()


def prepare(model: Model, path: Path) -> Callable[[], None]:
    """What writes a model, whole or not at all; BadFile for one that the format does not hold."""
    from .staging import replacing  # who reads alone does without

    header, weights = _header(model)

    def write() -> None:
        with replacing(path) as file:
            file.write(header)
            _write_weights(file, weights)

    return write


def dumps(model: Model) -> bytes:
    """A model in memory, as `save` writes it."""
    file = io.BytesIO()
    header, weights = _header(model)
    file.write(header)
    _write_weights(file, weights)
    return file.getvalue()


def _header(model: Model) -> tuple[bytes, list[np.ndarray]]:
    """What comes before the weights, and the weights."""
    encoder = Encoder()
    graph = encoder.model(model)
    graph["weights"] = [[precision_of(w.dtype).name, list(w.shape)] for w in encoder.weights]
    if places := encode_places(model.provenance.places, set(_origins(model))):
        graph["places"] = places
    if model.provenance.properties:
        graph["properties"] = model.provenance.properties
    entries: dict[str, Any] = {"__metadata__": {KEY: _json(graph)}}
    end = 0
    stored = [_pack(w) for w in encoder.weights]
    for number, array in enumerate(stored):
        if gap := -end % ALIGNMENT:
            entries[f"pad{number}"] = {
                "dtype": "U8",
                "shape": [gap],
                "data_offsets": [end, end + gap],
            }
            end += gap
        entries[f"w{number}"] = _entry(array, end)
        end += array.nbytes
    header = _json(entries).encode()
    header += b" " * (-(8 + len(header)) % ALIGNMENT)
    if len(header) > LARGEST_HEADER:
        raise BadFile(f"the graph takes {len(header)} bytes, .nnir holds {LARGEST_HEADER}")
    return len(header).to_bytes(8, "little") + header, stored


def _pack(array: np.ndarray) -> np.ndarray:
    """What is stored of a weight: its view, or what it needs of narrower elements."""
    return pack(array) if precision_of(array.dtype) in BITS else array


def _origins(model: Model) -> Iterator[str]:
    """The nodes of the source that the operations of a model and its sub-models come from."""
    for operation in model.operations:
        if operation.origin is not None:
            yield operation.origin
        for inner in operation.models:
            yield from _origins(inner)


def _json(data: Any) -> str:
    """JSON that is UTF-8 whatever its texts are: halves of characters are written as numbers."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return re.sub(HALVES, lambda half: f"\\u{ord(half.group()):04x}", text)


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


def _entry(array: np.ndarray, start: int) -> dict[str, Any]:
    kind = NATIVE.get(precision_of(array.dtype))
    return {
        "dtype": kind or "U8",
        "shape": list(array.shape) if kind else [array.nbytes],
        "data_offsets": [start, start + array.nbytes],
    }


def _write_weights(file: BinaryIO, weights: list[np.ndarray]) -> None:
    end = 0
    for array in weights:
        file.write(b"\0" * (-end % ALIGNMENT))
        end += -end % ALIGNMENT + array.nbytes
        write_array(file, array)


def is_archive_file(path: Path) -> bool:
    """Whether there is a `.nnir` file at a path."""
    return path.is_file() and is_archive(map_file(path)[:64])


def load(path: Path) -> Model:
    """Read a model; BadFile for a file that is damaged or no archive."""
    return loads(map_file(path))


def loads(data: bytes | memoryview | MappedFile) -> Model:
    """Read a model from memory."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > min(LARGEST_HEADER, len(data) - 8):
        raise BadFile(f"not a .nnir file, or truncated: {len(data)} bytes")
    try:
        entries = json.loads(bytes(data[8 : 8 + size]), parse_constant=_refuse)
        graph = json.loads(entries["__metadata__"][KEY], parse_constant=_refuse)
        shapes = [(Precision[n], tuple(map(int, s))) for n, s in graph["weights"]]
        places = decode_places(graph.get("places", {}))
        properties = {str(k): str(v) for k, v in graph.get("properties", {}).items()}
    except (NNAdapterError, *DAMAGE) as error:
        raise BadFile(f"damaged .nnir file: {describe(error)}") from None

    def weight(number: int) -> np.ndarray:
        precision, shape = shapes[number]
        start, end = entries[f"w{number}"]["data_offsets"]
        count = math.prod(shape)
        if (
            any(d < 0 for d in shape)
            or not 0 <= start <= end <= len(data) - 8 - size
            or end - start not in (stored_size(precision, count), count * precision.dtype.itemsize)
        ):
            raise BadFile(f"weight {number} of shape {list(shape)} lies at {start} to {end}")
        if not count:
            return np.empty(shape, precision.dtype)
        if precision in BITS and end - start == stored_size(precision, count):
            packed = np.frombuffer(data, np.uint8, end - start, 8 + size + start)
            return unpack(packed, precision, count).reshape(shape)
        return np.frombuffer(data, precision.dtype, count, 8 + size + start).reshape(shape)

    model = decode(graph, weight)
    model.provenance.places, model.provenance.properties = places, properties
    return model
