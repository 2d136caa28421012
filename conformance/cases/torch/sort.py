"""ATen order."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Limit, f, i, rand, scalar

X = rand(3, 5)
EDGES = f(np.nan, 1, -np.inf, np.inf, 0)
TIES = i([2, 1, 2, 1], [0, 0, 0, 0])
LINE = f(-1, 0, 0, 1.5)

ORDER = [
    *(
        Case("aten.sort.default", (X, d, down), why=f"{d} {down}")
        for d in (0, -1)
        for down in (False, True)
    ),
    Case("aten.sort.default", (EDGES,), why="nan is the largest"),
    Case("aten.sort.default", (EDGES, 0, True), why="nan comes first"),
    Case("aten.sort.default", (scalar(2.0),), why="rank 0"),
    Case("aten.sort.default", (rand(4, dtype=np.bool_),), why="bools"),
    Case("aten.sort.default", (rand(4, dtype=np.float16),), why="half"),
    Case("aten.sort.default", (rand(2, 0),), why="nothing"),
    Case("aten.sort.stable", (TIES,), {"stable": True, "dim": 1, "descending": True}),
    Case("aten.sort.stable", (TIES,), {"stable": True}, why="ties"),
    Case("aten.argsort.default", (X, 0)),
    Case("aten.argsort.stable", (TIES,), {"stable": True, "descending": True}),
    Case("aten.msort.default", (X,)),
    Case("aten.topk.default", (X, 2)),
    Case("aten.topk.default", (X, 2, 0, False, True), why="the smallest of an axis"),
    Case("aten.topk.default", (scalar(2.0), 1), why="rank 0"),
    Case("aten.topk.default", (scalar(2.0), 2), why="too many", raises=BadType),
    Case("aten.topk.default", (X, 6), why="more than there are", raises=BadType),
    Case("aten.kthvalue.default", (X, 2)),
    Case("aten.kthvalue.default", (X, 3, 0, True), why="keeps the axis"),
    Case("aten.kthvalue.default", (scalar(2.0), 1), why="rank 0"),
    Case("aten.kthvalue.default", (scalar(2.0), 3), why="the third of one", raises=BadType),
    Case("aten.argsort.default", (X, 1, True), why="falling"),
    Case("aten.argsort.stable", (TIES,), {"stable": True, "dim": 0}, why="columns"),
    Case("aten.topk.default", (X, 1, 0, True, False), why="in any order"),
    Case("aten.sort.stable", (TIES,), {"stable": True, "dim": 0}, why="columns"),
]
REPEATS = i(3, 1, 1, 3, 2)
RUNS = i(1, 1, 2, 2, 2, 1)
PLANES = i([1, 2, 1], [1, 2, 1], [3, 4, 3])
UNIQUES = [
    Case("aten._unique.default", (REPEATS, True, True)),
    Case("aten._unique2.default", (f(3, 1, 1, 3),), why="only values"),
    Case("aten._unique2.default", (REPEATS.reshape(5, 1), True, True, True), why="all results"),
    Case("aten._unique2.default", (rand(4, dtype=np.bool_), True, False, True), why="bools"),
    Case("aten._unique2.default", (i(3, -1, 3), True, True, True), why="integers"),
    Case("aten._unique2.default", (f(np.nan, -0.0, np.nan, 0), True, True, True), why="nan"),
    Case("aten._unique2.default", (f(), True, True, True), why="nothing"),
    Case("aten._unique2.default", (f(2, 1, 2, dtype=np.float16), True, True), why="no counts"),
    Case("aten.unique_dim.default", (PLANES, 0, True, True, True)),
    Case("aten.unique_dim.default", (PLANES, 1, True, True, True), why="columns"),
    Case("aten.unique_consecutive.default", (RUNS,)),
    Case("aten.unique_consecutive.default", (RUNS.reshape(2, 3), True, True), why="all results"),
    Case("aten.unique_consecutive.default", (PLANES, True, True, 0), why="rows"),
    Case("aten.unique_dim_consecutive.default", (PLANES, 0, True, True)),
    Case("aten._unique.default", (REPEATS, False, True), why="in any order"),
    Case("aten._unique2.default", (REPEATS, False, True, True), why="in any order"),
    Case("aten.unique_dim.default", (PLANES, 0, False, True, True), why="in any order"),
]
SEARCHES = [
    *(
        Case("aten.searchsorted.Tensor", (LINE, f(0, -2, 9, np.nan)), {"right": right})
        for right in (True, False)
    ),
    Case("aten.searchsorted.Tensor", (np.sort(X), rand(3, 2)), why="rows"),
    Case("aten.searchsorted.Tensor", (LINE, scalar(0.0)), {"side": "right"}, why="a number"),
    Case("aten.searchsorted.Tensor", (LINE, f(0.5)), {"out_int32": True}),
    Case("aten.searchsorted.Tensor", (f(3, 1, 2), f(2.5)), {"sorter": i(1, 2, 0)}, why="a sorter"),
    Case("aten.searchsorted.Tensor", (LINE, f(0)), {"side": "middle"}, raises=Unsupported),
    Case("aten.searchsorted.Scalar", (LINE, 0.5)),
    Case("aten.bucketize.Tensor", (rand(2, 3), LINE)),
    Case("aten.bucketize.Tensor", (rand(2, 3), rand(2, 3)), why="a matrix", raises=BadType),
    Case("aten.bucketize.Tensor", (i(0, 1, 5), i(0, 1, 2)), {"right": True, "out_int32": True}),
    Case("aten.bucketize.Scalar", (0.0, LINE)),
    Case("aten.isin.Tensor_Tensor", (i([1, 2], [3, 4]), i(4, 1))),
    Case("aten.isin.Tensor_Tensor", (i(1, 2), i(2)), {"invert": True, "assume_unique": True}),
    Case("aten.isin.Tensor_Tensor", (f(1, np.nan), f(np.nan)), why="nan is nothing's equal"),
    Case("aten.isin.Tensor_Tensor", (i(1, 2), np.zeros(0, np.int64)), why="in nothing"),
    Case("aten.isin.Tensor_Scalar", (i(1, 2), 2)),
    Case("aten.isin.Scalar_Tensor", (2, i(1, 2))),
    *(
        Case("aten.searchsorted.Scalar", (f(3, 1, 2), 2.0), given | {"sorter": i(1, 2, 0)}, why=why)
        for why, given in (("right", {"right": True}), ("a side", {"side": "right"}))
    ),
    Case("aten.searchsorted.Scalar", (LINE, 0.5), {"out_int32": True}),
    Case("aten.bucketize.Scalar", (0.0, LINE), {"right": True, "out_int32": True}),
    Case("aten.isin.Tensor_Scalar", (i(1, 2), 2), {"assume_unique": True, "invert": True}),
    Case("aten.isin.Scalar_Tensor", (2, i(1, 2)), {"assume_unique": True, "invert": True}),
]
POINTS = rand(9, 2)
EDGE = f(-1, 0, 0.5, 2)
HISTOGRAMS = [
    Case("aten.histogramdd.default", (POINTS, [3, 2]), why="bins", tol=ROUNDS),
    Case(
        "aten.histogramdd.default", (POINTS, [3, 2], [-1, 1, 0, 2], rand(9)), why="all", tol=ROUNDS
    ),
    Case("aten.histogramdd.default", (POINTS, [2, 2], None, None, True), why="density", tol=ROUNDS),
    Case("aten.histogramdd.int_bins", (POINTS, 3), tol=ROUNDS),
    Case("aten.histogramdd.int_bins", (rand(2, 4, 3), 2), tol=ROUNDS, why="three axes"),
    Case("aten.histogramdd.TensorList_bins", (POINTS, [EDGE, EDGE])),
    Case(
        "aten.histogramdd.int_bins",
        (POINTS, 3, [-1, 1, 0, 2], rand(9, low=0.5), True),
        why="all",
        tol=ROUNDS,
    ),
    Case(
        "aten.histogramdd.TensorList_bins",
        (POINTS, [EDGE, EDGE], [-1, 1, 0, 2], rand(9, low=0.5), True),
        why="all",
        tol=ROUNDS,
    ),
    *(
        Case(
            "aten.histogramdd.int_bins",
            (POINTS, 3, [-2, 2, -2, 2], rand(9, low=0.5), density),
            why=f"weights, density {density}",
            tol=ROUNDS,
        )
        for density in (False, True)
    ),
]
CASES = [*ORDER, *UNIQUES, *SEARCHES, *HISTOGRAMS]
LIMITS = [
    Limit(
        "aten._unique2.default",
        device="onnxruntime",
        case="nan",
        why="ONNX Runtime's TopK puts NaN anywhere",
    ),
    Limit(
        "aten.sort.default",
        device="onnxruntime",
        case="nan",
        why="ONNX Runtime's TopK puts NaN anywhere",
    ),
]
