"""Cases of operators that no ONNX operator reaches, one file per operator family."""

from __future__ import annotations

from . import (
    activation,
    binary,
    control,
    conv,
    detection,
    generate,
    index,
    linear,
    pool,
    quant,
    resize,
    shape,
    unary,
)
from .direct import DirectCase, DirectLimit, Quantized

FAMILIES = (
    activation,
    binary,
    control,
    conv,
    detection,
    generate,
    index,
    linear,
    pool,
    quant,
    resize,
    shape,
    unary,
)
CASES: list[DirectCase] = [case for family in FAMILIES for case in family.CASES]
LIMITS: list[DirectLimit] = [x for family in FAMILIES for x in getattr(family, "LIMITS", ())]

__all__ = ["CASES", "FAMILIES", "LIMITS", "DirectCase", "DirectLimit", "Quantized"]
