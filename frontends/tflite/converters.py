"""TFLite's converters."""

from __future__ import annotations

from nnir.model import Model
from nnir.passes import fold_constants, lift_transposes, remove_copies, sink_transposes

from ..families import guarded, modules
from ..source import SourceModel
from ..table import Table
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
FAMILIES = modules(__package__, NAMES)
TABLE = Table.merge(family.table for family in FAMILIES)
DIALECT = FlexDialect("tflite", TABLE, lambda op: "")
LAYOUT = (remove_copies, fold_constants, sink_transposes, lift_transposes)
"""Channels are last in TFLite: what that costs in transposes goes at once."""


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    return guarded(lambda: FlexTranslator(DIALECT, source).translate(), LAYOUT)
