"""Why operators are not written in others: what the standard's operators lack for it."""

from __future__ import annotations

from typing import Any

from ..decomposition import Decomposition
from ..operator import Operator
from ..ops import (
    binary,
    complex,
    detection,
    index,
    linalg,
    random,
    sort,
    special,
    unary,
)

BINS = "the maximum of bins whose size only the data tells"
BITS = "it reads the bits of a number, and no operator of the standard does"
COMPLEX = "the standard has no complex numbers"
DATA = "its result has a size that only the data tells"
DIGITS = "its zeros and poles keep a polynomial from its last digits"
ITERATION = "an iteration whose length depends on the data"
PIVOTS = "an elimination whose order of rows only the data tells"
RANDOM = "it draws random numbers, and no operator of the standard does"
SERIES = "several ranges with a long series each, more than a hundred operations"

GROUPS: dict[str, tuple[Operator[Any], ...]] = {
    BITS: (binary.next_after, unary.bit_cast, unary.frexp),
    COMPLEX: (
        *(complex.angle, complex.complex_, complex.complex_to_pairs, complex.conj),
        *(complex.imag, complex.pairs_to_complex, complex.real),
    ),
    BINS: (detection.max_roi_positions, detection.roi_align_max),
    DATA: (index.non_zero, sort.unique, detection.non_max_suppression_indices),
    DIGITS: (
        *(special.bessel_j0, special.bessel_j1, special.bessel_y0, special.bessel_y1),
        *(special.airy_ai, special.expint),
    ),
    ITERATION: (
        *(binary.gcd, special.betainc, special.igamma, special.igammac, special.zeta),
        *(linalg.eig, linalg.eigenvalues, linalg.eigenvalues_h, linalg.eigh),
        *(linalg.matrix_exp, linalg.singular_values, linalg.svd),
    ),
    PIVOTS: (*(linalg.lu_factor, linalg.ldl_factor, linalg.ldl_solve, linalg.pivot_order),),
    RANDOM: (random.bernoulli, random.multinomial, random.random_normal, random.random_uniform),
    SERIES: (special.dawsn, special.fresnel_cos, special.fresnel_sin, special.spence),
}

IMPOSSIBLE: dict[Operator[Any], str] = {o: why for why, group in GROUPS.items() for o in group}
"""The reason of each operator that has no decomposition."""


def explain_standard(operator: Operator[Any]) -> list[str]:
    """How the standard's operators express an extension: each level, or why none does."""
    if operator.since != "ext":
        return []
    ways = [_explain_error(way) for way in operator.decompositions]
    return [*dict.fromkeys(ways)] or [IMPOSSIBLE.get(operator, "no other operators express it")]


def _explain_error(way: Decomposition) -> str:
    if way.ulps is None:
        return way.level
    zeros = f", {way.absolute:g} beside zeros" if way.absolute else ""
    return f"{way.level}, {way.ulps:g} ulps{zeros}"
