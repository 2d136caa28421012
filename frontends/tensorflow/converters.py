"""TensorFlow's converters."""

from __future__ import annotations

from nnir.model import Model
from nnir.passes import fold_constants, remove_copies, sink_transposes

from ..families import LateTable, translate_safely
from ..source import SourceModel
from ..translate import Dialect
from .reading.dilation import join_dilations
from .translator import TensorFlowTranslator

TABLE = LateTable(__package__)
DIALECT = Dialect("tensorflow", TABLE, lambda op: "")
LAYOUT = (remove_copies, fold_constants, sink_transposes)
"""Channels are last in TensorFlow: what that costs in transposes goes at once."""


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""

    def make_model() -> Model:
        join_dilations(source.graph)
        return TensorFlowTranslator(DIALECT, source).translate()

    return translate_safely(make_model, LAYOUT)
