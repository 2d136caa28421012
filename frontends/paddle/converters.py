"""Paddle's converters."""

from __future__ import annotations

from nnir.model import Model

from ..families import LateTable, translate_safely
from ..source import SourceModel
from ..translate import Dialect
from .translator import PaddleTranslator

TABLE = LateTable(__package__)
DIALECT = Dialect("paddle", TABLE, lambda op: "")


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    return translate_safely(lambda: PaddleTranslator(DIALECT, source).translate())
