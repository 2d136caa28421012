"""Paddle cases, one file per operator family."""

from __future__ import annotations

from frontends import paddle as frontend

from ...case import Case, Limit, open_rows
from .. import families
from . import corners, edges, refusals, several

OF_PROGRAMS = "frontends.paddle.operators.legacy"
"""What only rules of legacy programs use: its cases are those of their operators."""

FAMILIES = families((f for f in frontend.FAMILIES if f.__name__ != OF_PROGRAMS), __name__)
CASES: list[Case] = [
    case for family in (*FAMILIES, corners, refusals, edges, several) for case in family.CASES
]
OPEN: list[Case] = [*{case.op: case for case in open_rows(CASES)}.values()]
"""Of each operator the fullest row, with sizes that are known only while running."""

LIMITS: list[Limit] = [limit for family in FAMILIES for limit in getattr(family, "LIMITS", ())]
