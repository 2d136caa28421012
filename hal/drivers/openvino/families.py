"""All lowerings in one table."""

from __future__ import annotations

from ...lowering import Lowerings
from . import (
    activation,
    binary,
    compare,
    control,
    conv,
    detection,
    generate,
    grid,
    index,
    linear,
    logic,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    sort,
    unary,
)

FAMILIES = (
    activation,
    binary,
    compare,
    control,
    conv,
    detection,
    generate,
    grid,
    index,
    linear,
    logic,
    norm,
    pool,
    quant,
    random,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    sort,
    unary,
)
LOWERINGS = Lowerings.merge(family.table for family in FAMILIES)
