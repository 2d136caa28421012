"""TensorFlow: SavedModels and frozen graphs, read without TensorFlow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nnir.errors import BadModel, told
from nnir.mapping import map_file
from nnir.model import Model

from ..collector import paused_collector
from ..source import SourceModel
from ..table import Table
from ..translate import Dialect
from . import (
    activation,
    binary,
    compare,
    complex,
    control,
    conv,
    detection,
    generate,
    index,
    linalg,
    linear,
    lists,
    logic,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    resize,
    saved_model,
    scatter,
    segment,
    shape,
    signal,
    sort,
    special,
    unary,
)
from .translator import TensorFlowTranslator

name = "tensorflow"
FAMILIES = (
    activation,
    binary,
    compare,
    complex,
    control,
    conv,
    detection,
    generate,
    index,
    linalg,
    linear,
    lists,
    logic,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    resize,
    scatter,
    segment,
    shape,
    signal,
    sort,
    special,
    unary,
)
TABLE = Table.merge(family.table for family in FAMILIES)
DIALECT = Dialect(name, TABLE, lambda op: "")


def detects(source: Any) -> bool:
    """Whether `source` is the folder of a SavedModel, one of its files, or a frozen graph."""
    if not isinstance(source, Path):
        return False
    if source.is_dir():
        return (source / saved_model.FILE).exists()
    return source.name == saved_model.FILE or source.suffix == ".pb"


def load(source: Path) -> Model:
    """Translate the folder of a SavedModel or a frozen graph; weights are views into its files."""
    if source.is_file() and source.name == saved_model.FILE:
        source = source.parent
    if source.is_dir():
        return translate(saved_model.read(source))
    return translate(saved_model.read_graph(map_file(source)))


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    try:
        with paused_collector():
            return TensorFlowTranslator(DIALECT, source).translate()
    except (RecursionError, MemoryError) as error:
        raise BadModel(f"the model is too deep or too large: {told(error)}") from None
