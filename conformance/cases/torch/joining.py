"""ATen joins and cuts."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType

from ...case import Case, Const, Limit, f, i, rand, scalar

X = rand(2, 3)
CUBE = rand(4, 5, 6)

JOINS = [
    Case("aten.cat.default", ([X, rand(1, 3)],)),
    Case("aten.cat.default", ([X, rand(2, 2), X], -1), why="the last axis"),
    Case("aten.cat.default", ([i(1), f(0.5)],), why="promotes"),
    Case("aten.cat.default", ([rand(0), X],), why="an empty vector goes with all"),
    Case("aten.cat.default", ([X, rand(2, 0)], 1), why="no columns"),
    Case("aten.cat.default", ([f(True, dtype=np.bool_), i(2, dtype=np.uint8)],), why="bools"),
    Case("aten.cat.default", ([X],), why="one tensor"),
    Case("aten.cat.default", ([X, rand(3, 4)],), why="other sizes", raises=BadType),
    Case("aten.stack.default", ([X, X],)),
    Case("aten.stack.default", ([scalar(1.0), scalar(2.0)],), why="rank 0"),
    Case("aten.stack.default", ([X, X], -1), why="a last axis"),
    *(
        Case(f"aten.{op}.default", (tensors,), why=f"rank {tensors[0].ndim}")
        for op in ("hstack", "vstack", "dstack", "column_stack")
        for tensors in ([scalar(1.0), scalar(2.0)], [rand(3), rand(3)], [X, X])
    ),
    Case("aten.block_diag.default", ([X, rand(2), scalar(3.0)],)),
    Case("aten.block_diag.default", ([i(1, 2).reshape(2, 1), X],), why="promotes"),
    Case("aten.block_diag.default", ([X],), why="one matrix"),
    Case("aten.pad_sequence.default", ([rand(3, 2), rand(5, 2), rand(1, 2)],)),
    Case("aten.pad_sequence.default", ([rand(3), rand(5)], True, 7.5), why="rows first"),
    Case("aten.pad_sequence.default", ([rand(3), rand(5)], True, -1.0, "left"), why="in front"),
    Case("aten.pad_sequence.default", ([i(1, 2), rand(3)], True, 1.9), why="type of the first"),
    Case("aten.pad_sequence.default", ([rand(0, 2), rand(0, 2)],), why="nothing"),
    Case("aten._chunk_cat.default", ([rand(3, 2), rand(5, 4)], 0, 2)),
    Case("aten._chunk_cat.default", ([rand(2, 3, 4), rand(2, 4, 4)], 1, 2), why="axis 1"),
    Case("aten._chunk_cat.default", ([rand(0), rand(3)], 0, 1), why="nothing", raises=BadType),
]
SPLITS = [
    *(Case(f"aten.{op}.Tensor", (CUBE, 2), outputs=2) for op in ("split", "unsafe_split")),
    Case("aten.split.Tensor", (CUBE, 4, 1), why="a smaller last one"),
    Case("aten.split.Tensor", (CUBE, 9, -1), why="one piece"),
    Case("aten.split.Tensor", (rand(0, 2), 3), why="nothing"),
    Case("aten.split_with_sizes.default", (CUBE, [1, 0, 3])),
    Case("aten.split_with_sizes.default", (CUBE, [4]), why="one piece"),
    Case("aten.unsafe_split_with_sizes.default", (CUBE, [2, 4], -1)),
    Case("aten.split.sizes", (CUBE, [2, 2])),
    Case("aten.chunk.default", (CUBE, 3, 1)),
    Case("aten.chunk.default", (CUBE, 3), why="fewer pieces"),
    Case("aten.chunk.default", (rand(0, 2), 3), why="nothing"),
    Case("aten.unsafe_chunk.default", (CUBE, 2, 2)),
    Case("aten.tensor_split.sections", (CUBE, 3, 1)),
    Case("aten.tensor_split.sections", (rand(2), 4), why="more than elements"),
    Case("aten.tensor_split.indices", (CUBE, [1, 3], -1)),
    Case("aten.tensor_split.indices", (CUBE, [3, 1, -1], 2), why="overlaps"),
    Case("aten.tensor_split.indices", (CUBE, []), why="no cuts"),
    Case("aten.tensor_split.tensor_indices_or_sections", (CUBE, Const(i(1, 3)), 1)),
    Case(
        "aten.tensor_split.tensor_indices_or_sections",
        (CUBE, Const(scalar(3, np.int64)), 1),
        why="sections",
    ),
    *(Case(f"aten.{op}split.int", (CUBE, n)) for op, n in (("h", 5), ("v", 2), ("d", 3))),
    *(Case(f"aten.{op}split.array", (CUBE, [1, 2])) for op in ("h", "v", "d")),
    Case("aten.hsplit.int", (rand(6), 2), why="a vector"),
    Case("aten.hsplit.int", (CUBE, 2), why="uneven", raises=BadType),
    Case("aten.hsplit.array", (rand(6), [2]), why="a vector"),
    Case("aten.unbind.int", (X,)),
    Case("aten.unbind.int", (rand(2, 3, dtype=np.int8), -1), why="the last axis"),
    Case("aten.split.sizes", (CUBE, [2, 3], 1), why="axis 1"),
    Case("aten.split_with_sizes.default", (CUBE, [2, 3], 1), why="axis 1"),
    Case("aten.unsafe_split.Tensor", (CUBE, 4, 2), why="the last axis"),
]
CASES = [*JOINS, *SPLITS]
LIMITS: list[Limit] = []
