"""Paddle's converters."""

from __future__ import annotations

from nnir.model import Model

from ..families import LateTable, guarded
from ..source import SourceModel
from ..translate import Dialect
from .translator import PaddleTranslator

NAMES = (
    "activation",
    "binary",
    "compare",
    "control",
    "conv",
    "detection",
    "fused",
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
    "shape",
    "signal",
    "sort",
    "special",
    "unary",
)
TABLE = LateTable(__package__, (*NAMES, "old_math"))
DIALECT = Dialect("paddle", TABLE, lambda op: "")


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    return guarded(lambda: PaddleTranslator(DIALECT, source).translate())
