"""Files of OpenHarmony's Neural Network Runtime (NNRt), float and quantised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nnir.budget import read_head
from nnir.formats.nnrt import MAGIC
from nnir.model import Model

from ..families import of_converters, operators_of
from ..source import buffer_of

name = "nnrt"
suffixes: tuple[str, ...] = (".nnrt",)
image_layout = "NHWC"


def detects(source: Any) -> bool:
    """Whether `source` is an NNRt file or its bytes."""
    if isinstance(source, bytes):
        return source.startswith(MAGIC)
    if not isinstance(source, Path) or not source.is_file():
        return False
    return read_head(source, len(MAGIC)) == MAGIC or source.suffix == ".nnrt"


def options(source: Any) -> frozenset[str]:
    """What `load` takes beside a file: nothing."""
    return frozenset()


def exports(source: Any) -> bool:
    """Whether `source` is traced: here nothing is."""
    return False


def load(source: Path | bytes) -> Model:
    """Translate a file or its bytes; weights are views into them."""
    from .converters import translate
    from .reading import reader

    return translate(reader.read(buffer_of(source, "NNRt file")))


def supported_operators() -> Mapping[str, Iterable[int]]:
    """The operations that are converted."""
    return operators_of(__name__)


def __getattr__(wanted: str) -> Any:
    return of_converters(__name__, wanted)
