"""Paddle's converters."""

from __future__ import annotations

from dataclasses import replace

from nnir.model import Model

from ..families import LateTable, translate_safely
from ..source import SourceModel
from ..translate import Dialect, Preferring
from .translator import PaddleTranslator

TABLE = LateTable(__package__)
DIALECT = Dialect("paddle", TABLE, lambda op: "")


def translate(source: SourceModel, *, qdq: bool = False) -> Model:
    """Translate what the reader read; `qdq`: with `qdq.py`."""
    dialect = DIALECT
    if qdq:
        from .qdq import table

        dialect = replace(DIALECT, table=Preferring(table, TABLE))
    return translate_safely(lambda: PaddleTranslator(dialect, source).translate())
