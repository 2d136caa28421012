"""ATen shapes."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, f, i, rand, scalar
from . import joining, rearranging

X = rand(2, 3)
CUBE = rand(2, 3, 5)
ONES = rand(1, 3, 1)
NONE = rand(2, 0, 3)

VIEWS = [
    *(Case(f"aten.{op}.default", (X,)) for op in ("alias", "detach", "lift_fresh_copy")),
    *(Case(f"aten.{op}.default", (X,)) for op in ("lift", "lift_fresh")),
    Case("aten.view.default", (X, [3, -1])),
    Case("aten.view.default", (rand(2, 0), [0, 4]), why="a size of 0 is 0"),
    Case("aten.view.default", (rand(0, 6), [-1, 2]), why="-1 of nothing"),
    Case("aten.view.default", (X, [2, -1]), why="-1 that changes nothing"),
    Case("aten.view.default", (X, [4, 2]), why="other elements", raises=BadType),
    Case("aten.view.dtype", (f(1, -2), Precision.INT32), why="bits"),
    Case("aten.view.dtype", (f(1, -2), Precision.FLOAT32), why="its own"),
    Case("aten.view.dtype", (f(1, -2), Precision.INT16), why="width", raises=Unsupported),
    Case("aten.reshape.default", (rand(2, 3, dtype=np.float16), [6])),
    Case("aten.reshape.default", (scalar(1.5), [1, 1]), why="rank 0"),
    Case("aten._unsafe_view.default", (X, [6])),
    Case("aten._reshape_copy.default", (X, [6])),
    Case("aten._reshape_alias.default", (X, [3, 2], [2, 1])),
    Case("aten.view_as.default", (X, rand(6))),
    Case("aten.reshape_as.default", (X, rand(3, 2))),
    Case("aten.flatten.using_ints", (CUBE,)),
    Case("aten.flatten.using_ints", (CUBE, 1), why="from axis 1"),
    Case("aten.flatten.using_ints", (CUBE, -2, -2), why="one axis"),
    Case("aten.flatten.using_ints", (scalar(2.0),), why="rank 0"),
    Case("aten.ravel.default", (CUBE,)),
    Case("aten.ravel.default", (rand(3),), why="a vector"),
    Case("aten.unflatten.int", (rand(2, 6), 1, [2, -1])),
    Case("aten.unflatten.int", (rand(0, 6), -1, [-1, 3]), why="-1 beside a size of 0"),
    Case("aten.squeeze.default", (ONES,)),
    Case("aten.squeeze.default", (X,), why="nothing"),
    Case("aten.squeeze.dim", (ONES, -1)),
    Case("aten.squeeze.dim", (ONES, 1), why="an axis that stays"),
    Case("aten.squeeze.dim", (scalar(1.0), 0), why="rank 0"),
    Case("aten.squeeze.dims", (ONES, [0, 1, 2])),
    Case("aten.unsqueeze.default", (X, -1)),
    Case("aten.unsqueeze.default", (scalar(1.0), 0), why="rank 0"),
    Case("aten.permute.default", (CUBE, [2, 0, -2])),
    Case("aten.permute.default", (CUBE, [0, 1]), why="too few axes", raises=BadType),
    Case("aten.permute.default", (scalar(1.0), []), why="rank 0"),
    Case("aten.transpose.int", (CUBE, 0, -1)),
    Case("aten.transpose.int", (scalar(1.0), 0, -1), why="rank 0"),
    Case("aten.swapdims.default", (CUBE, 0, 1)),
    Case("aten.swapaxes.default", (CUBE, 0, 1)),
    Case("aten.t.default", (X,)),
    Case("aten.t.default", (rand(3),), why="a vector"),
    Case("aten.t.default", (CUBE,), why="rank 3", raises=BadType),
    *(Case(f"aten.{op}.default", (X,)) for op in ("numpy_T", "mT", "mH", "matrix_H", "adjoint")),
    *(Case(f"aten.{op}.a", (X,)) for op in ("numpy_T", "mT", "mH", "matrix_H")),
    Case("aten.mT.default", (rand(3),), why="a vector", raises=BadType),
    Case("aten.matrix_H.default", (CUBE,), why="rank 3", raises=BadType),
    Case("aten.adjoint.default", (CUBE,), why="rank 3"),
    Case("aten.movedim.int", (CUBE, 0, -1)),
    Case("aten.movedim.intlist", (CUBE, [0, 1], [-1, 0])),
    Case("aten.sym_size.int", (X, 1)),
    Case("aten.sym_size.default", (X,)),
    Case("aten.sym_numel.default", (X,)),
    Case("aten.sym_storage_offset.default", (X,)),
    Case("aten.sym_stride.default", (CUBE,)),
    Case("aten.sym_stride.default", (np.zeros((2, 0, 3), np.float32),), why="empty"),
    Case("aten.sym_stride.int", (CUBE, -2)),
]
SPREAD = [
    Case("aten.expand.default", (rand(3, 1), [2, 3, 4])),
    Case("aten.expand.default", (rand(1, 3), [2, -1]), {"implicit": True}),
    Case("aten.expand.default", (X, [-1, 3]), why="nothing"),
    Case("aten.expand.default", (rand(1, 3), [0, 3]), why="a size of 0"),
    Case("aten.expand_as.default", (rand(1, 3), X)),
    Case("aten.broadcast_to.default", (rand(3), [2, 3])),
    Case("aten.broadcast_tensors.default", ([rand(3, 1), rand(1, 4)],)),
    Case("aten.broadcast_tensors.default", ([i(1, 2), X[:, :2]],), why="two types"),
    Case("aten.repeat.default", (X, [2, 1, 2])),
    Case("aten.repeat.default", (X, [1, 1, 1]), why="one axis more"),
    Case("aten.repeat.default", (X, [0, 2]), why="no copies"),
    Case("aten.tile.default", (CUBE, [2])),
    Case("aten.tile.default", (scalar(3.0), [2, 2]), why="rank 0"),
    Case("aten.copy.default", (X, rand(3, dtype=np.float64))),
    *(
        Case(f"aten.atleast_{n}d.default", (x,), why=f"{x.ndim}")
        for n in (1, 2, 3)
        for x in (scalar(1.0), rand(3), X, CUBE)
    ),
    *(Case(f"aten.atleast_{n}d.Sequence", ([scalar(1.0), rand(3)],)) for n in (1, 2, 3)),
    Case("aten.as_strided.default", (rand(3, 4), [2, 2], [1, 2])),
    Case("aten.as_strided.default", (rand(3, 4), [4, 3], [1, 4]), why="a transpose"),
    Case("aten.as_strided.default", (rand(3, 4), [2, 3], [4, 1], 1), why="an offset"),
    Case("aten.as_strided.default", (rand(3, 4), [6, 2], [2, 1]), why="a view"),
    Case("aten.as_strided.default", (X, [9], [1]), why="too far", raises=Unsupported),
    Case("aten.as_strided_scatter.default", (rand(3, 4), rand(2, 2), [2, 2], [1, 2])),
    Case("aten.as_strided_scatter.default", (X, rand(2), [2], [2], 1), why="an offset"),
]
PADS = [
    Case("aten.constant_pad_nd.default", (X, [1, 2])),
    Case("aten.constant_pad_nd.default", (X, [0, 0]), why="nothing"),
    Case("aten.constant_pad_nd.default", (i(1, 2), [1, 1], 7), why="integers"),
    Case("aten.constant_pad_nd.default", (CUBE, [-1, 2, 1, -1], 0.5), why="crops"),
    Case("aten.constant_pad_nd.default", (X, [1, 0, 0], 0.5), why="odd", raises=BadType),
    Case("aten.pad.default", (X, [1, 2])),
    Case("aten.pad.default", (X, [1, 2], "constant", np.inf), why="infinity"),
    *(
        Case("aten.pad.default", (rand(1, 2, 5), [2, 1], mode), why=mode)
        for mode in ("reflect", "replicate", "circular")
    ),
    Case("aten.pad.default", (rand(2, 4, 5), [2, -1], "replicate"), why="replicate and crop"),
    Case("aten.pad.default", (rand(2, 4, 5), [3, -2], "reflect"), why="mirror what is cropped"),
    Case("aten.pad.default", (rand(2, 4, 5), [2, -1], "circular"), why="wrap what is left"),
    Case("aten.pad.default", (rand(2, 4, 5), [5, 0], "reflect"), why="too far", raises=BadType),
    Case("aten.pad.default", (X, [1, 1], "mirror"), why="unknown", raises=Unsupported),
    *(Case("aten._pad_enum.default", (CUBE, [1, 1], m), why=f"mode {m}") for m in (0, 1, 2)),
    Case("aten._pad_enum.default", (CUBE, [1, 1], 3, 1.5), why="mode 3"),
    Case("aten._pad_enum.default", (CUBE, [1, 1], 4), why="mode 4", raises=Unsupported),
    Case("aten.pad.default", (rand(0, 3, 3), [1, 2], "circular"), why="wrap nothing"),
    Case("aten._pad_circular.default", (rand(1, 2, 3, 4), [1, 2, 3, 0])),
    *(
        Case(f"aten.{kind}_pad{n}d.default", (rand(2, *(4, 5, 3)[:n]), [1, 2] * n))
        for kind in ("reflection", "replication")
        for n in (1, 2, 3)
    ),
    Case("aten.reflection_pad2d.default", (rand(2, 1, 4, 4, dtype=np.float64), [1, 0, 2, 3])),
    Case("aten.replication_pad1d.default", (rand(0, 2, 3), [1, 1]), why="no batch"),
]
MATRIX = rand(3, 4)
PLANES = (
    ((3, 1), (0, 1)),
    ((1, 3), (0, 1)),
    ((3, 4), (1, 0)),
    ((2, 3, 4), (0, 2)),
    ((2, 3, 4), (2, 1)),
)
"""Sizes, and the axes of the planes whose diagonals are looked at."""
DIAGONALS = [
    *(
        Case("aten.diag.default", (x, n), why=f"{x.shape} by {n}")
        for x in (MATRIX, rand(3))
        for n in (0, -1)
    ),
    Case("aten.diag.default", (CUBE,), why="rank 3", raises=BadType),
    Case("aten.diagflat.default", (X, -1)),
    *(Case("aten.diag_embed.default", (X, n), why=f"offset {n}") for n in (0, 1, -2)),
    Case("aten.diag_embed.default", (X, 1, 0, 2), why="other axes"),
    Case("aten.diag_embed.default", (X, 1, 2, 0), why="other axes, turned"),
    Case("aten.diag_embed.default", (f(np.nan, np.inf),), why="nan only on the diagonal"),
    *(Case("aten.diagonal.default", (MATRIX, n), why=f"offset {n}") for n in (0, 2, -2, 9)),
    Case("aten.diagonal.default", (CUBE, 1, 1, 2), why="the last two axes"),
    Case("aten.diagonal.default", (CUBE, 0, 2, 0), why="axes in another order"),
    Case("aten.diagonal.default", (NONE, 0, 1, 2), why="nothing"),
    Case("aten.diagonal.default", (rand(0, 3, 3), 0, -2, -1), why="of no matrices"),
    Case("aten.diagonal_scatter.default", (MATRIX, rand(3))),
    *(
        Case(
            "aten.diagonal_scatter.default",
            (rand(*sizes), np.diagonal(rand(*sizes, seed=1), k, *axes).copy(), k, *axes),
            why=f"{list(sizes)}, {k} of {axes}",
            is_open=is_open,
        )
        for sizes, axes in (*PLANES, ((1, 3, 2), (0, 1)))
        for k in (-1, 0, 1)
        for is_open in (False, True)
    ),
    *(
        Case(
            "aten.diagonal.default",
            (rand(*sizes), k, *axes),
            why=f"{list(sizes)}, {k} of {axes}",
            is_open=is_open,
        )
        for sizes, axes in (*PLANES, ((4, 2, 3), (1, 2)))
        for k in (-1, 0, 2)
        for is_open in (False, True)
    ),
    *(
        Case(
            "aten.diag_embed.default",
            (rand(*sizes), k, *axes),
            why=f"{list(sizes)}, {k} at {axes}",
            is_open=is_open,
        )
        for sizes, axes in (
            ((3,), (0, 1)),
            ((2, 3), (-2, -1)),
            ((2, 3), (0, 2)),
            ((2, 3), (2, 0)),
            ((2, 3), (1, -3)),
        )
        for k in (-2, 0, 1)
        for is_open in (False, True)
    ),
    *(
        Case(f"aten.{op}.default", (rand(*sizes), k), why=f"{list(sizes)}, {k}", is_open=is_open)
        for op in ("tril", "triu")
        for sizes in ((3, 4), (2, 4, 3), (1, 3))
        for k in (-1, 0, 1, 5)
        for is_open in (False, True)
    ),
    Case("aten.diagonal_scatter.default", (CUBE, rand(2, 3), 1, 1, 2), why="an offset"),
    *(
        Case(f"aten.{op}.default", (x, n), why=f"{x.shape} by {n}")
        for op in ("tril", "triu")
        for x in (MATRIX, CUBE)
        for n in (0, 1, -1)
    ),
    Case("aten.tril.default", (rand(2, 2, dtype=np.bool_),), why="bools"),
    Case("aten.triu.default", (np.full((2, 2), np.nan, np.float16),), why="nan goes"),
    Case("aten.tril.default", (rand(3),), why="a vector", raises=BadType),
    Case("aten.trace.default", (MATRIX,), tol=ROUNDS),
    Case("aten.trace.default", (rand(3, 3, dtype=np.int32),), why="integers"),
    Case("aten.trace.default", (CUBE,), why="rank 3", raises=BadType),
]
PADS += [
    Case("aten._pad_enum.default", (X, [1, 2], 3), why="zeros"),
    Case("aten._pad_enum.default", (X, [0, 2], 3, 7.5), why="a number"),
]
CASES = [*VIEWS, *SPREAD, *PADS, *DIAGONALS, *joining.CASES, *rearranging.CASES]
LIMITS = [*joining.LIMITS, *rearranging.LIMITS]
