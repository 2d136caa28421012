"""PyTorch cases, one file per operator family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from frontends import torch as frontend
from frontends.torch.reading import schema

from ...case import Case, Limit, open_rows
from .. import families
from . import corners, edges, grids, refusals, several

FAMILIES = families(frontend.FAMILIES, __name__)
OTHERS = (corners, refusals, edges, several, grids)
CASES: list[Case] = [case for family in (*FAMILIES, *OTHERS) for case in family.CASES]


ASK = {
    *("aten.clamp.Tensor", "aten._grouped_mm.default", "aten.gradient.tensorarrayint"),
    *("aten.segment_reduce.default", "aten.unsafe_split_with_sizes.default"),
    *("aten.repeat_interleave.self_Tensor", "aten.stft.default", "aten.stft.center"),
}
"""Operators that refuse their own defaults."""


def _without_options(cases: Iterable[Case]) -> Iterator[Case]:
    """Rows that leave out whatever has a default, where no row does."""
    found: dict[str, Case | None] = {}
    for case in (c for c in cases if c.op not in ASK):
        known = schema.find(case.op)
        if known is None:
            continue
        needed = [a for a in known.arguments if a.default is schema.NO_DEFAULT]
        count = sum(not a.is_keyword for a in needed)
        attrs = {a.name: case.attrs.get(a.name) for a in needed if a.is_keyword}
        if len(case.inputs) == count and case.attrs.keys() == attrs.keys():
            found[case.op] = None
        elif not case.raises and count <= len(case.inputs):
            short = replace(case, inputs=case.inputs[:count], attrs=attrs, why="defaults")
            found.setdefault(case.op, short)
    yield from (case for case in found.values() if case is not None)


DEFAULTS = [*_without_options(CASES)]
"""Rows of operators that no row leaves to their defaults."""

OPEN: list[Case] = [*DEFAULTS, *{case.op: case for case in open_rows(CASES)}.values()]
"""And of each operator the fullest row with open sizes."""

LIMITS: list[Limit] = [
    limit for family in (*FAMILIES, *OTHERS) for limit in getattr(family, "LIMITS", ())
]
