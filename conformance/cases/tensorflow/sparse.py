"""TensorFlow's sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType

from ...case import ROUNDS, Case, Const, Limit, f, i, rand, scalar

PLACES = i(0, 1, 0, 3, 2, 0, 2, 1, 4, 3).reshape(5, 2)
MIXED = PLACES[[3, 0, 4, 2, 1]]
VALUES = f(1, -2, 3.5, 0.25, -7)
SIZE = i(5, 4)
CUBE = i(0, 0, 1, 0, 2, 0, 1, 0, 3, 1, 2, 2).reshape(4, 3)
S: tuple[Any, ...] = (PLACES, VALUES, SIZE)
NONE: tuple[Any, ...] = (np.zeros((0, 2), np.int64), f(), SIZE)
IN_CUBE: tuple[Any, ...] = (CUBE, f(1, -2, 3, -4), i(2, 3, 4))
KNOWN: tuple[Any, ...] = (PLACES, VALUES, Const(SIZE))


def axes(*values: int) -> Const:
    """Axes that are known."""
    return Const(i(*values, dtype=np.int32))


CASES = [
    *(Case("SparseTensorDenseMatMul", (*given, b), {"adjoint_a": a, "adjoint_b": t}, tol=ROUNDS,
           why=f"{why} {a} {t}")
      for why, given in (("computed", S), ("known size", KNOWN), ("nothing", NONE),
                         ("in any order", (MIXED, VALUES, SIZE)))
      for a in (False, True) for t in (False, True)
      for b in (rand(*(3, 5 if a else 4) if t else (5 if a else 4, 3)),)),
    Case("SparseTensorDenseMatMul",
         (i(0, 1, 0, 1, 1, 0).reshape(3, 2), f(1, 2, 3), Const(i(2, 2)), rand(2, 2)), tol=ROUNDS,
         why="one place twice"),
    Case("SparseTensorDenseMatMul", (PLACES.astype(np.int32), VALUES, Const(SIZE), rand(4, 3)),
         tol=ROUNDS, why="places of 32 bits"),
    Case("SparseTensorDenseMatMul", (PLACES, VALUES, Const(i(5, 4, 1)), rand(4, 3)), raises=BadType,
         why="three sizes"),
    Case("SparseTensorDenseAdd", (*S, rand(5, 4)), tol=ROUNDS),
    *(Case("SparseReshape", (PLACES, size, wanted), why=why)
      for why, size, wanted in (
          ("known", Const(SIZE), Const(i(2, 10))), ("-1", Const(SIZE), Const(i(-1, 2, 5))),
          ("computed", SIZE, Const(i(10, -1))), ("computed target", SIZE, i(4, -1)),
          ("all computed", SIZE, i(20)), ("one axis", Const(SIZE), Const(i(-1))))),
    Case("SparseReshape", (CUBE, Const(i(2, 3, 4)), Const(i(6, 4))), why="three axes"),
    Case("SparseReshape", (PLACES, Const(SIZE), Const(i(-1, -1))), why="two of -1", raises=BadType),
    *(Case(f"SparseReduce{op}", (*given, axes(*along)), {"keep_dims": keep}, tol=ROUNDS,
           why=f"{why} {list(along)} {keep}")
      for op in ("Sum", "Max")
      for why, given, along in (
          ("rows", S, (1,)), ("columns", S, (0,)), ("no axes", S, ()), ("both", S, (0, -1)),
          ("known", KNOWN, (-1,)), ("nothing", NONE, (1,)), ("cube", IN_CUBE, (1,)),
          ("cube", IN_CUBE, (0, 2)))
      for keep in (False, True)),
    Case("SparseReduceMax", (PLACES, -abs(VALUES), SIZE, axes(1)), why="below 0"),
    Case("SparseReduceSum", (MIXED, i(1, 2, 3, 4, 5), SIZE, axes(0)), why="integers"),
    Case("SparseReorder", (MIXED, VALUES, SIZE)),
    Case("SparseReorder", (CUBE[[2, 0, 3, 1]], f(1, 2, 3, 4), Const(i(2, 3, 4))), why="cube"),
    *(Case("SparseFillEmptyRows", (*given, scalar(9)), outputs=4, why=why)
      for why, given in (("computed", S), ("known size", KNOWN), ("all rows are empty", NONE),
                         ("in any order", (MIXED, VALUES, SIZE)), ("cube", IN_CUBE),
                         ("no row is empty", (PLACES[[0, 4]] * i(1, 1) // i(4, 1), f(1, 2),
                                              i(2, 4))))),
    *(Case(f"SparseDenseCwise{op}", (*S, dense), tol=ROUNDS, why=why)
      for op in ("Add", "Mul", "Div")
      for why, dense in (("whole", rand(5, 4, low=1.0)), ("row", rand(4, low=1.0)),
                         ("column", rand(5, 1, low=1.0)))),
    *(Case("SparseSoftmax", given, tol=ROUNDS, why=why)
      for why, given in (("rows", S), ("cube", IN_CUBE), ("known size", KNOWN))),
    *(Case("SparseConcat", ([PLACES, PLACES[:3]], [VALUES, f(7, 8, 9)], [SIZE, SIZE]),
           {"concat_dim": axis}, why=f"axis {axis}") for axis in (0, 1, -1)),
    *(Case("SparseAdd", (*S, i(0, 1, 2, 2, 4, 3).reshape(3, 2), f(2, 8, 6.5), SIZE, scalar(least)),
           tol=ROUNDS, why=f"at least {least}") for least in (0, 1.5)),
    *(Case("SparseSlice", (*given, Const(i(*start)), Const(i(*size))), why=why)
      for why, given, start, size in (
          ("inside", S, (0, 1), (3, 2)), ("beyond", S, (2, 0), (9, 9)),
          ("nothing", S, (3, 0), (1, 4)),
          ("known size", KNOWN, (0, 0), (2, 4)))),
    *(Case("SparseBincount", (PLACES, i(1, 0, 2, 2, 5), SIZE, Const(scalar(4, np.int64)), weights),
           {"binary_output": binary}, why=f"{why} {binary}", tol=ROUNDS)
      for binary in (False, True)
      for weights, why in ((f(), "no weights"), (f(0.5, 1, 2, 3, 4), "weights"))),
    Case("SparseBincount", (i(0, 2, 3).reshape(3, 1), i(1, 0, 1), i(5), Const(scalar(3, np.int64)),
                            f()), why="one row"),
]  # fmt: skip
LIMITS: list[Limit] = []
