"""Paddle's converters."""

from __future__ import annotations

from nnir.model import Model

from ..families import guarded, modules
from ..source import SourceModel
from ..table import Table
from ..translate import Dialect
from . import old_math
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
FAMILIES = modules(__package__, NAMES)
TABLE = Table.merge(family.table for family in (*FAMILIES, old_math))
DIALECT = Dialect("paddle", TABLE, lambda op: "")


def translate(source: SourceModel) -> Model:
    """Translate what the reader read."""
    return guarded(lambda: PaddleTranslator(DIALECT, source).translate())
