"""ONNX's converters."""

from __future__ import annotations

from nnir.model import Model

from ..families import guarded, modules
from ..source import SourceModel
from ..table import Table
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
FAMILIES = modules(__package__, NAMES)
TABLE = Table.merge(family.table for family in FAMILIES)
DIALECT = Dialect("onnx", TABLE, reader.domain_of)


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    return guarded(Translator(DIALECT, source).translate)
