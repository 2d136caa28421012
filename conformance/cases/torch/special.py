"""ATen special functions."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, NoLowering

from ...case import Case, Limit, Tolerance, f, i, rand, scalar

BF16 = ml_dtypes.bfloat16
CLOSE = Tolerance(relative=1e-4, absolute=1e-5)
NARROW = {
    "float16": Tolerance(relative=2e-3, absolute=1e-3),
    "bfloat16": Tolerance(relative=1.6e-2, absolute=1e-2),
    "": CLOSE,
}
NAMES = (
    *("digamma", "erfinv", "i0", "lgamma", "special_bessel_j0", "special_bessel_j1"),
    *("special_bessel_y0", "special_bessel_y1", "special_erfcx", "special_i0e", "special_i1"),
    *("special_i1e", "special_log_ndtr", "special_modified_bessel_i0"),
    *("special_modified_bessel_i1", "special_modified_bessel_k0", "special_modified_bessel_k1"),
    *("special_ndtri", "special_airy_ai", "special_scaled_modified_bessel_k0"),
    *("special_scaled_modified_bessel_k1", "special_entr", "special_ndtr"),
    "special_spherical_bessel_j0",
)
LOWERED = ("special_entr", "special_spherical_bessel_j0", "special_ndtr")
FLOAT32 = (
    *(
        "digamma",
        "lgamma",
        "erfinv",
        "i0",
        "special_erfcx",
        "special_i0e",
        "special_i1",
        "special_i1e",
    ),
    *("special_log_ndtr", "special_ndtri", "special_ndtr"),
    *(f"special_modified_bessel_{k}" for k in ("i0", "i1", "k0", "k1")),
    *(f"special_scaled_modified_bessel_{k}" for k in ("k0", "k1")),
)
"""Functions that polynomials reach in float32."""
HALVES = ("digamma", "erfinv", "i0", "lgamma", "special_i0e", "special_entr")
WIDE = ("lgamma", "special_log_ndtr", "special_erfcx", "special_i1", "special_bessel_j0")
POLYNOMIALS = (
    *(f"chebyshev_polynomial_{k}" for k in "tuvw"),
    *(f"shifted_chebyshev_polynomial_{k}" for k in "tuvw"),
    *("hermite_polynomial_h", "hermite_polynomial_he"),
    *("laguerre_polynomial_l", "legendre_polynomial_p"),
)
X = rand(2, 3, low=0.1, high=0.9)
DEGREES = f(-1, 0, 1, 2, 4, 8)
GAMMAS = f(-7.75, -2.5, -1.25, -0.5, -1e-3, 1e-3, 0.3, 0.999, 1.5, 2.5, 3, 7.5, 40, 3e4)
"""Where the functions of gamma are computed in different ways."""
PAIRS = ("igamma.default", "igammac.default", "special_zeta.default")

CASES = [
    *(Case(f"aten.{op}.default", (X,), tol=CLOSE) for op in NAMES),
    *(Case(f"aten.{op}.default", (X.astype(np.float64),), tol=CLOSE) for op in NAMES),
    *(Case(f"aten.{op}.default", (i(1, 2, 3),), why="integers", tol=CLOSE) for op in NAMES),
    *(Case(f"aten.{op}.default", (scalar(0.5),), why="0-d", tol=CLOSE) for op in NAMES),
    *(
        Case(f"aten.{op}.default", (X.astype(d),), tol=NARROW)
        for op in HALVES
        for d in (np.float16, BF16)
    ),
    *(Case(f"aten.{op}.default", (f(1.5, 5, 20),), why="far", tol=CLOSE) for op in WIDE),
    Case("aten.lgamma.default", (f(-0.5, 0, -2, np.inf, -np.inf, np.nan),), why="edges", tol=CLOSE),
    Case(
        "aten.special_airy_ai.default",
        (f(-1e10, -1e4, -10, 90, 3e38, np.inf, -np.inf, np.nan, dtype=np.float64),),
        why="edges",
        tol=CLOSE,
    ),
    Case("aten.digamma.default", (f(-0.5, -1.25, 0, np.inf, np.nan),), why="edges", tol=CLOSE),
    *(
        Case(f"aten.{op}.default", (GAMMAS.astype(d),), why="all ranges", tol=NARROW)
        for op in ("lgamma", "digamma")
        for d in (np.float32, np.float16)
    ),
    Case("aten.lgamma.default", (f(1, 2, 3e38, -1e-20, 1e-30, 1e30),), why="far off", tol=CLOSE),
    Case("aten.digamma.default", (f(-1, -0.0, 3e38, -1e-20, 1e-30),), why="far off", tol=CLOSE),
    Case("aten.erfinv.default", (f(-1, 1, 2, 0, np.nan),), why="edges", tol=CLOSE),
    Case("aten.special_entr.default", (f(-1, 0, np.inf, np.nan),), why="edges", tol=CLOSE),
    Case("aten.special_spherical_bessel_j0.default", (f(0, np.inf, 30),), why="edges", tol=CLOSE),
    *(Case(f"aten.{op}", (X + 1.5, X[0] + 2), tol=CLOSE) for op in PAIRS),
    Case("aten.igamma.default", (f(0, 1, 2), f(0, 0, np.inf)), why="edges", tol=CLOSE),
    Case("aten.special_zeta.other_scalar", (X + 2, 1.5), tol=CLOSE),
    Case("aten.special_zeta.self_scalar", (2.5, X + 1), tol=CLOSE),
    *(Case("aten.polygamma.default", (n, X), why=f"order {n}", tol=CLOSE) for n in range(4)),
    Case("aten.polygamma.default", (1, f(-0.5, -3.25, 12)), why="reflected", tol=CLOSE),
    Case("aten.polygamma.default", (1, f(0.25, 3, dtype=np.float64)), why="wide", tol=CLOSE),
    Case("aten.polygamma.default", (3, f(-0.0, 40, 1e-3, 1e12)), why="far", tol=CLOSE),
    Case("aten.mvlgamma.default", (X + 2, 3), tol=CLOSE),
    Case("aten.mvlgamma.default", (X, 0), why="p=0", raises=BadType),
    Case("aten.mvlgamma.default", (X, 2**40), why="too many terms", raises=BadType),
    *(Case(f"aten.special_{op}.default", (X.reshape(6), DEGREES), tol=CLOSE) for op in POLYNOMIALS),
    *(Case(f"aten.special_{op}.n_scalar", (f(-1, 0, 1, 1.5), 3), tol=CLOSE) for op in POLYNOMIALS),
    *(Case(f"aten.special_{op}.x_scalar", (0.3, DEGREES), tol=CLOSE) for op in POLYNOMIALS),
]
LIMITS = [
    *(
        Limit(op, device="onnxruntime", raises=NoLowering, why="ONNX has no special functions")
        for op in dict.fromkeys(c.op for c in CASES if not c.raises)
        if op.split(".")[1] not in (*LOWERED, *FLOAT32, "polygamma", "mvlgamma")
        and not op.endswith(".n_scalar")
    ),
    *(
        Limit(
            f"aten.{op}.default",
            device="onnxruntime",
            dtype="float64",
            raises=NoLowering,
            why="onnxruntime has no kernel for float64",
        )
        for op in FLOAT32
    ),
]
