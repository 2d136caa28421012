"""Cases of what no ONNX operator reaches: operators, attributes, run-time operands."""

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
    norm,
    pool,
    quant,
    resize,
    shape,
    sort,
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
    norm,
    pool,
    quant,
    resize,
    shape,
    sort,
    unary,
)
CASES: list[DirectCase] = [case for family in FAMILIES for case in family.CASES]
LIMITS: list[DirectLimit] = [x for family in FAMILIES for x in getattr(family, "LIMITS", ())]

__all__ = ["CASES", "FAMILIES", "LIMITS", "DirectCase", "DirectLimit", "Quantized"]
