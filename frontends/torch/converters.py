"""PyTorch's converters."""

from __future__ import annotations

from nnir.model import Model

from ..families import guarded, modules
from ..source import SourceModel
from ..table import Table
from .translator import TorchDialect, TorchTranslator

NAMES = (
    "activation",
    "attention",
    "binary",
    "compare",
    "complex",
    "control",
    "conv",
    "detection",
    "generate",
    "index",
    "linalg",
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
    "scatter",
    "shape",
    "signal",
    "sort",
    "special",
    "symbolic",
    "unary",
)
FAMILIES = modules(__package__, NAMES)
TABLE = Table.merge(family.table for family in FAMILIES)
DIALECT = TorchDialect("torch", TABLE, lambda op: "")


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    return guarded(lambda: TorchTranslator(DIALECT, source).translate())
