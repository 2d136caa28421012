"""ONNX Runtime's own activations, which round as its vectorised kernels do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...case import Case, Tolerance, f, rand

MICROSOFT = "com.microsoft"
HALF = Tolerance(relative=2e-3, absolute=1e-3)
"""Two units in the last place of a half: ONNX Runtime rounds between the steps of a function."""

nan, inf = np.nan, np.inf
EDGES = f(-inf, -20, -3, -0.5, -0.0, 0, 0.5, 3, 20, inf, nan)
CLOSE = Tolerance(relative=1e-5, absolute=3e-6)
"""Its tanh and erf are polynomials, and what they differ by stands beside a 1."""


def case(op: str, *inputs: Any, why: str = "", tol: Any = CLOSE, **attrs: Any) -> Case:
    """A case of the domain."""
    return Case(op, inputs, attrs, {"": tol, "float16": HALF}, why=why, domain=MICROSOFT)


X, BIAS = rand(2, 3, 4), rand(4, seed=1)
HALVES = X.astype(np.float16), BIAS.astype(np.float16)

CASES = [
    case("Gelu", X, why="ONNX Runtime's own"),
    case("Gelu", EDGES[1:-2], why="edges"),
    case("Gelu", HALVES[0]),
    case("BiasGelu", X, BIAS),
    case("BiasGelu", *HALVES),
    case("FastGelu", X),
    case("FastGelu", X, BIAS, why="a bias"),
    case("FastGelu", EDGES[1:-2], why="edges"),
    case("FastGelu", HALVES[0]),
    case("FastGelu", *HALVES, why="a bias"),
    case("QuickGelu", X),
    case("QuickGelu", X, alpha=1.0, why="a plain swish"),
    case("QuickGelu", X, alpha=-0.5, why="falling"),
    case("QuickGelu", EDGES[1:-2], why="edges"),
    case("QuickGelu", HALVES[0]),
]
