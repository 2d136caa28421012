"""Special functions; their references are SciPy's, an optional package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..broadcast import broadcast
from ..errors import Unsupported
from ..model import Value
from ..numeric import wide
from ..operator import Operator, Pattern, operator, require, series
from ..types import TensorType
from .binary import same_type


def scipy_function(name: str) -> Callable[..., Any]:
    """A function of scipy.special; Unsupported without SciPy."""
    try:
        import scipy.special
    except ImportError:
        raise Unsupported(f"the special function {name!r} needs scipy: pip install scipy") from None
    found: Callable[..., Any] = getattr(scipy.special, name)
    return found


def _airy(x: np.ndarray) -> np.ndarray:
    """SciPy's stops far from 0: Ai decays there, or is a wave (Abramowitz and Stegun 10.4.60)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(-x)
        wave = np.sin(2 / 3 * root * -x + np.pi / 4) / np.sqrt(np.pi * root)
    made = np.where(x < -1e5, wave, scipy_function("airy")(np.clip(x, -1e5, 200))[0])
    return np.where(np.isinf(x), np.nan, made)


def _lgamma(x: np.ndarray) -> np.ndarray:
    """SciPy's has another infinity at -inf."""
    return np.where(np.isneginf(x), np.inf, scipy_function("gammaln")(x))


OWN: dict[str, Callable[..., np.ndarray]] = {
    "airy_ai": _airy,
    "fresnel_cos": lambda x: scipy_function("fresnel")(x)[1],
    "fresnel_sin": lambda x: scipy_function("fresnel")(x)[0],
    "lgamma": _lgamma,
}
"""Functions that mend SciPy's at their ends."""


def special(name: str, scipy_name: str, code: int, summary: str, operands: int = 1) -> Operator:
    """A function of one or two floats, computed in float64."""

    def reference(*arrays: np.ndarray) -> np.ndarray:
        function = OWN.get(name) or scipy_function(scipy_name)
        return np.asarray(function(*(a.astype(np.float64) for a in arrays)), arrays[0].dtype)

    def unary(input: Value) -> TensorType:
        require(input.is_float, f"{name} needs a float input, not {input.precision.name}")
        return input.type

    def binary(input0: Value, input1: Value) -> TensorType:
        require(input0.is_float, f"{name} needs float inputs, not {input0.precision.name}")
        return same_type(name, input0, input1)

    rule: Callable[..., TensorType] = unary if operands == 1 else binary
    shapes = "that of `input`" if operands == 1 else "broadcast as in NumPy"
    rule.__name__, rule.__module__ = name, __name__
    rule.__doc__ = (
        f"{summary}\n\n    Types: any float, one for all.\n    Shapes: {shapes}.\n"
        f"    Edges: those of scipy.special.{scipy_name}.\n    "
    )
    return operator(pattern=Pattern.ELEMENTWISE, steps=series, code=code, reference=reference)(rule)


lgamma = special("lgamma", "gammaln", 2150, "The logarithm of the size of the gamma function.")
digamma = special("digamma", "psi", 2151, "The derivative of the logarithm of the gamma function.")
erfinv = special("erfinv", "erfinv", 2152, "The inverse of the error function.")
erfcx = special("erfcx", "erfcx", 2153, "exp(x**2) * erfc(x).")
ndtri = special("ndtri", "ndtri", 2154, "The inverse of the normal distribution function.")
log_ndtr = special("log_ndtr", "log_ndtr", 2155, "The logarithm of the normal distribution.")
airy_ai = special("airy_ai", "airy", 2156, "The Airy function Ai.")
bessel_j0 = special("bessel_j0", "j0", 2157, "The Bessel function of the first kind, order 0.")
bessel_j1 = special("bessel_j1", "j1", 2158, "The Bessel function of the first kind, order 1.")
bessel_y0 = special("bessel_y0", "y0", 2159, "The Bessel function of the second kind, order 0.")
bessel_y1 = special("bessel_y1", "y1", 2160, "The Bessel function of the second kind, order 1.")
bessel_i0 = special("bessel_i0", "i0", 2161, "The modified Bessel function, order 0.")
bessel_i0e = special("bessel_i0e", "i0e", 2162, "exp(-|x|) * BESSEL_I0.")
bessel_i1 = special("bessel_i1", "i1", 2163, "The modified Bessel function, order 1.")
bessel_i1e = special("bessel_i1e", "i1e", 2164, "exp(-|x|) * BESSEL_I1.")
bessel_k0 = special("bessel_k0", "k0", 2165, "The modified Bessel function K, order 0.")
bessel_k0e = special("bessel_k0e", "k0e", 2166, "exp(x) * BESSEL_K0.")
bessel_k1 = special("bessel_k1", "k1", 2167, "The modified Bessel function K, order 1.")
bessel_k1e = special("bessel_k1e", "k1e", 2168, "exp(x) * BESSEL_K1.")
igamma = special(
    "igamma", "gammainc", 2169, "The lower incomplete gamma function, regularised.", operands=2
)
igammac = special(
    "igammac", "gammaincc", 2170, "The upper incomplete gamma function, regularised.", operands=2
)
zeta = special("zeta", "zeta", 2171, "The Hurwitz zeta function.", operands=2)
dawsn = special("dawsn", "dawsn", 2173, "Dawson's integral: exp(-x**2) times that of exp(t**2).")
expint = special("expint", "expi", 2174, "The exponential integral Ei.")
fresnel_cos = special("fresnel_cos", "fresnel", 2175, "Fresnel's integral of cos(pi t**2 / 2).")
fresnel_sin = special("fresnel_sin", "fresnel", 2176, "Fresnel's integral of sin(pi t**2 / 2).")
spence = special("spence", "spence", 2177, "Spence's integral of log(t) / (1 - t) from 1 on.")


def _betainc(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> np.ndarray:
    wide = (v.astype(np.float64) for v in (a, b, x))
    return np.asarray(scipy_function("betainc")(*wide), x.dtype)


@operator(pattern=Pattern.ELEMENTWISE, steps=series, code=2178, reference=_betainc)
def betainc(a: Value, b: Value, x: Value) -> TensorType:
    """The incomplete beta function, regularised.

    Types: any float, one for all.
    Shapes: broadcast as in NumPy.
    Edges: those of scipy.special.betainc.
    """
    require(a.is_float, f"betainc needs float inputs, not {a.precision.name}")
    both = same_type("betainc", a, b)
    last = same_type("betainc", a, x)
    return x.type.with_shape(broadcast(both.shape, last.shape))


def _trigamma(x: np.ndarray) -> np.ndarray:
    """By reflection below 1/2, then recurrence and the asymptotic series, in the type of x.

    In float32 the reflection loses digits near the poles; frameworks lose the same ones.
    """
    kind = x.dtype.type
    mirrored = x < kind(0.5)
    wave = np.sin(kind(np.pi) * x)
    result = np.where(mirrored, -kind(np.pi * np.pi) / (wave * wave), kind(0))
    at = np.where(mirrored, kind(1) - x, x)
    for _ in range(6):
        result, at = result + kind(1) / (at * at), at + kind(1)
    square = kind(1) / (at * at)
    series = kind(1 / 6) - square * (kind(1 / 30) - square * kind(1 / 42))
    result = result + (kind(1) + kind(1) / (kind(2) * at) + square * series) / at
    return np.where(mirrored, -result, result)


@wide
def _polygamma(input: np.ndarray, *, order: int) -> np.ndarray:
    if order == 1:
        return _trigamma(input)
    made = scipy_function("polygamma")(order, input.astype(np.float64))
    return np.asarray(made, input.dtype)


@operator(pattern=Pattern.ELEMENTWISE, steps=series, code=2172, reference=_polygamma)
def polygamma(input: Value, *, order: int) -> TensorType:
    """The derivative of order `order` of DIGAMMA.

    Types: any float; the result has the type and shape of `input`.
    Edges: those of scipy.special.polygamma.
    """
    require(input.is_float, f"polygamma needs a float input, not {input.precision.name}")
    require(order >= 0, f"polygamma of order {order}")
    return input.type


Step = tuple[float, float, float]
CHEBYSHEV: Callable[[int], Step] = lambda k: (2, 0, 1)  # noqa: E731  a row of the table
POLYNOMIALS: dict[str, tuple[tuple[float, float], Callable[[int], Step]]] = {
    "chebyshev_t": ((1, 0), CHEBYSHEV),
    "chebyshev_u": ((2, 0), CHEBYSHEV),
    "chebyshev_v": ((2, -1), CHEBYSHEV),
    "chebyshev_w": ((2, 1), CHEBYSHEV),
    "hermite_h": ((2, 0), lambda k: (2, 0, 2 * k)),
    "hermite_he": ((1, 0), lambda k: (1, 0, k)),
    "laguerre_l": ((-1, 1), lambda k: (-1 / (k + 1), (2 * k + 1) / (k + 1), k / (k + 1))),
    "legendre_p": ((1, 0), lambda k: ((2 * k + 1) / (k + 1), 0, k / (k + 1))),
}
"""By kind the polynomial of degree 1, a x + b, and of degree k + 1, (a x + b) P[k] - c P[k - 1]."""


LARGEST_DEGREE = 1 << 16


def _polynomial(input: np.ndarray, degree: np.ndarray, *, kind: str) -> np.ndarray:
    x, n = np.broadcast_arrays(input.astype(np.float64), np.trunc(degree.astype(np.float64)))
    n = np.where(np.isfinite(n), n, -1)
    if np.max(n, initial=0) > LARGEST_DEGREE:
        raise Unsupported(f"polynomials of degree {np.max(n):.6g}, more than {LARGEST_DEGREE}")
    (slope, offset), step = POLYNOMIALS[kind]
    before, now = np.ones(x.shape), slope * x + offset
    result = np.where(n == 0, before, np.where(n == 1, now, 0.0))
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, int(np.max(n, initial=0))):
            slope, offset, back = step(k)
            before, now = now, (slope * x + offset) * now - back * before
            result = np.where(n == k + 1, now, result)
    return result.astype(input.dtype)


@operator(pattern=Pattern.ELEMENTWISE, steps=series, code=2180, reference=_polynomial)
def polynomial(input: Value, degree: Value, *, kind: str) -> TensorType:
    """Orthogonal polynomials by their recurrences: Chebyshev, Hermite, Laguerre, Legendre.

    Types: two floats of one precision; the fraction of `degree` does not count.
    Shapes: broadcast as in NumPy.
    Edges: a negative degree gives 0, one that is not finite too.
    """
    require(kind in POLYNOMIALS, f"polynomial of kind {kind!r}, not {', '.join(POLYNOMIALS)}")
    require(input.is_float, f"polynomial needs float inputs, not {input.precision.name}")
    return same_type("polynomial", input, degree)
