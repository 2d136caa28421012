"""NNRt cases, one file per operation family."""

from __future__ import annotations

from frontends import nnrt as frontend

from ...case import Case, Limit
from .. import families

FAMILIES = families(frontend.FAMILIES, __name__)
CASES: list[Case] = [case for family in FAMILIES for case in family.CASES]
LIMITS: list[Limit] = [limit for family in FAMILIES for limit in getattr(family, "LIMITS", ())]
