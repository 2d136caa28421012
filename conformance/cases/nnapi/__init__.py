"""NNAPI cases, one file per operator family."""

from __future__ import annotations

from frontends import nnapi as frontend

from ...case import Case, Limit, open_rows
from .. import families

FAMILIES = families(frontend.FAMILIES, __name__)
CASES: list[Case] = [case for family in FAMILIES for case in family.CASES]
CASES += [*open_rows(CASES)]
LIMITS: list[Limit] = [limit for family in FAMILIES for limit in getattr(family, "LIMITS", ())]
