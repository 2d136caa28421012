"""ONNX's converters."""

from __future__ import annotations

from dataclasses import replace

from nnir.model import Model

from ..families import LateTable, translate_safely
from ..source import SourceModel
from ..translate import Dialect, Preferring
from .reading import reader
from .translator import OnnxTranslator

TABLE = LateTable(__package__)
DIALECT = Dialect("onnx", TABLE, reader.domain_of)


def translate(source: SourceModel, *, qdq: bool = False) -> Model:
    """Translate what the reader read; `qdq`: with `qdq.py`."""
    dialect = DIALECT
    if qdq:
        from .qdq import table

        dialect = replace(DIALECT, table=Preferring(table, TABLE))
    return translate_safely(lambda: OnnxTranslator(dialect, source).translate())
