"""Models of Android's Neural Networks API 1.0 in `.nnapi` files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nnir.budget import read_head
from nnir.formats.nnapi import MAGIC, SUFFIX
from nnir.model import Model

from ..families import of_converters, operators_of
from ..source import buffer_of

name = "nnapi"
suffixes: tuple[str, ...] = (SUFFIX,)
image_layout = "NHWC"


def detects(source: Any) -> bool:
    """Whether `source` is a `.nnapi` file or its bytes."""
    if isinstance(source, bytes):
        return source.startswith(MAGIC)
    if not isinstance(source, Path) or not source.is_file():
        return False
    return read_head(source, 8).startswith(MAGIC) or source.suffix == SUFFIX


def options(source: Any) -> frozenset[str]:
    """What `load` takes beside a file."""
    return frozenset()


def exports(source: Any) -> bool:
    """Whether `source` is traced: here nothing is."""
    return False


def load(source: Path | bytes) -> Model:
    """Translate a file or its bytes; weights are views into them."""
    from nnir.formats.nnapi import files

    from .converters import translate
    from .reading import reader

    return translate(reader.read(files.load(buffer_of(source, "NNAPI model"))))


def supported_operators() -> Mapping[str, Iterable[int]]:
    """The operations that are converted."""
    return operators_of(__name__)


def __getattr__(wanted: str) -> Any:
    return of_converters(__name__, wanted)
