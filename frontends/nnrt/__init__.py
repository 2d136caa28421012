"""Files of OpenHarmony's Neural Network Runtime (NNRt), float and quantised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nnir.budget import read_head
from nnir.errors import BadFile
from nnir.formats.nnrt import MAGIC
from nnir.mapping import map_file
from nnir.model import Model

from ..families import of_converters, operators_of

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

    if not isinstance(source, (Path, bytes)):
        raise BadFile(f"no NNRt file: {type(source).__name__}")
    data = map_file(source) if isinstance(source, Path) else source
    return translate(reader.read(data))


def supported_operators() -> Mapping[str, Iterable[int]]:
    """The operations that are converted."""
    return operators_of(__name__)


def __getattr__(wanted: str) -> Any:
    return of_converters(__name__, wanted)
