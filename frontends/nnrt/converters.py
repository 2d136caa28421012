"""NNRt's converters: the recipes of its operations."""

from __future__ import annotations

from nnir.model import Model
from nnir.passes import fold_constants, lift_transposes, remove_copies, sink_transposes

from ..families import LateTable, translate_safely
from ..translate import Dialect
from .translator import NnrtSource, NnrtTranslator

TABLE = LateTable(__package__)
DIALECT = Dialect("nnrt", TABLE, lambda op: "")
LAYOUT = (remove_copies, fold_constants, sink_transposes, lift_transposes)
"""Channels are last in NNRt: what that costs in transposes goes at once."""


def translate(source: NnrtSource) -> Model:
    """Translate what the reader read."""
    return translate_safely(lambda: NnrtTranslator(DIALECT, source).translate(), LAYOUT)
