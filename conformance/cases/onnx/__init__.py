"""ONNX cases, one file per operator family."""

from __future__ import annotations

from ...case import Case, Limit, ModelCase
from . import (
    activation,
    attention,
    binary,
    compare,
    control,
    conv,
    detection,
    features,
    generate,
    index,
    linear,
    logic,
    loss,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    resize,
    sequence,
    shape,
    signal,
    sort,
    unary,
)

FAMILIES = (
    activation,
    attention,
    binary,
    compare,
    control,
    conv,
    detection,
    features,
    generate,
    index,
    linear,
    logic,
    loss,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    resize,
    sequence,
    shape,
    signal,
    sort,
    unary,
)
CASES: list[Case] = [case for family in FAMILIES for case in family.CASES]
LIMITS: list[Limit] = [limit for family in FAMILIES for limit in getattr(family, "LIMITS", ())]
MODELS: list[ModelCase] = [*attention.MODELS, *control.MODELS, *sequence.MODELS]
