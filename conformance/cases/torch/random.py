"""ATen random numbers: type, shape and distribution are PyTorch's, the numbers are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnir.errors import BadType
from nnir.types import Precision

from ...case import Case, f, rand, scalar

X = rand(2, 3)
CHANCE = f(0.2, 0.8)
F16, I32 = Precision.FLOAT16, Precision.INT32

MANY = [10_000]
"""So many numbers tell distributions apart."""

Y = rand(*MANY)

OF_MANY = [
    *(Case(f"aten.{n}.default", (MANY,)) for n in ("rand", "randn")),
    *(Case(f"aten.{n}_like.default", (Y,)) for n in ("rand", "randn")),
    Case("aten.randint.default", (5, MANY)),
    Case("aten.randint.low", (2, 5, MANY), {"dtype": I32}),
    Case("aten.randint_like.default", (Y, 5)),
    Case("aten.randint_like.low_dtype", (Y, -2, 5), {"dtype": I32}),
    Case("aten.randperm.default", (1000,)),
    Case("aten.bernoulli.default", (np.full(MANY, 0.3, np.float32),)),
    Case("aten.bernoulli.p", (Y, 0.3)),
    Case("aten.normal.Tensor_Tensor", (Y, np.abs(Y) + 1)),
    Case("aten.normal.Tensor_float", (Y, 2.0)),
    Case("aten.normal.float_Tensor", (1.0, np.abs(Y) + 1)),
    Case("aten.normal.float_float", (1.0, 2.0, MANY)),
    Case("aten.normal_functional.default", (Y, 1.0, 2.0)),
    Case("aten.log_normal.default", (Y, 0.5, 1.5)),
    Case("aten.exponential.default", (Y, 2.0)),
    Case("aten.uniform.default", (Y, -1.0, 2.0)),
    Case("aten.uniform.default", (Y,), why="from 0 to 1, "),
    *(Case("aten.random.default", (y,)) for y in (Y, Y.astype(np.int64), Y > 0)),
    *(Case("aten.random.default", (Y.astype(t),)) for t in (np.float16, np.uint8)),
    Case("aten.random.to", (Y, 5)),
    Case("aten.random.from", (Y, -2, None)),
    Case("aten.random.from", (Y.astype(np.int32), -2, 3)),
    Case("aten.geometric.default", (Y, 0.25)),
    Case("aten.cauchy.default", (Y, 1.0, 2.0)),
    Case("aten.multinomial.default", (f(0.2, 0.8), *MANY, True)),
]

DRAWN = [
    *(Case(f"aten.{n}.default", ([2, 3],)) for n in ("rand", "randn")),
    *(Case(f"aten.{n}.default", ([2, 3],), {"dtype": F16}) for n in ("rand", "randn")),
    *(Case(f"aten.{n}.generator", ([2],), {"generator": None}) for n in ("rand", "randn")),
    *(Case(f"aten.{n}_like.default", (X,)) for n in ("rand", "randn")),
    *(Case(f"aten.{n}_like.generator", (X,), {"generator": None}) for n in ("rand", "randn")),
    *(
        Case(f"aten.{n}.generator", ([2],), {"generator": None, "dtype": F16})
        for n in ("rand", "randn")
    ),
    *(
        Case(f"aten.{n}_like.{which}", (X,), {**none, "dtype": F16})
        for n in ("rand", "randn")
        for which, none in (("default", {}), ("generator", {"generator": None}))
    ),
    Case("aten.randint.default", (5, [2, 3]), {"dtype": F16}),
    Case("aten.randint_like.default", (X, 5), {"dtype": I32}),
    Case("aten.normal.float_float", (1.0, 2.0, [2, 3]), {"dtype": F16}),
    Case("aten.log_normal.default", (X, 0.5, 1.5), why="another distribution"),
    Case("aten.randint.default", (5, [2, 3])),
    Case("aten.randint.low", (2, 5, [4]), {"dtype": I32}),
    Case("aten.randint_like.default", (X, 5)),
    Case("aten.randint_like.low_dtype", (X, -2, 5), {"dtype": I32}),
    Case("aten.randperm.default", (5,)),
    Case("aten.randperm.default", (5,), {"dtype": I32}),
    Case("aten.bernoulli.default", (CHANCE,)),
    Case("aten.bernoulli.p", (rand(3, dtype=np.int64), 0.5)),
    Case("aten.bernoulli.Tensor", (X, scalar(0.5))),
    Case("aten.normal.Tensor_Tensor", (X, f(1, 2, 3))),
    Case("aten.normal.Tensor_float", (X, 2.0)),
    Case("aten.normal.float_Tensor", (1.0, f(1, 2))),
    Case("aten.normal.float_float", (1.0, 2.0, [2, 3])),
    Case("aten.normal_functional.default", (X, 1.0, 2.0)),
    Case("aten.log_normal.default", (X,)),
    Case("aten.exponential.default", (X, 2.0)),
    Case("aten.uniform.default", (X,)),
    Case("aten.uniform.default", (rand(3, dtype=np.float16), -1.0, 2.0), why="bounds"),
    *(Case("aten.random.default", (x,)) for x in (X, rand(3, dtype=np.int64), X > 0)),
    *(Case("aten.random.default", (rand(3, dtype=t),)) for t in (np.float16, np.uint8)),
    Case("aten.random.to", (X, 5)),
    Case("aten.random.from", (X, -2, None)),
    Case("aten.random.from", (rand(3, dtype=np.int32), -2, 3), why="bounds"),
    Case("aten.cauchy.default", (X, 1.0, 2.0)),
    Case("aten.geometric.default", (X, 0.25)),
    Case("aten.multinomial.default", (CHANCE, 4, True)),
    Case("aten.multinomial.default", (f([1, 2, 3], [3, 2, 1]), 2), why="without replacement"),
    Case("aten.normal.Tensor_Tensor", (f(1, 2, 3), rand(2, 3, low=0.5)), why="a mean of columns"),
    Case("aten.normal.Tensor_Tensor", (rand(2, 3), f(1, 2, 3)), why="a spread of columns"),
]
CASES = [
    *(replace(c, random=True, why=f"{c.why}many") for c in OF_MANY),
    *(Case(c.op, c.inputs, c.attrs, why=c.why, random=True) for c in DRAWN),
    Case("aten.bernoulli.default", (f(0, 1, 1),), why="certain"),
    Case("aten.randint.low", (3, 4, [2]), why="one number"),
    Case("aten.random.from", (X, 7, 8), why="one number"),
    Case("aten.uniform.default", (X, 2.0, 2.0), why="one number"),
    Case("aten.uniform.default", (X, 2.0, 1.0), why="no numbers", raises=BadType),
    Case("aten.geometric.default", (X, 1.5), why="no chance", raises=BadType),
    Case("aten.randint.low", (4, 3, [2]), why="no numbers", raises=BadType),
    Case("aten.multinomial.default", (f(0, 0, 1), 3, True), why="certain"),
    Case("aten.multinomial.default", (f(0, 0, 1), 1), why="certain without replacement"),
]
