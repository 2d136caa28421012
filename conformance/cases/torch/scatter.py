"""ATen operators that place elements by position or by a mask."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, f, i, rand, scalar

X = rand(3, 4)
CUBE = rand(3, 4, 5)
MASK = rand(3, 4, dtype=np.bool_)
NEW = rand(2, 3, seed=1)
WHERE = i([0, 2, 1], [1, 0, 0])

PUTS = [
    Case("aten.index_put.default", (X, [i(2, 0)], rand(2, 4))),
    Case("aten.index_put.default", (X, [i(2, 2)], f(5), True), why="adds up"),
    Case("aten.index_put.default", (CUBE, [None, i(1, 3)], scalar(2.5)), why="a later axis"),
    Case("aten.index_put.default", (CUBE, [i(0, 2), i(1, 3)], rand(2, 5)), why="two at once"),
    Case("aten.index_put.default", (CUBE, [i(0, 2), None, i(1, 3)], rand(2, 4)), why="a gap"),
    Case("aten.index_put.default", (CUBE, [None, i([0], [1]), i(2, 3)], rand(3, 2, 2)), why="grid"),
    Case("aten.index_put.default", (X, [MASK], scalar(0.5)), why="a mask and a number"),
    Case("aten.index_put.default", (X, [MASK], rand(int(MASK.sum()))), why="a mask"),
    Case(
        "aten.index_put.default",
        (CUBE, [None, f(True, False, True, False, dtype=np.bool_)], f(1)),
        why="a mask behind",
    ),
    Case("aten.index_put.default", (i(1, 2, 3), [i(-1)], i(9)), why="from the end"),
    Case("aten.index_put.hacked_twin", (X, [i(2, 0)], rand(4))),
    Case("aten._unsafe_index_put.default", (X, [i(2, 0)], rand(4), True)),
    Case("aten._unsafe_index_put.hacked_twin", (X, [i(2, 0)], rand(4))),
    Case(
        "aten._unsafe_masked_index_put_accumulate.default",
        (X, f(True, False, dtype=np.bool_), [i(0, 9), i(1, -7)], f(2, 3)),
    ),
    Case("aten.put.default", (X, i([5, -1]), f([1.5, 2.5]))),
    Case("aten.put.default", (X, i(5, 5), f(1.5, 2.5), True), why="adds up", tol=ROUNDS),
    Case("aten.index_put.hacked_twin", (X, [i(2, 2)], rand(2, 4), True), why="adds", tol=ROUNDS),
    Case(
        "aten._unsafe_index_put.hacked_twin",
        (X, [i(2, 2)], rand(4), True),
        tol=ROUNDS,
        why="adds up",
    ),
]
SLICES = [
    *(
        Case(f"aten.index_{op}.default", (CUBE, dim, i(2, 0), CUBE.take([0, 1], dim)), why=f"{dim}")
        for op in ("add", "copy")
        for dim in (0, 1, -1)
    ),
    Case("aten.index_add.default", (X, 0, i(1, 1), rand(2, 4)), {"alpha": 0.5}, tol=ROUNDS),
    Case("aten.index_add.default", (scalar(1.0), 0, i(0), scalar(2.0)), why="rank 0"),
    Case("aten.index_add.default", (i(1, 2), 0, i(1, 1), i(3, 4)), {"alpha": 2}, why="integers"),
    *(
        Case(
            "aten.index_add.default",
            (f(0, 1) > 0, 0, i(0), f(1) > 0),
            {"alpha": a},
            why=f"bool {a}",
        )
        for a in (True, False)
    ),
    Case("aten.index_copy.default", (scalar(1.0), 0, i(0), scalar(2.0)), why="rank 0"),
    Case("aten.index_fill.int_Scalar", (X, 1, i(0, -1), 2.5)),
    Case("aten.index_fill.int_Scalar", (scalar(1.0), 0, i(0), 2.5), why="rank 0"),
    Case("aten.index_fill.int_Scalar", (i(1, 2), 0, scalar(1, np.int64), 9), why="integers"),
    Case("aten.index_fill.int_Tensor", (X, 0, i(1), scalar(np.nan))),
    Case("aten.select_scatter.default", (CUBE, rand(3, 5), 1, 2)),
    Case("aten.select_scatter.default", (CUBE, rand(3, 4), -1, -1), why="from the end"),
    Case("aten.slice_scatter.default", (CUBE, rand(3, 2, 5), 1, 1, 3)),
    Case("aten.slice_scatter.default", (X, rand(3, 4, seed=1)), why="everything"),
    Case("aten.slice_scatter.default", (X, rand(3, 2), -1, 0, 4, 2), why="a step"),
    Case("aten.slice_scatter.default", (X, rand(1, 4), 0, -1), why="the end"),
    Case("aten.slice_scatter.default", (X, rand(0, 4), 0, 2, 1), why="nothing"),
    Case("aten.masked_scatter.default", (X, MASK, rand(12))),
    Case("aten.masked_scatter.default", (X, X, rand(12)), why="no mask", raises=BadType),
    Case("aten.masked_scatter.default", (f(1, 2, 3, 4), MASK, rand(12)), why="broadcast"),
    Case("aten.fill.Scalar", (X, 2)),
    Case("aten.fill.Scalar", (rand(2, dtype=np.bool_), 2), why="bools"),
    Case("aten.fill.Tensor", (X, scalar(2, np.int64))),
    Case("aten.fill.Tensor", (X, f(1, 2)), why="two numbers", raises=BadType),
    Case("aten.zero.default", (f(np.nan, 1),)),
]
SCATTERS = [
    Case("aten.scatter.src", (X, 0, WHERE, NEW)),
    Case("aten.scatter.src", (X, 1, i([3], [0]), NEW), why="more than positions"),
    Case("aten.scatter.src", (scalar(1.0), 0, scalar(0, np.int64), scalar(2.0)), why="rank 0"),
    Case("aten.scatter.src", (X, 1, np.zeros((0, 2), np.int64), NEW), why="no positions"),
    Case("aten.scatter.value", (X, 1, WHERE, 2.5)),
    Case("aten.scatter.value", (i(1, 2), 0, i(1), 7), why="integers"),
    Case("aten.scatter.reduce", (X, 1, WHERE, NEW), {"reduce": "add"}, tol=ROUNDS),
    Case("aten.scatter.reduce", (X, 1, WHERE, NEW), {"reduce": "multiply"}, tol=ROUNDS),
    Case("aten.scatter.reduce", (X, 1, WHERE, NEW), {"reduce": "mean"}, raises=Unsupported),
    Case("aten.scatter.value_reduce", (X, 1, WHERE, 2), {"reduce": "multiply"}, tol=ROUNDS),
    Case("aten.scatter_add.default", (X, 1, WHERE, NEW), tol=ROUNDS),
    Case("aten.scatter_add.default", (i(1, 2), 0, i(1, 1), i(3, 4)), why="integers"),
    *(
        Case(
            "aten.scatter_reduce.two",
            (X, 1, WHERE, NEW, reduce),
            {"include_self": own},
            why=f"{reduce} {own}",
            tol=ROUNDS,
        )
        for reduce in ("sum", "prod", "mean", "amax", "amin")
        for own in (True, False)
    ),
    Case("aten.scatter_reduce.two", (i(7, 2), 0, i(0, 0), i(4, 9), "mean"), why="integers"),
    Case("aten.scatter_reduce.two", (f(1, 2), 0, i(0), f(np.nan), "amax"), why="nan wins"),
    Case("aten.scatter_reduce.two", (X, 1, WHERE, NEW, "median"), raises=Unsupported),
    *(
        Case(
            "aten.index_reduce.default",
            (X, 0, i(1, 1), rand(2, 4), reduce),
            {"include_self": own},
            why=f"{reduce} {own}",
            tol=ROUNDS,
        )
        for reduce in ("prod", "mean", "amax", "amin")
        for own in (True, False)
    ),
    *(
        Case(
            "aten.segment_reduce.default",
            (rand(5, 2), reduce),
            {"lengths": i(2, 0, 3), "initial": 1.0},
            why=f"{reduce} lengths",
            tol=ROUNDS,
        )
        for reduce in ("sum", "mean", "max", "min", "prod")
    ),
    Case(
        "aten.segment_reduce.default",
        (rand(5), "sum"),
        {"offsets": i(0, 2, 5)},
        why="offsets",
        tol=ROUNDS,
    ),
    Case("aten.segment_reduce.default", (rand(5), "sum"), why="no segments", raises=Unsupported),
    Case(
        "aten.segment_reduce.default",
        (rand(2, 5, 3), "sum"),
        {"lengths": i([2, 3], [1, 4]), "axis": 1, "unsafe": True},
        why="segments of axis 1",
        tol=ROUNDS,
    ),
    Case(
        "aten.segment_reduce.default",
        (rand(5), "sum"),
        {"indices": i(0, 0, 1, 1, 1)},
        why="segments by positions",
        raises=Unsupported,
    ),
]
SCATTERS += [
    Case("aten.masked_scatter.default", (X, np.zeros(X.shape, np.bool_), f()), why="of nothing"),
    Case("aten.select_scatter.default", (rand(3, 1), rand(3), 1, 0), why="an axis of 1"),
    Case("aten.select_scatter.default", (rand(3, 4), rand(3), -1, -2), why="the last axis"),
    *(
        Case(
            "aten.segment_reduce.default",
            (rand(5, 2), reduce),
            {"lengths": i(2, 1, 2)},
            why=f"{reduce}, no initial number",
            tol=ROUNDS,
        )
        for reduce in ("sum", "mean", "max", "min", "prod")
    ),
    Case(
        "aten.segment_reduce.default",
        (rand(2, 5, 3), "mean"),
        {"offsets": i([0, 2, 5], [0, 1, 5]), "axis": 1, "unsafe": True},
        why="offsets of axis 1",
        tol=ROUNDS,
    ),
]
CASES = [*PUTS, *SLICES, *SCATTERS]
