"""How the inner operators of Fourier transforms are divided."""

from __future__ import annotations

from nnir.errors import Unsupported

NORMALIZATIONS = (0.0, 0.5, 1.0)
"""By which power of the length: for the numbers 0, 1 and 2, in either direction."""


def inner_power(normalization: int) -> float:
    """By which power of the length to divide, for a number of the inner operators."""
    match normalization:
        case 0 | 1 | 2:
            return NORMALIZATIONS[normalization]
    raise Unsupported(f"a Fourier transform with normalization={normalization!r}")
