"""Cases of what no ONNX operator reaches: operators, attributes, run-time operands."""

from __future__ import annotations

from dataclasses import replace

from . import (
    activation,
    alone,
    attention,
    behind,
    binary,
    borders,
    chains,
    control,
    conv,
    corners,
    crops,
    defaults,
    detection,
    ends,
    engine_corners,
    engine_edges,
    engine_forms,
    engine_grids,
    engine_more,
    engine_numbers,
    engine_resize,
    engine_types,
    engine_windows,
    features,
    generate,
    index,
    inside,
    linear,
    misfits,
    narrow,
    norm,
    opened,
    pool,
    positions,
    quant,
    quantised_types,
    resize,
    samples,
    seams,
    shape,
    sizes,
    sort,
    special,
    typed,
    unary,
    used,
    weights,
    windows,
    written,
)
from .direct import DirectCase, DirectLimit, Quantized

FAMILIES = (
    activation,
    attention,
    binary,
    borders,
    control,
    conv,
    detection,
    engine_corners,
    engine_more,
    engine_numbers,
    engine_resize,
    engine_types,
    engine_windows,
    generate,
    index,
    linear,
    norm,
    pool,
    quant,
    resize,
    shape,
    sort,
    unary,
    engine_forms,
    engine_edges,
    engine_grids,
)
KINDS = (corners, positions, quantised_types, samples, windows)
"""Rows by kind of parameter, which say themselves which are worth to be run otherwise too."""

CASES: list[DirectCase] = [case for family in FAMILIES for case in family.CASES]
OPEN: list[DirectCase] = [
    *opened.by_turns([*CASES, *(c for kind in KINDS for c in kind.OPENED)]),
    *(
        replace(case, is_turned=True)
        for case in [*CASES, *(c for kind in KINDS for c in kind.TURNED)]
        if case.can_turn
    ),
]
"""The same with sizes that are known only while running, and on data whose axes are stored in
another order."""

CASES += [
    c
    for kind in (typed, crops, narrow, weights, special, ends, features, seams, *KINDS)
    for c in kind.CASES
]
CASES += defaults.read(CASES)
CASES += [*misfits.read([*CASES, *alone.ROWS])]

LIMITS: list[DirectLimit] = [
    x for family in (*FAMILIES, typed, seams, *KINDS) for x in getattr(family, "LIMITS", ())
]

MODELS: list[chains.Chain] = [*chains.CHAINS, *sizes.CHAINS, *written.CHAINS, *seams.CHAINS]
MODELS += [*inside.CHAINS, *behind.CHAINS, *engine_edges.CHAINS, *engine_grids.CHAINS, *used.CHAINS]
"""Models of a few operations."""

__all__ = [
    "CASES",
    "FAMILIES",
    "LIMITS",
    "MODELS",
    "OPEN",
    "DirectCase",
    "DirectLimit",
    "Quantized",
]
