"""TFLite's converters."""

from __future__ import annotations

from nnir.model import Model
from nnir.passes import fold_constants, lift_transposes, remove_copies, sink_transposes

from ..families import LateTable, guarded
from ..source import SourceModel
from .flex import FlexDialect, FlexTranslator

NAMES = (
    "activation",
    "binary",
    "compare",
    "control",
    "conv",
    "detection",
    "index",
    "linear",
    "norm",
    "pool",
    "quant",
    "random",
    "recurrent",
    "reduce",
    "resize",
    "shape",
    "signal",
    "stablehlo",
    "unary",
)
TABLE = LateTable(__package__, NAMES)
DIALECT = FlexDialect("tflite", TABLE, lambda op: "")
LAYOUT = (remove_copies, fold_constants, sink_transposes, lift_transposes)
"""Channels are last in TFLite: what that costs in transposes goes at once."""


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    return guarded(lambda: FlexTranslator(DIALECT, source).translate(), LAYOUT)
