"""TFLite cases, one file per operator family."""

from __future__ import annotations

from frontends import tflite as frontend

from ...case import Case, Limit
from ...engines.tflite_files import FileCase
from .. import families
from . import edges, files
from .defaults import rows_without

FAMILIES = families(frontend.FAMILIES, __name__)
CASES: list[Case] = [case for family in (*FAMILIES, edges) for case in family.CASES]
CASES += [*rows_without(CASES)]
LIMITS: list[Limit] = [limit for family in FAMILIES for limit in getattr(family, "LIMITS", ())]
MODELS: list[FileCase] = files.CASES
