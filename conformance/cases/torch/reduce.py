"""ATen reductions, running sums, norms and statistics."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Limit, Tolerance, f, i, rand, scalar
from . import statistics

BF16 = ml_dtypes.bfloat16
NARROW = {
    "float16": Tolerance(relative=2e-3, absolute=1e-3),
    "bfloat16": Tolerance(relative=1.6e-2, absolute=1e-2),
    "": ROUNDS,
}
inf, nan = np.inf, np.nan
X = rand(2, 3, 4)
WHOLE = ("sum", "mean", "prod", "std", "var", "std_mean", "var_mean", "max", "min", "all", "any")
FOLDS = ("sum.dim_IntList", "mean.dim", "std.dim", "var.dim", "std_mean.dim", "var_mean.dim")
AXES = (*FOLDS, "logsumexp.default", "nansum.default", "nanmean.default")
ONE = ("prod.dim_int", "max.dim", "min.dim", "all.dim", "any.dim")
EXTREMES = ("amax.default", "amin.default")
ARGS = ("argmax.default", "argmin.default")
SPREADS = ("std", "var", "std_mean", "var_mean")
RUNNING = ("cumsum", "cumprod")
BEST = ("cummax", "cummin")
TIES = f(2, 1, 2, 1, 3, 3)
BROKEN = f(1, nan, 3, nan, -2)
FLOATS = (np.float16, BF16, np.float64)


CASES = [
    *(Case(f"aten.{op}.default", (X,), tol=ROUNDS) for op in WHOLE),
    *(Case(f"aten.{op}.default", (scalar(2),), why="0-d") for op in ("sum", "mean", "prod", "max")),
    *(Case(f"aten.{op}.default", (X.astype(d),), tol=NARROW) for op in WHOLE for d in FLOATS),
    *(Case(f"aten.{op}.default", (i(1, 0, 3),)) for op in ("sum", "prod", "max", "all", "any")),
    *(
        Case(f"aten.{op}.default", (f(True, False, dtype=np.bool_),))
        for op in ("sum", "prod", "max", "min", "all", "any")
    ),
    *(Case(f"aten.{op}.default", (i(1, 0, dtype=np.uint8),)) for op in ("sum", "all", "any")),
    *(
        Case(f"aten.{op}.default", (np.zeros((0,), np.float32),), why="empty")
        for op in ("sum", "mean", "prod", "all", "any", "std")
    ),
    *(Case(f"aten.{op}", (X, [1]), why="an axis", tol=ROUNDS) for op in AXES),
    *(Case(f"aten.{op}", (X, [0, -1]), why="two axes", tol=ROUNDS) for op in AXES),
    *(Case(f"aten.{op}", (scalar(2), [0]), why="0-d") for op in ("sum.dim_IntList", "mean.dim")),
    *(Case(f"aten.{op}", (X.astype(d), [1]), tol=NARROW) for op in AXES for d in FLOATS),
    *(
        Case(f"aten.{op}", (X, [1], True), why="kept", tol=ROUNDS)
        for op in ("sum.dim_IntList", "mean.dim", "logsumexp.default", "nansum.default")
    ),
    *(Case(f"aten.{op}.dim", (X, [1], False, True), why="kept", tol=ROUNDS) for op in SPREADS),
    *(Case(f"aten.{op}.dim", (X, None), why="all axes", tol=ROUNDS) for op in SPREADS),
    *(Case(f"aten.{op}.default", (X, False), why="biased", tol=ROUNDS) for op in SPREADS),
    *(Case(f"aten.{op}.default", (scalar(2),), why="0-d") for op in SPREADS),
    *(Case(f"aten.{op}.correction", (X,), tol=ROUNDS) for op in SPREADS),
    *(
        Case(f"aten.{op}.correction", (X, [1]), {"correction": c, "keepdim": True}, tol=ROUNDS)
        for op in SPREADS
        for c in (0, 0.5, 2, 7)
    ),
    Case("aten.var.default", (i(1, 2),), why="integers", raises=Unsupported),
    *(Case(f"aten.{op}.dim", (X + 1j * X[::-1], [1]), why="complex", tol=ROUNDS) for op in SPREADS),
    *(Case(f"aten.{op}", (X, None), why="all axes", tol=ROUNDS) for op in FOLDS[:2]),
    *(Case(f"aten.{op}", (X, []), why="no axes", tol=ROUNDS) for op in FOLDS[:2]),
    Case("aten.sum.default", (X,), {"dtype": Precision.FLOAT64}, tol=ROUNDS),
    Case("aten.sum.default", (f(1.7, 2.7),), {"dtype": Precision.INT64}),
    Case("aten.sum.dim_IntList", (i(1, 2, dtype=np.int8), [0]), {"dtype": Precision.INT32}),
    Case("aten.mean.default", (i(1, 2),), {"dtype": Precision.FLOAT32}),
    Case("aten.mean.default", (i(1, 2),), why="integers", raises=BadType),
    Case("aten.mean.dim", (i([1, 2], [4, 9]), [1]), {"dtype": Precision.FLOAT32}),
    Case("aten.mean.dim", (X, [1]), {"dtype": Precision.FLOAT64}, tol=ROUNDS),
    Case("aten.prod.default", (i(1, 2),), {"dtype": Precision.FLOAT32}),
    Case("aten.prod.dim_int", (i(1, 2), 0), {"dtype": Precision.FLOAT32}),
    *(Case(f"aten.{op}", (X, 1), why="an axis", tol=ROUNDS) for op in ONE),
    *(Case(f"aten.{op}", (X, -1, True), why="kept", tol=ROUNDS) for op in ONE),
    *(Case(f"aten.{op}", (scalar(2), 0), why="0-d") for op in ONE),
    *(Case(f"aten.{op}", (i(1, 0, 3, 0), 0)) for op in ONE),
    *(Case(f"aten.{op}", (BROKEN, 0), why="nan") for op in ("max.dim", "min.dim")),
    *(Case(f"aten.{op}", (TIES, 0), why="ties") for op in ("max.dim", "min.dim")),
    *(Case(f"aten.{op}", (BROKEN,), why="nan") for op in (*EXTREMES, "max.default", *ARGS)),
    *(Case(f"aten.{op}", (X,)) for op in (*EXTREMES, *ARGS)),
    *(Case(f"aten.{op}", (X, [0, 2], True), why="kept") for op in EXTREMES),
    *(Case(f"aten.{op}", (X[:0],), why="of nothing", raises=BadType) for op in EXTREMES),
    *(Case(f"aten.{op}", (X[:0], [1]), why="no elements") for op in EXTREMES),
    Case("aten.aminmax.default", (X[:0],), {"dim": 0}, why="of nothing", raises=BadType),
    *(
        Case(f"aten.{op}.default", (X[:0],), why="of nothing", raises=BadType)
        for op in ("max", "min")
    ),
    *(Case(f"aten.{op}", (X.astype(BF16), [1])) for op in EXTREMES),
    *(Case(f"aten.{op}", (scalar(2), [0]), why="0-d") for op in EXTREMES),
    *(Case(f"aten.{op}", (X, 1), why="an axis") for op in ARGS),
    *(Case(f"aten.{op}", (X, -1, True), why="kept") for op in ARGS),
    *(Case(f"aten.{op}", (X, None, True), why="all axes, kept") for op in ARGS),
    *(Case(f"aten.{op}", (i(3, 1, 3, 1),)) for op in ARGS),
    *(Case(f"aten.{op}", (scalar(2), 0), why="0-d") for op in ARGS),
    *(Case(f"aten.{op}", (X.astype(np.float16), 1)) for op in ARGS),
    Case("aten.aminmax.default", (X,)),
    Case("aten.aminmax.default", (X,), {"dim": 1, "keepdim": True}),
    *(Case(f"aten.{op}.dims", (X, [0, 2]), why="two axes") for op in ("all", "any")),
    *(Case(f"aten.{op}.dims", (X, None, True), why="all axes") for op in ("all", "any")),
    *(Case(f"aten.{op}.dims", (f(0, 1), []), why="no axes") for op in ("all", "any")),
    Case("aten.logsumexp.default", (f(-np.inf, -1000, -1001), [0]), why="far below", tol=ROUNDS),
    Case("aten.logsumexp.default", (f(-inf, -inf), [0]), why="nothing"),
    Case("aten.logsumexp.default", (f(1000, 1001), [0]), why="no overflow", tol=ROUNDS),
    Case("aten.logsumexp.default", (i(1, 2), [0]), tol=ROUNDS),
    Case("aten.logsumexp.default", (scalar(4j, np.complex64), []), raises=Unsupported),
    Case("aten.nansum.default", (BROKEN,), why="nan"),
    Case("aten.nansum.default", (i(1, 2),)),
    Case("aten.nansum.default", (BROKEN,), {"dtype": Precision.FLOAT64}),
    Case("aten.nanmean.default", (BROKEN,), why="nan", tol=ROUNDS),
    Case("aten.nanmean.default", (f(nan, nan),), why="nothing else"),
    Case("aten.nanmean.default", (BROKEN, [0], True), {"dtype": Precision.FLOAT64}, tol=ROUNDS),
    Case("aten.count_nonzero.default", (f(0, 1, nan, -0.0),)),
    Case("aten.count_nonzero.default", (X, 1), why="an axis"),
    Case("aten.count_nonzero.dim_IntList", (X, [0, 1])),
    Case("aten.hash_tensor.default", (X.astype(np.float64),)),
    Case("aten.hash_tensor.default", (i(1, -2), [0]), {"keepdim": True}),
    Case("aten.hash_tensor.default", (i([1, -2], [5, 9]), [0]), why="columns"),
    Case("aten.hash_tensor.default", (scalar(2),), why="0-d"),
    Case("aten.hash_tensor.default", (X,), {"mode": 1}, raises=Unsupported),
    Case("aten.sum_to_size.default", (X, [3, 1]), why="an axis less", tol=ROUNDS),
    Case("aten.sum_to_size.default", (X, [2, 3, 4]), why="itself"),
    Case("aten.sum_to_size.default", (X, [1, 1]), tol=ROUNDS),
    Case("aten.sum_to_size.default", (X > 0, [3, 1]), why="truth values"),
    Case("aten.sum_to_size.default", (scalar(True, np.bool_), []), why="a truth value"),
    Case("aten.sum_to_size.default", (X > 0, [2, 3, 4]), why="truth values themselves"),
    Case("aten.sum_to_size.default", (X, [3, 2]), why="another size", raises=BadType),
    Case("aten.sum_to_size.default", (X, [1, 2, 3, 4]), why="more axes", raises=BadType),
    *(Case(f"aten.{op}.default", (X, 1), tol=ROUNDS) for op in RUNNING),
    *(Case(f"aten.{op}.default", (i(1, 2, 3, dtype=np.int32), 0)) for op in RUNNING),
    *(Case(f"aten.{op}.default", (X.astype(d), -1), tol=NARROW) for op in RUNNING for d in FLOATS),
    *(Case(f"aten.{op}.default", (f(True, True, dtype=np.bool_), 0)) for op in RUNNING),
    *(Case(f"aten.{op}.default", (scalar(2), 0), why="0-d") for op in RUNNING),
    *(Case(f"aten.{op}.default", (i(1, 2), 0), {"dtype": Precision.FLOAT32}) for op in RUNNING),
    *(Case(f"aten.{op}.default", (X, 1)) for op in BEST),
    *(Case(f"aten.{op}.default", (TIES, 0), why="ties") for op in BEST),
    *(Case(f"aten.{op}.default", (BROKEN, 0), why="nan") for op in BEST),
    *(Case(f"aten.{op}.default", (i(1, 3, 2), -1)) for op in BEST),
    *(Case(f"aten.{op}.default", (X.astype(BF16), 0)) for op in BEST),
    *(Case(f"aten.{op}.default", (np.zeros((0, 2), np.float32), 0), why="empty") for op in BEST),
    Case("aten.logcumsumexp.default", (X, 1), tol=ROUNDS),
    Case("aten.logcumsumexp.default", (f(-inf, -100, 100, inf), 0), why="edges", tol=ROUNDS),
    Case("aten.logcumsumexp.default", (X.astype(np.float16), 1), tol=NARROW),
    Case("aten._logcumsumexp.default", (X, 1), tol=ROUNDS),
    *statistics.CASES,
]
LIMITS = [
    *(
        Limit(
            f"aten.{op}",
            device="onnxruntime",
            case="float32-nan",
            why="onnxruntime's ReduceMax and ReduceMin pass over NaN",
        )
        for op in ("max.dim", "min.dim", "max.default", *EXTREMES)
    ),
    *statistics.LIMITS,
]
