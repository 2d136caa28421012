"""TFLite (LiteRT) files, float and quantised, read without TensorFlow or LiteRT."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nnir.budget import read_head
from nnir.formats.tflite import IDENTIFIER
from nnir.model import Model

from ..families import of_converters, operators_of
from ..source import buffer_of

name = "tflite"
suffixes: tuple[str, ...] = (".tflite",)
image_layout = "NHWC"


def detects(source: Any) -> bool:
    """Whether `source` is a TFLite file or its bytes."""
    if isinstance(source, bytes):
        return source[4:8] == IDENTIFIER
    if not isinstance(source, Path) or not source.is_file():
        return False
    return read_head(source, 8)[4:] == IDENTIFIER or source.suffix == ".tflite"


def options(source: Any) -> frozenset[str]:
    """What `load` takes beside a file."""
    return frozenset({"signature"})


def exports(source: Any) -> bool:
    """Whether `source` is traced: here nothing is."""
    return False


def load(source: Path | bytes, *, signature: str | None = None) -> Model:
    """Translate a file or its bytes; weights are views into them.

    `signature` names one of several graphs, by default the first.
    """
    from .converters import translate
    from .reading import reader

    return translate(reader.read(buffer_of(source, "TFLite file"), signature))


def supported_operators() -> Mapping[str, Iterable[int]]:
    """The operators that are converted."""
    return operators_of(__name__)


def __getattr__(wanted: str) -> Any:
    return of_converters(__name__, wanted)
