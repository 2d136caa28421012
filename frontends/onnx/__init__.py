"""ONNX models: files, bytes and `onnx.ModelProto` objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nnir.budget import read_head
from nnir.mapping import map_file
from nnir.model import Model

from ..families import of_converters, operators_of

name = "onnx"
suffixes: tuple[str, ...] = (".onnx",)
image_layout = "NCHW"


def detects(source: Any) -> bool:
    """Whether `source` (a path, bytes or an object) is an ONNX model, by its content."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return looks_like_onnx(bytes(source[:4096]))
    if isinstance(source, Path):
        if not source.is_file() or source.name == "saved_model.pb":
            return False  # TensorFlow's begins with the same bytes
        head = read_head(source, 4096)
        return looks_like_onnx(head) or source.suffix == ".onnx"
    return type(source).__name__ == "ModelProto" and type(source).__module__.startswith("onnx")


def looks_like_onnx(head: bytes) -> bool:
    """A ModelProto begins with its IR version (field 1, a small number), then a known field."""
    known = {0x12, 0x1A, 0x22, 0x28, 0x32, 0x3A, 0x42, 0x72, 0xCA}
    return len(head) > 2 and head[0] == 0x08 and 0 < head[1] < 64 and head[2] in known


def options(source: Any) -> frozenset[str]:
    """What `load` takes beside `source`."""
    return frozenset({"qdq"})


def exports(source: Any) -> bool:
    """Whether `source` is traced: here nothing is."""
    return False


def load(source: Any, *, qdq: bool = False) -> Model:
    """Translate a path, bytes or an `onnx.ModelProto` to a model of standard operators.

    `qdq`: QLinearConv, QLinearMatMul and QGemm between DEQUANTIZE_LINEAR and
    QUANTIZE_LINEAR.

    A file is mapped, not read; a ModelProto is serialised once, which is the one copy.
    """
    from .converters import translate
    from .reading import reader

    if isinstance(source, Path):
        return translate(reader.read(map_file(source), source.parent), qdq=qdq)
    if hasattr(source, "SerializeToString"):
        source = source.SerializeToString()
    return translate(reader.read(bytes(source)), qdq=qdq)


def supported_operators() -> Mapping[str, Iterable[int]]:
    """The operators that are converted."""
    return operators_of(__name__)


def __getattr__(wanted: str) -> Any:
    return of_converters(__name__, wanted)
