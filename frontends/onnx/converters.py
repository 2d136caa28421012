"""ONNX's converters."""

from __future__ import annotations

from nnir.model import Model

from ..families import LateTable, translate_safely
from ..source import SourceModel
from ..translate import Dialect
from .reading import reader
from .translator import OnnxTranslator

TABLE = LateTable(__package__)
DIALECT = Dialect("onnx", TABLE, reader.domain_of)


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    return translate_safely(lambda: OnnxTranslator(DIALECT, source).translate())
