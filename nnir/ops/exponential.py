"""The exponential of a matrix by Taylor polynomials of degree 1 to 18 and squaring.

P. Bader, S. Blanes, F. Casas, Computing the matrix exponential with an optimized Taylor polynomial
approximation, Mathematics 7 (2019) 1174: the polynomials, and up to which norm each one is exact.
Everything is done in the precision of the matrix and in a fixed order, which is PyTorch's: where
terms cancel, as they do in exponentials, another order of summation gives other digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Bounds = tuple[float, ...]
SINGLE: Bounds = (
    *(1.192092800768788e-07, 5.978858893805233e-04, 5.116619363445086e-02),
    *(5.800524627688768e-01, 1.461661507209034, 3.010066362817634),
)
DOUBLE: Bounds = (
    *(2.220446049250313e-16, 2.580956802971767e-08, 3.397168839976962e-04),
    *(4.991228871115323e-02, 2.996158913811580e-01, 1.090863719290036),
)
"""The largest 1-norms for the polynomials of degree 1, 2, 4, 8, 12 and 18."""

ROOT = math.sqrt(177)
THIRDS = 2 / 3
# PyTorch divides the last factor by 5040 * 2/3, the paper by 5040 * (2/3)^2: from norms of about
# 0.05 to 0.6 (0.0003 to 0.05 in float64) its result is off in the last digits, and so is ours.
EIGHT: dict[str, Any] = {
    "fourth": (THIRDS * (1 + ROOT) / 88, THIRDS * (1 + ROOT) / 352),
    "left": THIRDS,
    "right": (
        *((-271 + 29 * ROOT) / (315 * THIRDS), 11 * (-1 + ROOT) / (1260 * THIRDS)),
        *(11 * (-9 + ROOT) / (5040 * THIRDS), (89 - ROOT) / (5040 * THIRDS)),
    ),
    "square": (857 - 58 * ROOT) / 630,
}
TWELVE = (
    (9.0198e-16, 0.46932117595418237389, -0.20099424927047284052, -0.04623946134063071740),
    (5.315978957598712642, 1.199267904171322316, 0.01179296240992997031, 0.01108844528519167989),
    (0.18188869982170434744, 0.0550279843992539907, 0.09351590770535414968, 0.0061070052889805823),
    (-2.0861320e-13, -0.13181061013830184015, -0.02027855540589259079, -0.00675951846863086359),
)
EIGHTEEN = (
    (
        0.0,
        -1.00365581030144618291e-01,
        -8.02924648241156932449e-03,
        -8.92138498045729985177e-04,
        0.0,
    ),
    (
        *(0.0, 3.97849749499645077844e-01, 1.36783778460411720168, 4.98289622525382669416e-01),
        -6.37898194594723280150e-04,
    ),
    (
        *(-1.09676396052962061844e01, 1.68015813878906206114, 5.71779846478865511061e-02),
        *(-6.98210122488052056106e-03, 3.34975017086070470649e-05),
    ),
    (
        *(-9.04316832390810593223e-02, -6.76404519071381882256e-02, 6.75961301770459654925e-02),
        *(2.95552570429315521194e-02, -1.39180257516060693404e-05),
    ),
    (
        0.0,
        0.0,
        -9.23364619367118555360e-02,
        -1.69364939002081722752e-02,
        -1.40086798182036094347e-05,
    ),
)


def exponential(a: np.ndarray) -> np.ndarray:
    """e to the power of one square matrix of float32, float64 or complex."""
    norm = float(np.abs(a).sum(axis=0).max(initial=0.0))
    if not math.isfinite(norm):
        return np.full_like(a, np.nan)
    bounds = DOUBLE if a.dtype in (np.float64, np.complex128) else SINGLE
    for bound, polynomial in zip(bounds[:-1], POLYNOMIALS, strict=True):
        if norm <= bound:
            return polynomial(a)
    squarings = max(0, math.ceil(math.log2(norm / bounds[-1])))
    result = eighteenth(a / a.dtype.type(2.0**squarings))
    for _ in range(squarings):
        result = product(result, result)
    return result


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The matrix product, summed in order."""
    total = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    for k in range(a.shape[1]):
        total = total + a[:, k : k + 1] * b[k : k + 1]
    return total


def linear_combination(factors: Sequence[float], terms: Sequence[np.ndarray]) -> np.ndarray:
    """A sum of multiples, in order."""
    total = np.zeros_like(terms[0])
    for factor, term in zip(factors, terms, strict=True):
        total = total + term.dtype.type(factor) * term
    return total


def first(a: np.ndarray) -> np.ndarray:
    """I + A."""
    return np.eye(len(a), dtype=a.dtype) + a


def second(a: np.ndarray) -> np.ndarray:
    """I + A + A^2 / 2."""
    return linear_combination((1.0, 1.0, 0.5), (np.eye(len(a), dtype=a.dtype), a, product(a, a)))


def fourth(a: np.ndarray) -> np.ndarray:
    """The Taylor polynomial of degree 4."""
    one, square = np.eye(len(a), dtype=a.dtype), product(a, a)
    high = product(square, linear_combination((1 / 2, 1 / 6, 1 / 24), (one, a, square)))
    return linear_combination((1.0, 1.0, 1.0), (one, a, high))


def eighth(a: np.ndarray) -> np.ndarray:
    """The Taylor polynomial of degree 8 with three products."""
    one, square = np.eye(len(a), dtype=a.dtype), product(a, a)
    power = product(square, linear_combination(EIGHT["fourth"], (a, square)))
    left = linear_combination((EIGHT["left"], 1.0), (square, power))
    high = product(left, linear_combination(EIGHT["right"], (one, a, square, power)))
    return linear_combination((1.0, 1.0, EIGHT["square"], 1.0), (one, a, square, high))


def twelfth(a: np.ndarray) -> np.ndarray:
    """The Taylor polynomial of degree 12 with four products."""
    square = product(a, a)
    terms = (np.eye(len(a), dtype=a.dtype), a, square, product(a, square))
    low, left, middle, root = (linear_combination(row, terms) for row in TWELVE)
    half = middle + product(root, root)
    return low + product(left + half, half)


def eighteenth(a: np.ndarray) -> np.ndarray:
    """The Taylor polynomial of degree 18 with five products."""
    square = product(a, a)
    cube = product(a, square)
    terms = (np.eye(len(a), dtype=a.dtype), a, square, cube, product(cube, cube))
    left, low, middle, half, right = (linear_combination(row, terms) for row in EIGHTEEN)
    high = half + product(left, right)
    return low + product(middle + high, high)


POLYNOMIALS: tuple[Callable[[np.ndarray], np.ndarray], ...] = (
    *(first, second, fourth, eighth, twelfth),
)
