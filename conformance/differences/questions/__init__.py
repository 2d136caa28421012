"""Questions to all frameworks, one file for each family of operators."""

from __future__ import annotations

from ..question import Question
from . import (
    activation,
    binary,
    compare,
    conv,
    detection,
    generate,
    index,
    linear,
    norm,
    pool,
    quant,
    reduce,
    resize,
    shape,
    sort,
    unary,
)

FAMILIES = (
    *(resize, pool, conv, norm, activation, binary, unary, compare, reduce),
    *(sort, index, shape, quant, detection, linear, generate),
)
QUESTIONS: list[Question] = [question for family in FAMILIES for question in family.QUESTIONS]
