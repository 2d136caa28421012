"""ONNX's converters."""

from __future__ import annotations

from nnir.model import Model

from ..families import LateTable, guarded
from ..source import SourceModel
from ..translate import Dialect, Translator
from . import reader

NAMES = (
    "activation",
    "attention",
    "binary",
    "compare",
    "control",
    "conv",
    "detection",
    "features",
    "generate",
    "index",
    "linear",
    "logic",
    "loss",
    "norm",
    "pool",
    "quant",
    "random",
    "recurrent",
    "reduce",
    "resize",
    "sequence",
    "shape",
    "signal",
    "sort",
    "unary",
)
TABLE = LateTable(__package__, NAMES)
DIALECT = Dialect("onnx", TABLE, reader.domain_of)


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    return guarded(Translator(DIALECT, source).translate)
