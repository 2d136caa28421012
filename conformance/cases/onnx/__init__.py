"""ONNX cases, one file per operator family."""

from __future__ import annotations

from frontends import onnx as frontend

from ...case import Case, Limit, ModelCase, open_rows
from .. import families
from . import (
    activation,
    attention,
    control,
    corners,
    defaults,
    microsoft_attention,
    microsoft_cache,
    open_sequence,
    random,
    refusals,
    sequence,
    stored,
    versions,
)

FAMILIES = families(frontend.FAMILIES, __name__)
CASES: list[Case] = [case for family in (*FAMILIES, refusals) for case in family.CASES]
OPEN: list[Case] = [*open_rows(CASES)]
CASES += [*corners.CASES, *versions.rows_before(CASES), *versions.rows_at_ends(CASES)]
CASES += [*defaults.ROWS, *defaults.rows_without(CASES)]
LIMITS: list[Limit] = [limit for family in FAMILIES for limit in getattr(family, "LIMITS", ())]
MODELS: list[ModelCase] = [
    model
    for family in (
        *(activation, attention, control, microsoft_attention, microsoft_cache),
        *(open_sequence, random, sequence, stored),
    )
    for model in family.MODELS
]
