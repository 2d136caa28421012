"""PyTorch's converters."""

from __future__ import annotations

from nnir.model import Model

from ..families import LateTable, guarded
from ..source import SourceModel
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
TABLE = LateTable(__package__, NAMES)
DIALECT = TorchDialect("torch", TABLE, lambda op: "")


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    return guarded(lambda: TorchTranslator(DIALECT, source).translate())
