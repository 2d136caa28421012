"""TFLite's reductions."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType, Unsupported

from ...case import ROUNDS, Case, Const, i, rand
from .numbers import QUANTUM, name, number, q, real, same, sizes, stored

X = rand(2, 3, 4)
COUNTS = rand(2, 3, 4, dtype=np.int32, low=-9, high=9)
TRUTH = rand(2, 3, 4, dtype=np.bool_)
OPS = ("MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN")
LOGIC = ("REDUCE_ALL", "REDUCE_ANY")
BYTES = (np.int8, np.uint8)

CASES = [
    *(Case(op, (X, sizes(0, 2)), tol=ROUNDS) for op in OPS),
    *(Case(op, (X, sizes(1)), {"keep_dims": True}, tol=ROUNDS) for op in OPS),
    *(Case(op, (X, sizes(-1)), tol=ROUNDS, why="a negative axis") for op in OPS),
    *(Case(op, (X, number(1)), tol=ROUNDS, why="one axis") for op in OPS),
    *(Case(op, (X, sizes(0, 1, 2)), tol=ROUNDS, why="all axes") for op in OPS),
    *(Case(op, (X, i(2, dtype=np.int32)), tol=ROUNDS, why="an axis at run time") for op in OPS),
    *(Case(op, (COUNTS, sizes(1)), why="int32") for op in OPS),
    *(Case(op, (COUNTS.astype(np.int64), sizes(1)), why="int64") for op in OPS),
    *(Case("MEAN", (np.array([[np.iinfo(d).max] * 3, [1, -7, 2]], d), sizes(0)),
           why=f"{np.dtype(d).name} that does not hold the sum") for d in (np.int32, np.int64)),
    *(Case(op, (TRUTH, sizes(0, 2))) for op in LOGIC),
    *(Case(op, (TRUTH, Const(i(-1, dtype=np.int32))), {"keep_dims": True}) for op in LOGIC),
    *(Case(op, (X, Const(np.zeros((1, 0), np.int32))), raises=BadType, why="axes in a matrix")
      for op in OPS),
    *(Case("MEAN", (q(2, 7, 8, 3, dtype=d), sizes(1, 2)), results=same(d), tol=QUANTUM, opset=3,
           why=f"{name(d)}, one scale") for d in (*BYTES, np.int16)),
    *(Case(op, (q(2, 7, 8, 3, dtype=d), sizes(1, 2)), {"keep_dims": True}, tol=QUANTUM, opset=2,
           results=stored(0.05 if op == "MEAN" else 0.4, 20, d), why=f"{name(d)}, another scale")
      for op in ("MEAN", "SUM") for d in BYTES),
    *(Case("MEAN", (q(2, 7, 8, 3), sizes(*axes)), results=stored(0.01, 20), tol=QUANTUM, opset=2,
           why=f"int8 over {axes}") for axes in ((0,), (3,), (1, 3), (0, 1, 2, 3))),
    *(Case(op, (q(2, 7, 8, 3, dtype=d), sizes(1, 2)), results=same(d), opset=3, why=name(d))
      for op in ("REDUCE_MAX", "REDUCE_MIN") for d in (*BYTES, np.int16)),
    Case("REDUCE_PROD", (q(2, 3, scale=0.01), sizes(1)), results=stored(0.02, 3), tol=QUANTUM,
         opset=2, why="int8"),
    *(Case("REDUCE_WINDOW", (rand(6, 7), real(0.5), Const(i(2, 3)),
                             Const(i(1, 2)), Const(i(2, 1))), {"reduce_function": f},
           tol=ROUNDS) for f in ("ADD", "MUL", "MINIMUM", "MAXIMUM")),
    *(Case("REDUCE_WINDOW", (TRUTH[0], Const(np.array(f == "ALL")), Const(i(2, 3)), Const(i(1, 1)),
                             Const(i(1, 1))), {"reduce_function": f}) for f in ("ALL", "ANY")),
    Case("REDUCE_WINDOW", (COUNTS[0], number(0), Const(i(1, 3)), Const(i(2, 1)), Const(i(1, 1))),
         {"reduce_function": "ADD"}, why="int32"),
    Case("REDUCE_WINDOW", (rand(9), real(0), Const(i(3)), Const(i(1)), Const(i(2))),
         {"reduce_function": "ADD"}, tol=ROUNDS, why="three of every second"),
    Case("REDUCE_WINDOW", (rand(40), real(0), Const(i(29)), Const(i(3)),
                           Const(i(1))), {"reduce_function": "ADD"}, tol=ROUNDS, why="long"),
    Case("REDUCE_WINDOW", (rand(4), real(0), Const(i(2)), Const(i(3)),
                           Const(i(1))), {"reduce_function": "UNSUPPORTED"}, raises=Unsupported),
    *(Case("REDUCE_WINDOW", (rand(4, 5), real(0), *(Const(i(*n)) for n in lists)),
           {"reduce_function": "ADD"}, raises=BadType, why=why)
      for why, lists in (("one size of two", ((2,), (1, 1), (1, 1))),
                         ("one step of two", ((2, 2), (1,), (1, 1))),
                         ("one distance of two", ((2, 2), (1, 1), (1,))),
                         ("no window", ((2, 0), (1, 1), (1, 1))),
                         ("no step", ((2, 2), (0, 1), (1, 1))),
                         ("no distance", ((2, 2), (1, 1), (1, 0))))),
]  # fmt: skip
