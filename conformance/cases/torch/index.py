"""ATen operators that select by position or by a mask."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import ROUNDS, Case, Const, Limit, f, i, rand, scalar

X = rand(3, 4)
CUBE = rand(3, 4, 5)
MASK = rand(3, 4, dtype=np.bool_)
ROWS = i(2, 0)

PARTS = [
    Case("aten.select.int", (CUBE, 1, 2)),
    Case("aten.select.int", (CUBE, -1, -1), why="from the end"),
    Case("aten.slice.Tensor", (CUBE, 1, 1, 3)),
    Case("aten.slice.Tensor", (CUBE,), why="everything"),
    Case("aten.slice.Tensor", (CUBE, -1, -3, -1, 1), why="from the end"),
    Case("aten.slice.Tensor", (CUBE, 2, 0, 99, 2), why="a step"),
    Case("aten.slice.Tensor", (CUBE, 0, 2, 1), why="nothing"),
    Case("aten.narrow.default", (CUBE, 1, 1, 2)),
    Case("aten.narrow.default", (CUBE, 1, -2, 2), why="from the end"),
    Case("aten.narrow.default", (CUBE, 1, 0, 4), why="everything"),
    Case("aten.narrow.default", (CUBE, 1, 3, 2), why="beyond the end", raises=BadType),
    Case("aten.narrow.default", (CUBE, 1, 0, -1), why="fewer than none", raises=BadType),
    Case("aten.narrow.Tensor", (CUBE, 2, scalar(1, np.int64), 3)),
    Case("aten.narrow.Tensor", (CUBE, 2, scalar(-3, np.int32), 2), why="from the end"),
    Case("aten.index_select.default", (CUBE, 1, i(3, 0, 3))),
    Case("aten.index_select.default", (CUBE, -1, scalar(2, np.int32)), why="one position"),
    Case("aten.index_select.default", (scalar(1.5), 0, i(0)), why="rank 0"),
    Case("aten.gather.default", (X, 1, i([0, 3], [1, 1])), {"sparse_grad": True}),
    Case("aten.gather.default", (X, 0, i([0, 2, 1])), why="the first axis"),
    Case("aten.gather.default", (X, 1, np.zeros((2, 0), np.int64)), why="no positions"),
    Case("aten.gather.default", (scalar(1.5), 0, scalar(0, np.int64)), why="rank 0"),
    Case("aten.take.default", (X, i([5, -1], [0, 11]))),
    Case("aten.take_along_dim.default", (X, i([0, 3], [1, 1], [2, 2]), 1)),
    Case("aten.take_along_dim.default", (X, i([0], [2]), 0), why="broadcast positions"),
    Case("aten.take_along_dim.default", (X, i(3, 11)), why="flattened"),
    Case("aten.embedding.default", (X, i([2, 0], [1, 1])), why="a matrix"),
    Case("aten.embedding.default", (X, i(1, dtype=np.int32), 0, True), why="all arguments"),
    *(
        Case("aten.embedding_renorm.default", (X, i(1, 1), 1.0, p), tol=ROUNDS, why=f"order {p}")
        for p in (1.0, 2.0, np.inf)
    ),
    Case("aten.one_hot.default", (i(0, 2, 1), 4)),
    Case("aten.one_hot.default", (i([0, 2], [1, 0]),), why="as many as needed"),
    Case("aten.one_hot.default", (scalar(1, np.int64), 3), why="rank 0"),
]
MASKS = [
    Case("aten.masked_select.default", (X, MASK)),
    Case("aten.masked_select.default", (rand(4), MASK), why="broadcast"),
    Case("aten.masked_select.default", (scalar(2.0), scalar(True, np.bool_)), why="rank 0"),
    Case("aten.masked_fill.Scalar", (X, MASK, -np.inf)),
    Case("aten.masked_fill.Scalar", (i(1, 2, 3, 4), MASK, 7), why="broadcast integers"),
    Case("aten.masked_fill.Scalar", (rand(3, 4, dtype=np.float16), MASK, 1), why="half"),
    Case("aten.masked_fill.Tensor", (X, MASK, scalar(2, np.int64))),
    Case("aten.masked_fill.Tensor", (X, MASK, f(1, 2)), why="two numbers", raises=BadType),
    Case("aten.masked_fill.Tensor", (X, MASK, scalar(1j, np.complex64)), why="i", raises=BadType),
    Case("aten.nonzero.default", (MASK,)),
    Case("aten.nonzero.default", (scalar(3.0),), why="rank 0"),
    Case("aten.nonzero.default", (f(0, -0.0, np.nan, 1),), why="nan is not zero"),
    Case("aten.argwhere.default", (i([0, 1], [2, 0]),)),
    Case("aten.nonzero_numpy.default", (MASK,)),
    Case("aten.nonzero_numpy.default", (scalar(3.0),), why="rank 0"),
    Case("aten.where.default", (MASK,)),
    Case("aten.where.default", (scalar(3.0),), why="rank 0"),
    Case("aten.nonzero_static.default", (f(1, 0, 2),), {"size": 4}),
    Case("aten.nonzero_static.default", (MASK,), {"size": 2, "fill_value": 9}),
    Case("aten.nonzero_static.default", (f(1, 0, 2),), {"size": 4, "fill_value": 9}, why="filled"),
]
POSITIONS = [
    ("one", [ROWS]),
    ("a matrix of positions", [i([0, -1], [2, 1])]),
    ("a later axis", [None, i(3, 0)]),
    ("two at once", [i(0, 2), i(1, -1)]),
    ("broadcast", [i([0], [2]), i(1, 3)]),
    ("broadcast the other way", [i(0, 2), i([1], [3])]),
    ("later axes", [None, i(0, 3), i(4, 1)]),
    ("a grid of later axes", [None, i([0], [3]), i(4, 1, 0)]),
    ("a gap", [i(0, 2), None, i(4, 1)]),
    ("numbers", [scalar(1, np.int64), scalar(2, np.int64)]),
    ("a mask", [MASK]),
    ("a mask of rows and positions", [f(True, False, True, dtype=np.bool_), i(1, 2)]),
    ("a mask behind", [None, f(True, False, True, False, dtype=np.bool_)]),
    ("bytes are a mask", [f(1, 0, 2, dtype=np.uint8)]),
    ("int32", [i(2, 1, dtype=np.int32)]),
    ("nothing", [np.zeros(0, np.int64)]),
    ("a mask and a gap", [f(True, False, True, dtype=np.bool_), None, i(1, 2)]),
]
INDEXED = [
    *(Case("aten.index.Tensor", (CUBE, where), why=why) for why, where in POSITIONS),
    Case("aten.index.Tensor", (CUBE, [Const(i(0, 2)), Const(i(1, 3))]), why="constants"),
    Case(
        "aten.index.Tensor", (CUBE, [None, None, None, i(0)]), why="one axis more", raises=BadType
    ),
    Case("aten.index.Tensor_hacked_twin", (CUBE, [i(0, 2), i(1, 3)])),
    Case("aten._unsafe_index.Tensor", (CUBE, [None, i(0, 3), i(4, 1)])),
    Case("aten._unsafe_index.Tensor_hacked_twin", (CUBE, [i(0, 2)])),
    Case(
        "aten._unsafe_masked_index.default",
        (X, f(True, False, dtype=np.bool_), [i(0, 9), i(1, -7)], 2.5),
    ),
    Case(
        "aten._unsafe_masked_index.default",
        (rand(0, 4), f(False, False, dtype=np.bool_), [i(0, 9), i(1, 1)], 1),
        why="of nothing",
    ),
]
TABLE = rand(6, 3)
WORDS, STARTS = i(1, 5, 0, 0, 2), i(0, 2)
BAGS = [
    *(
        Case(
            "aten.embedding_bag.padding_idx",
            (TABLE, WORDS, STARTS, False, mode, False, None, False, padding),
            why=f"mode {mode} padding {padding}",
            read=1,
            tol=ROUNDS,
        )
        for mode in (0, 1, 2)
        for padding in (None, 0, -1)
    ),
    Case("aten.embedding_bag.default", (TABLE, WORDS, STARTS), read=1, tol=ROUNDS),
    Case(
        "aten.embedding_bag.default",
        (TABLE, WORDS, STARTS, False, 0, False, rand(5)),
        why="weights",
        read=1,
        tol=ROUNDS,
    ),
    Case("aten._embedding_bag.default", (TABLE, WORDS, STARTS, False, 1), read=1, tol=ROUNDS),
    Case(
        "aten._embedding_bag_forward_only.default",
        (TABLE, WORDS, STARTS, False, 2),
        read=1,
        tol=ROUNDS,
    ),
    Case("aten.embedding.default", (TABLE, i(2, 0), -1, False, True), why="sparse gradients"),
    Case(
        "aten.embedding_bag.default",
        (TABLE, WORDS, i(0, 2, 5), True, 1, True, None, True),
        why="means up to a last offset",
        read=1,
        tol=ROUNDS,
    ),
    *(
        Case(
            f"aten.{op}.default",
            (TABLE, WORDS, i(0, 2, 5), True, 0, True, rand(5), True, 0),
            why="all arguments",
            read=1,
            tol=ROUNDS,
        )
        for op in ("_embedding_bag", "_embedding_bag_forward_only")
    ),
]
BAGS += [
    Case(
        "aten.embedding_bag.default",
        (TABLE, i(1, 5, 0, 0, 2, 3), Const(starts), False, mode),
        why=f"bags that are known, {starts.tolist()}, mode {mode}",
        read=1,
        tol=ROUNDS,
    )
    for starts in (i(0, 3), i(0, 2), i(0, 2, 4), i(0, 4), i(0, 0, 3), i(0, 1, 2, 3, 4, 5))
    for mode in (0, 1, 2)
]
BAGS += [
    Case(
        "aten._unsafe_masked_index.default",
        (X, rand(len(X), 2, dtype=np.bool_), [None, i(0, 9)], 2.5),
        why="a whole axis",
    ),
]
CASES = [*PARTS, *MASKS, *INDEXED, *BAGS]
LIMITS: list[Limit] = []
