"""TFLite's elementwise functions of one tensor."""

from __future__ import annotations

import numpy as np

from nnir.types import Precision

from ...case import ROUNDS, Case, f, rand, scalar
from .numbers import QUANTUM, name, q, same, stored

INF, NAN = float("inf"), float("nan")
X = rand(2, 3)
POSITIVE = rand(2, 3, low=0.1, high=4)
SPECIAL = f(NAN, INF, -INF, 0, -0.0)
HALVES = f(-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)
WAVES = (rand(2, 3) + 1j * rand(2, 3, seed=1)).astype(np.complex64)
EVERY = ("ABS", "CEIL", "COS", "EXP", "FLOOR", "NEG", "ROUND", "SIN", "SQUARE", "SIGN")
CASES = [
    *(Case(op, (X,), tol=ROUNDS) for op in EVERY),
    *(Case(op, (POSITIVE,), tol=ROUNDS) for op in ("LOG", "RSQRT", "SQRT")),
    *(Case(op, (SPECIAL,), tol=ROUNDS, why="special") for op in (*EVERY, "LOG", "RSQRT", "SQRT")
      if op != "SIGN"),
    *(Case(op, (scalar(0.7),), tol=ROUNDS, why="scalar") for op in (*EVERY, "LOG", "SQRT")),
    *(Case(op, (rand(0, 3),), why="empty") for op in ("ABS", "NEG", "EXP", "SQUARE")),
    *(Case(op, (HALVES,), why="halves") for op in ("ROUND", "CEIL", "FLOOR")),
    Case("SIGN", (f(-2, 0, 3),), why="zero"),
    Case("SIGN", (rand(5, dtype=np.int32),), why="int32"),
    Case("ABS", (rand(5, dtype=np.int32),)),
    Case("NEG", (rand(5, dtype=np.int32),)),
    Case("NEG", (rand(5, dtype=np.int64),)),
    Case("ZEROS_LIKE", (X,)),
    Case("ZEROS_LIKE", (rand(3, dtype=np.int64),)),
    Case("ZEROS_LIKE", (rand(3, dtype=np.int32),)),
    *(Case("CAST", (rand(2, 3, dtype=a, low=-9, high=9),), {"out_data_type": b},
           results=(b.dtype,), why=f"{name(a)} to {b.name}")
      for a, b in ((np.float32, Precision.INT32), (np.float32, Precision.INT64),
                   (np.float32, Precision.BOOL8), (np.float32, Precision.UINT8),
                   (np.float32, Precision.FLOAT16), (np.int32, Precision.FLOAT32),
                   (np.int64, Precision.INT32), (np.int8, Precision.INT64),
                   (np.int16, Precision.FLOAT32), (np.float16, Precision.FLOAT32),
                   (np.bool_, Precision.FLOAT32), (np.int32, Precision.BOOL8))),
    *(Case("CAST", (f(300, -5, NAN, INF, -INF, 1e20, -1.7, 200.5),), {"out_data_type": p},
           results=(p.dtype,), why=f"out of the range of {p.name}")
      for p in (Precision.INT64, Precision.INT32, Precision.INT16, Precision.INT8,
                Precision.UINT32, Precision.UINT16, Precision.UINT8, Precision.BOOL8)),
    Case("CAST", (q(2, 3),), {"out_data_type": Precision.FLOAT32}, results=(np.float32,),
         why="the integers of quantised numbers"),
    Case("BITCAST", (q(2, 4),), results=(np.int32,), why="the integers of quantised numbers"),
    Case("NEG", (q(2, 4),), results=same(), why="int8"),
    Case("BITCAST", (X,), results=(np.int32,)),
    Case("BITCAST", (rand(2, 4, dtype=np.uint8, low=0, high=255),), results=(np.int32,),
         why="wider"),
    Case("BITCAST", (rand(2, 3, dtype=np.int32),), results=(np.uint8,), why="narrower"),
    *(Case(op, (WAVES,), tol=ROUNDS, results=(np.float32,)) for op in
      ("COMPLEX_ABS", "REAL", "IMAG")),
    Case("REAL", (WAVES.reshape(-1)[:0],), results=(np.float32,), why="empty"),
    Case("ABS", (q(2, 3),), results=stored(0.03, 4), tol=QUANTUM, opset=2),
    *(Case("ABS", (q(2, 3, dtype=d),), results=same(d), tol=QUANTUM, opset=3,
           why=name(d)) for d in (np.int16,)),
    *(Case("EXP", (q(2, 5, dtype=d, scale=0.02 if d == np.int8 else 0.0001),),
           results=stored(0.05, -128, d) if d == np.int8 else stored(0.001, 0, d), tol=QUANTUM,
           opset=2, why=name(d)) for d in (np.int8, np.int16)),
    *(Case("LOG", (q(2, 5, dtype=d, zero=-128 if d == np.int8 else 0),),
           results=stored(0.05, 10, d) if d == np.int8 else stored(0.001, 0, d), tol=QUANTUM,
           opset=2, why=name(d)) for d in (np.int8,)),
    *(Case("RSQRT", (q(2, 5, dtype=d, zero=-128 if d == np.int8 else 0),),
           results=stored(0.05, -10, d) if d == np.int8 else stored(0.001, 0, d), tol=QUANTUM,
           opset=2, why=name(d)) for d in (np.int8,)),
]  # fmt: skip
