"""TensorFlow cases, one file per operator family."""

from __future__ import annotations

from frontends import tensorflow as frontend

from ...case import Case, Limit, open_rows
from .. import families
from . import corners, edges, grids, refusals, several

FAMILIES = families(frontend.FAMILIES, __name__)
CASES: list[Case] = [
    case
    for family in (*FAMILIES, corners, refusals, edges, several, grids)
    for case in family.CASES
]
OPEN: list[Case] = [*{case.op: case for case in open_rows(CASES)}.values()]
"""Of each operator the fullest row, with sizes that are known only while running."""

LIMITS: list[Limit] = [limit for family in FAMILIES for limit in getattr(family, "LIMITS", ())]
