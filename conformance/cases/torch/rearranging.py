"""ATen operators that turn, shift, interleave and combine elements."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import Case, Const, Limit, f, i, rand, scalar

X = rand(2, 3)
CUBE = rand(2, 3, 5)
IMAGE = rand(2, 3, 5, 6)

TURNS = [
    Case("aten.flip.default", (CUBE, [0, -1])),
    Case("aten.flip.default", (CUBE, []), why="no axes"),
    Case("aten.flip.default", (scalar(1.0), []), why="rank 0"),
    Case("aten.flip.default", (rand(0, 2), [0]), why="nothing"),
    Case("aten.fliplr.default", (CUBE,)),
    Case("aten.fliplr.default", (rand(3),), why="a vector", raises=BadType),
    Case("aten.flipud.default", (rand(3, dtype=np.int16),)),
    *(Case("aten.rot90.default", (CUBE, k, [0, 2]), why=f"{k} turns") for k in (0, 1, 2, 3, -1)),
    Case("aten.rot90.default", (X,)),
    Case("aten.roll.default", (CUBE, [2]), why="all elements"),
    Case("aten.roll.default", (CUBE, [1, -2], [0, 2])),
    Case("aten.roll.default", (scalar(1.0), [1]), why="rank 0"),
    Case("aten.pixel_shuffle.default", (rand(2, 12, 2, 3), 2)),
    Case("aten.pixel_shuffle.default", (rand(4, 2, 3), 2), why="no batch"),
    Case("aten.pixel_unshuffle.default", (rand(2, 1, 4, 6), 2)),
    Case("aten.pixel_unshuffle.default", (rand(2, 2, 1, 4, 6), 2), why="two batch axes"),
    Case("aten.channel_shuffle.default", (rand(2, 6, 2, 2), 3)),
    Case("aten.native_channel_shuffle.default", (rand(2, 6, 2, 2), 2)),
    Case("aten.channel_shuffle.default", (rand(2, 5, 2, 2), 3), why="uneven", raises=BadType),
]
GRIDS = [
    Case("aten.meshgrid.default", ([f(1, 2), f(3, 4, 5)],)),
    Case("aten.meshgrid.default", ([f(1, 2)],), why="one vector"),
    *(
        Case("aten.meshgrid.indexing", ([f(1, 2), f(3, 4, 5), f(6, 7)],), {"indexing": way})
        for way in ("ij", "xy")
    ),
    Case("aten.meshgrid.indexing", ([scalar(1.0), f(3, 4)],), {"indexing": "xy"}, why="a number"),
    Case("aten.meshgrid.indexing", ([f(1)],), {"indexing": "yx"}, raises=Unsupported),
    Case("aten.cartesian_prod.default", ([i(1, 2), i(3, 4, 5)],)),
    Case("aten.cartesian_prod.default", ([i(1, 2)],), why="one vector"),
    Case("aten.combinations.default", (rand(4),)),
    Case("aten.combinations.default", (rand(3), 2, True), why="with replacement"),
    Case("aten.combinations.default", (rand(3), 3), why="three"),
    Case("aten.repeat_interleave.self_int", (X, 2), why="all elements"),
    Case("aten.repeat_interleave.self_int", (X, 3, 1)),
    Case("aten.repeat_interleave.self_int", (X, 1, 0), why="nothing"),
    Case("aten.repeat_interleave.self_int", (X, 3, 1), {"output_size": 9}, why="a known size"),
    Case("aten.repeat_interleave.self_Tensor", (X, i(2, 0), 0)),
    Case("aten.repeat_interleave.self_Tensor", (X, Const(i(2, 0, 1)), 1), why="known"),
    Case("aten.repeat_interleave.self_Tensor", (X, i(2), 1), why="one number for all"),
    Case("aten.repeat_interleave.self_Tensor", (X, i(2, 1), 0), {"output_size": 3}),
    Case("aten.repeat_interleave.Tensor", (i(2, 0, 3),)),
    Case("aten.repeat_interleave.Tensor", (i(1, 2, dtype=np.int32),), {"output_size": 3}),
]
WINDOWS = [
    Case("aten.unfold.default", (rand(2, 7), 1, 3, 2)),
    Case("aten.unfold.default", (rand(6, 2), 0, 2, 2), why="the first axis"),
    Case("aten.unfold.default", (scalar(2.0), 0, 1, 1), why="rank 0"),
    Case("aten.unfold.default", (rand(2), 0, 3, 1), why="too large", raises=BadType),
    *(
        Case(
            "aten.unfold.default", (rand(6), 0, size, step), why=f"{size} by {step}", raises=BadType
        )
        for size, step in ((2, 0), (2, -1), (-1, 1), (7, 1))
    ),
    *(
        Case(
            "aten.unfold.default",
            (x, axis, size, step),
            is_open=is_open,
            why=f"{list(x.shape)} along {axis}, {size} by {step}",
        )
        for x, axis in ((rand(7), 0), (rand(7), -1), (rand(3, 6), 0), (rand(2, 7, 3), 1))
        for size, step in ((1, 1), (2, 1), (3, 2), (2, 3), (0, 1))
        for is_open in (False, True)
    ),
    Case("aten.im2col.default", (IMAGE, [2, 3], [1, 1], [0, 0], [1, 1])),
    Case("aten.im2col.default", (IMAGE, [2, 2], [2, 1], [1, 2], [2, 3]), why="all options"),
    Case("aten.im2col.default", (rand(3, 4, 6), [2, 3], [1, 1], [0, 0], [2, 3]), why="tiles"),
    Case("aten.col2im.default", (rand(2, 12, 4), [3, 3], [2, 2], [1, 1], [0, 0], [1, 1])),
    Case(
        "aten.col2im.default", (rand(6, 6), [4, 5], [2, 3], [1, 1], [1, 0], [2, 2]), why="no batch"
    ),
]
GRIDS += [
    *(
        Case("aten.meshgrid.indexing", (parts,), {"indexing": way}, why=f"{way} of {len(parts)}")
        for parts in ([rand(2)], [rand(2), rand(3)], [rand(2), rand(3), rand(4)])
        for way in ("ij", "xy")
    ),
    *(
        Case("aten.combinations.default", (rand(size), r, twice), why=f"{r} of {size}, {twice}")
        for size, r in ((3, 0), (2, 3), (0, 2), (3, 1), (1, 1))
        for twice in (False, True)
    ),
    Case("aten.cartesian_prod.default", ([rand(3)],), why="one"),
]
CASES = [*TURNS, *GRIDS, *WINDOWS]
LIMITS: list[Limit] = []
