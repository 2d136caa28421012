"""ATen norms, distances, integrals, medians, quantiles and histograms."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Limit, Tolerance, f, i, rand, scalar

BF16 = ml_dtypes.bfloat16
NARROW = {
    "float16": Tolerance(relative=2e-3, absolute=1e-3),
    "bfloat16": Tolerance(relative=1.6e-2, absolute=1e-2),
    "": ROUNDS,
}
CLOSE = Tolerance(relative=1e-4, absolute=1e-4)
inf, nan = np.inf, np.nan
X, Y = rand(2, 3, 4), rand(2, 3, 4, seed=1)
ORDERS = (0, 1, 2, 3, 0.5, -1, inf, -inf)
BROKEN = f(1, nan, 3, nan, -2)
POINTS = f(0, 1, 3, 4)
MEDIANS = ("median", "nanmedian")
QUANTILES = ("quantile", "nanquantile")
WAYS = ("linear", "lower", "higher", "midpoint", "nearest")
AREAS = ("trapezoid", "trapz", "cumulative_trapezoid")

CASES = [
    *(
        Case("aten.linalg_vector_norm.default", (X, p, [1]), why=f"order {p}", tol=ROUNDS)
        for p in ORDERS
    ),
    *(
        Case("aten.linalg_vector_norm.default", (X.astype(d),), tol=NARROW)
        for d in (np.float16, BF16)
    ),
    Case("aten.linalg_vector_norm.default", (X, 2, [0, -1], True), why="two axes", tol=ROUNDS),
    Case("aten.linalg_vector_norm.default", (scalar(-2), 2), why="0-d", tol=ROUNDS),
    Case("aten.linalg_vector_norm.default", (X,), {"dtype": Precision.FLOAT64}, tol=ROUNDS),
    *(Case("aten.norm.Scalar", (X, p), why=f"order {p}", tol=ROUNDS) for p in ORDERS[1:4]),
    Case("aten.norm.Scalar", (X, 2j), why="a complex order", raises=Unsupported),
    Case("aten.norm.ScalarOpt_dim", (X, 2, [1]), tol=ROUNDS),
    Case("aten.norm.ScalarOpt_dim", (X, None, [1], True), why="no order", tol=ROUNDS),
    Case(
        "aten.norm.ScalarOpt_dim_dtype", (X, 3, [1], True), {"dtype": Precision.FLOAT64}, tol=ROUNDS
    ),
    Case("aten.norm.ScalarOpt_dtype", (X, 1), {"dtype": Precision.FLOAT64}, tol=ROUNDS),
    *(Case("aten.dist.default", (X, Y, p), why=f"order {p}", tol=ROUNDS) for p in (0, 1, 2, inf)),
    Case("aten.dist.default", (X, Y[0]), why="broadcast", tol=ROUNDS),
    *(
        Case("aten.cdist.default", (X, rand(2, 5, 4, seed=2), p), why=f"order {p}", tol=ROUNDS)
        for p in (0.0, 1.0, 2.0, 3.0, inf)
    ),
    Case("aten.cdist.default", (X, rand(5, 4, seed=2)), why="broadcast", tol=ROUNDS),
    *(
        Case(
            "aten.cdist.default", (f(inf, 1)[:, None], f(inf, nan, 1)[:, None], p), why=f"edges {p}"
        )
        for p in (0.0, 1.0)
    ),
    *(
        Case("aten.cdist.default", (X, Y, 2.0, mode), why=f"compute mode {mode}", tol=CLOSE)
        for mode in (1, 2)
    ),
    Case("aten._cdist_forward.default", (X, Y, 2.0, None), tol=ROUNDS),
    Case("aten._euclidean_dist.default", (X, Y), tol=Tolerance(1e-4, 1e-4)),
    Case("aten.pdist.default", (X[0],), tol=ROUNDS),
    Case("aten.pdist.default", (X[0], 1.0), why="order 1", tol=ROUNDS),
    Case("aten.pdist.default", (f(1, 1, nan, inf)[:, None], 0.0), why="order 0"),
    Case("aten._pdist_forward.default", (X[0],), tol=ROUNDS),
    Case("aten._pdist_forward.default", (X[0], 1.0), why="order 1", tol=ROUNDS),
    Case("aten.pairwise_distance.default", (X, Y), tol=ROUNDS),
    Case("aten.pairwise_distance.default", (X, Y, 1.0, 0.1, True), why="kept", tol=ROUNDS),
    Case("aten.pairwise_distance.default", (i(1, 5, 2), i(4, 1, 2)), tol=ROUNDS),
    Case("aten.cosine_similarity.default", (X, Y), tol=ROUNDS),
    Case("aten.cosine_similarity.default", (X, Y[0], -1, 0.5), why="broadcast", tol=ROUNDS),
    Case("aten.cosine_similarity.default", (X / 9, Y / 9, 1, 0.5), why="near zero", tol=ROUNDS),
    Case("aten.cosine_similarity.default", (X * 0, Y, 2), why="zeros"),
    Case("aten.cosine_similarity.default", (X[:, :1], Y[:1], 1), why="both broadcast", tol=ROUNDS),
    Case("aten.cosine_similarity.default", (X, Y[0], 1), why="another rank", tol=ROUNDS),
    Case(
        "aten.cosine_similarity.default", (X.astype(np.float16), Y.astype(np.float16)), tol=NARROW
    ),
    Case("aten.cosine_similarity.default", (scalar(2), scalar(-3), 0), why="0-d"),
    Case("aten.cosine_similarity.default", (scalar(0.2), scalar(-3), 0, 0.5), why="0-d, near zero"),
    Case("aten.renorm.default", (X, 2, 1, 1.5), tol=ROUNDS),
    Case("aten.renorm.default", (X, 1, -1, 2), why="order 1", tol=ROUNDS),
    Case("aten.renorm.default", (f([1, 2], [8, 9], [0, 0]), 2, 0, 5), why="short ones", tol=ROUNDS),
    Case("aten.renorm.default", (f([1, 2], [8, 9]), np.inf, 1, 8.5), why="largest", tol=ROUNDS),
    Case("aten.diff.default", (i(1, 5, 2), 1, 0, i(0)), why="before"),
    Case("aten.diff.default", (i(1, 5, 2), 2, -1, None, i(9)), why="behind"),
    Case("aten.diff.default", (i(1, 5, 2), 0, -1, i(3)), why="no difference"),
    Case("aten.diff.default", (X,), tol=ROUNDS),
    Case("aten.diff.default", (X, 2, 1), why="twice", tol=ROUNDS),
    Case("aten.diff.default", (X, 9), why="nothing left"),
    Case("aten.diff.default", (X, -1), why="less than nothing", raises=BadType),
    Case("aten.diff.default", (i(1, 5, 2), 1, 0, i(0), i(9, 9)), why="ends"),
    Case("aten.diff.default", (f(True, False, False, dtype=np.bool_),)),
    *(Case(f"aten.{op}.x", (X, POINTS), tol=ROUNDS) for op in AREAS),
    *(Case(f"aten.{op}.x", (X, f(0, 1, 3)), {"dim": 1}, tol=ROUNDS) for op in AREAS),
    *(Case(f"aten.{op}.x", (X, rand(2, 3, 4, seed=3)), why="a grid", tol=ROUNDS) for op in AREAS),
    *(Case(f"aten.{op}.dx", (X,), tol=ROUNDS) for op in AREAS),
    *(Case(f"aten.{op}.dx", (X,), {"dx": 0.5, "dim": 0}, tol=ROUNDS) for op in AREAS),
    *(Case(f"aten.{op}.default", (X,)) for op in MEDIANS),
    *(Case(f"aten.{op}.dim", (X, 1)) for op in MEDIANS),
    *(Case(f"aten.{op}.dim", (X, -1, True), why="kept") for op in MEDIANS),
    *(Case(f"aten.{op}.default", (BROKEN,), why="nan") for op in MEDIANS),
    *(Case(f"aten.{op}.dim", (BROKEN, 0), why="nan") for op in MEDIANS),
    *(Case(f"aten.{op}.dim", (i(5, 1, 3, 2), 0)) for op in MEDIANS),
    *(Case(f"aten.{op}.dim", (scalar(2), 0), why="0-d") for op in MEDIANS),
    *(Case(f"aten.{op}.dim", (X.astype(np.float16), 0)) for op in MEDIANS),
    Case("aten.mode.default", (f(3, 1, 2, 2, 1, 5),)),
    Case("aten.mode.default", (i(1, 2, 2, 3, dtype=np.int32), 0, True)),
    Case("aten.mode.default", (rand(4, 5, dtype=np.int64, low=0, high=2), 0)),
    Case("aten.mode.default", (scalar(2),), why="0-d"),
    *(
        Case(f"aten.{op}.scalar", (X, 0.4, 1), {"interpolation": w}, tol=ROUNDS)
        for op in QUANTILES
        for w in WAYS
    ),
    *(Case(f"aten.{op}.scalar", (X, 0.4, 1, True), why="kept", tol=ROUNDS) for op in QUANTILES),
    *(Case(f"aten.{op}.scalar", (X, 0.4, None, True), why="all", tol=ROUNDS) for op in QUANTILES),
    *(Case(f"aten.{op}.scalar", (BROKEN, 0.5), why="nan", tol=ROUNDS) for op in QUANTILES),
    *(Case(f"aten.{op}.default", (X, f(0, 0.3, 1), 1), tol=ROUNDS) for op in QUANTILES),
    *(
        Case(f"aten.{op}.default", (X, scalar(0.3), 1, True), why="0-d", tol=ROUNDS)
        for op in QUANTILES
    ),
    *(
        Case(f"aten.{op}.default", (X, f(0.3), None, True), why="all", tol=ROUNDS)
        for op in QUANTILES
    ),
    *(
        Case(f"aten.{op}.default", (X, f(0.2, 0.4), 1), {"interpolation": w}, why=w, tol=ROUNDS)
        for op in QUANTILES
        for w in WAYS[1:]
    ),
    Case("aten.quantile.scalar", (X, 0.5), {"interpolation": "cubic"}, raises=Unsupported),
    Case("aten.histc.default", (X, 5)),
    Case("aten.histc.default", (X, 4, -1, 1), why="a range"),
    Case("aten.histc.default", (f(2, 2), 3), why="one value"),
    Case("aten.histc.default", (f(0, 1, 2, 3), 3, 0, 3), why="bounds"),
    Case("aten.histogram.bins_tensor", (X, f(-1, 0, 0.5, 1))),
    Case(
        "aten.histogram.bins_tensor", (X, f(-1, 0, 1)), {"weight": Y, "density": True}, tol=ROUNDS
    ),
    Case("aten.histogram.bin_ct", (X, 4), tol=ROUNDS),
    Case("aten.histogram.bin_ct", (X, 3), {"range": [-1.0, 1.0], "density": True}, tol=ROUNDS),
    Case("aten.histogram.bin_ct", (X, 4), {"weight": Y}, tol=ROUNDS),
    *(Case("aten.gradient.scalarint", (X[0],), {"edge_order": k}, tol=ROUNDS) for k in (1, 2)),
    Case("aten.gradient.scalarint", (X,), {"spacing": 0.5, "dim": 1}, tol=ROUNDS),
    Case("aten.gradient.scalarint", (X,), {"edge_order": 3}, raises=Unsupported),
    Case("aten.gradient.scalarint", (X,), {"edge_order": 2}, why="too short", raises=BadType),
    Case("aten.gradient.array", (X,), {"dim": [1, 1]}, raises=BadType),
    Case("aten.gradient.scalarrayarray", (X,), {"spacing": [2.0], "dim": [1, 2]}, raises=BadType),
    Case("aten.gradient.scalararray", (X,), {"spacing": 2, "dim": [1, -1]}, tol=ROUNDS),
    Case("aten.gradient.array", (X,), {"dim": [1, 2]}, tol=ROUNDS),
    Case("aten.gradient.scalarrayint", (X[0],), {"spacing": [2.0, 0.5]}, tol=ROUNDS),
    Case("aten.gradient.scalarrayarray", (X,), {"spacing": [2.0], "dim": [1]}, tol=ROUNDS),
    Case("aten.gradient.tensorarrayint", (X,), {"spacing": [POINTS], "dim": 2}, tol=ROUNDS),
    Case("aten.gradient.tensorarray", (X,), {"spacing": [f(0, 1, 3)], "dim": [1]}, tol=ROUNDS),
    Case(
        "aten.gradient.tensorarray",
        (X,),
        {"spacing": [f(0, 1, 3), POINTS], "dim": [1, 2], "edge_order": 2},
        tol=ROUNDS,
    ),
    *(
        Case(f"aten.gradient.{op}", (X,), {**given, "edge_order": 2}, why="order 2", tol=ROUNDS)
        for op, given in (
            ("array", {"dim": [1, 2]}),
            ("scalararray", {"spacing": 2, "dim": [1, -1]}),
            ("scalarrayarray", {"spacing": [2.0], "dim": [1]}),
            ("scalarrayint", {"spacing": [2.0], "dim": 1}),
            ("tensorarrayint", {"spacing": [POINTS], "dim": 2}),
        )
    ),
    Case("aten.bincount.default", (i(1, 3, 1, 0),)),
    Case("aten.bincount.default", (i(1, 3, 1), None, 6), why="more"),
    Case("aten.bincount.default", (i(1, 3, 1, dtype=np.int32), f(0.5, 1, 2))),
    Case("aten.bincount.default", (i(1, 2), i(5, 6)), why="weights of integers"),
    Case("aten.bincount.default", (np.zeros(0, np.int64),), why="empty"),
]
LIMITS = [
    Limit(
        "aten.median.dim",
        device="onnxruntime",
        case="float32-nan",
        why="onnxruntime's TopK gives other positions of NaN",
    )
]
CASES += [
    *(Case(f"aten.{op}.x", (i(1, 5, 2, 7), i(0, 1, 3, 4))) for op in AREAS),
    *(Case(f"aten.{op}.dx", (i([1, 5, 2], [3, 3, 9]),), {"dx": 2}) for op in AREAS),
    *(Case(f"aten.{op}.default", (scalar(3), 0), why="0-d") for op in ("cummax", "cummin")),
]
