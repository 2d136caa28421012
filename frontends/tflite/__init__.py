"""TFLite (LiteRT) files, float and quantised, read without TensorFlow or LiteRT."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nnir.errors import BadFile, BadModel, told
from nnir.mapping import map_file
from nnir.model import Model
from nnir.passes import fold_constants, lift_transposes, remove_copies, sink_transposes
from nnir.passes.rewrite import apply

from ..collector import paused_collector
from ..source import SourceModel
from ..table import Table
from . import (
    activation,
    binary,
    compare,
    control,
    conv,
    detection,
    index,
    linear,
    norm,
    pool,
    quant,
    random,
    reader,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    stablehlo,
    unary,
)
from .flex import FlexDialect, FlexTranslator

name = "tflite"
FAMILIES = (
    activation,
    binary,
    compare,
    control,
    conv,
    detection,
    index,
    linear,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    stablehlo,
    unary,
)
TABLE = Table.merge(family.table for family in FAMILIES)
LAYOUT = (remove_copies, fold_constants, sink_transposes, lift_transposes)
"""Channels are last in TFLite: what that costs in transposes goes at once."""

IMAGES = "NHWC"
"""The order of axes that images have here."""

DIALECT = FlexDialect(name, TABLE, lambda op: "")


def detects(source: Any) -> bool:
    """Whether `source` is a TFLite file or its bytes."""
    if isinstance(source, bytes):
        return source[4:8] == reader.MAGIC
    if not isinstance(source, Path) or not source.is_file():
        return False
    with source.open("rb") as file:
        return file.read(8)[4:] == reader.MAGIC or source.suffix == ".tflite"


def options(source: Any) -> frozenset[str]:
    """What `load` takes beside a file."""
    return frozenset({"signature"})


def load(source: Path | bytes, *, signature: str | None = None) -> Model:
    """Translate a file or its bytes; weights are views into them.

    `signature` names one of several graphs, by default the first.
    """
    if not isinstance(source, (Path, bytes)):
        raise BadFile(f"no TFLite file: {type(source).__name__}")
    data = map_file(source) if isinstance(source, Path) else source
    return translate(reader.read(data, signature))


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    try:
        with paused_collector():
            model = FlexTranslator(DIALECT, source).translate()
            apply(model, LAYOUT)
            return model
    except (RecursionError, MemoryError) as error:
        raise BadModel(f"the model is too deep or too large: {told(error)}") from None
