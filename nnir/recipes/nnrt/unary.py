"""NNRt's elementwise operations on one tensor."""

from __future__ import annotations

import math

from ...errors import BadType
from ...formats.nnrt.enums import DataType, member
from ...model import Value
from ...ops import unary
from . import Recipes


def cast(input: Value, type: int) -> Value:
    """To the data type of a number."""
    return unary.cast(input, dtype=member(DataType, type).precision)


def exp(input: Value, *, base: float = -1.0, scale: float = 1.0, shift: float = 0.0) -> Value:
    """base ** (shift + scale * x); a base of -1 is e."""
    if base <= 0 and base != -1:
        raise BadType(f"EXP with base={base}: a positive number, or -1 for e")
    exponent = input if scale == 1 else input * scale
    exponent = exponent if shift == 0 else exponent + shift
    return unary.exp(exponent if base == -1 else exponent * math.log(base))


RECIPES: Recipes = {
    "ABS": unary.abs_,
    "CAST": cast,
    "CEIL": unary.ceil,
    "COS": unary.cos,
    "ERF": unary.erf,
    "EXP": exp,
    "FLOOR": unary.floor,
    "LOG": unary.log,
    "NEG": unary.neg,
    "RECIPROCAL": unary.reciprocal,
    "ROUND": unary.round_,
    "RSQRT": unary.rsqrt,
    "SIN": unary.sin,
    "SQRT": unary.sqrt,
    "SQUARE": unary.square,
}
