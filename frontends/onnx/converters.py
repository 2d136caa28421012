"""ONNX's converters."""

from __future__ import annotations

from dataclasses import replace

from nnir.model import Model

from ..families import LateTable, translate_safely
from ..source import SourceModel
from ..translate import Dialect
from .reading import reader
from .translator import OnnxTranslator

TABLE = LateTable(__package__)
DIALECT = Dialect("onnx", TABLE, reader.domain_of)


def translate(source: SourceModel, *, real_qlinear: bool = False) -> Model:
    """Translate what the reader read; `real_qlinear`: with `real_qlinear.py`."""
    dialect = DIALECT
    if real_qlinear:
        from .real_qlinear import Reals

        dialect = replace(DIALECT, table=Reals(TABLE))
    return translate_safely(lambda: OnnxTranslator(dialect, source).translate())
