"""TFLite cases, one file per operator family."""

from __future__ import annotations

from typing import Any

from frontends import tflite as frontend

from ...case import Limit
from .. import families
from . import edges, files
from .defaults import rows_without

FAMILIES = families(frontend.FAMILIES, __name__)
CASES: list[Any] = [case for family in (*FAMILIES, edges) for case in family.CASES]
CASES += [*rows_without(CASES), *files.CASES]
LIMITS: list[Limit] = [limit for family in FAMILIES for limit in getattr(family, "LIMITS", ())]
