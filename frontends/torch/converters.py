"""PyTorch's converters."""

from __future__ import annotations

from nnir.model import Model

from ..families import LateTable, translate_safely
from ..source import SourceModel
from .translator import TorchDialect, TorchTranslator

TABLE = LateTable(__package__)
DIALECT = TorchDialect("torch", TABLE, lambda op: "")


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    return translate_safely(lambda: TorchTranslator(DIALECT, source).translate())
