"""Paddle's random numbers: their types, shapes and distributions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nnir.errors import BadType, NoLowering, NotConstant, Unsupported
from nnir.types import Precision

from ...case import Case, Const, Limit, f, i, rand

F4, F8, I4, I8 = (Precision[n] for n in ("FLOAT32", "FLOAT64", "INT32", "INT64"))

MANY = [10_000]
"""So many numbers tell distributions apart."""

DRAWN = [
    Case("gaussian", (MANY, 2.0, 0.5, 0, F4)),
    Case("gaussian_inplace", (rand(*MANY),), {"mean": 1.0, "std": 2.0}),
    Case("uniform", (MANY, F4, -1.0, 3.0, 0)),
    Case("uniform_inplace", (rand(*MANY),), {"min": 0.0, "max": 2.0}),
    Case("uniform_random_batch_size_like", (rand(1000, 2), [-1, 10]), {"min": 0.0, "max": 2.0}),
    Case("randint", (-2, 5, MANY)),
    Case("random_", (rand(*MANY), 0, 5)),
    Case("randperm", (1000, I8)),
    Case("bernoulli", (np.full(MANY, 0.3, np.float32),)),
    Case("multinomial", (f(0.1, 0.2, 0.7), *MANY, True)),
    Case("exponential_", (rand(*MANY), 2.0)),
    Case("gumbel_softmax", (rand(5000, 2),), {"temperature": 0.5}),
    Case("truncated_gaussian_random", (MANY, 0.0, 1.0, 0, -1.0, 2.0)),
    Case("truncated_gaussian_random", (MANY, 1.0, 2.0, 0, -2.0, 2.0), why="many, wide"),
]

CASES = [
    *(replace(c, random=True, why=c.why or "many") for c in DRAWN),
    Case("gaussian", ([2, 3], 0.0, 1.0, 0, F4), random=True),
    Case("gaussian", ([], 1.0, 2.0, 5, F8), random=True, why="no axes"),
    Case("gaussian", (i(2, 3), 1.0, 2.0, 5, F4), random=True, why="sizes of the program"),
    Case("gaussian_inplace", (rand(2, 3),), random=True),
    Case("gaussian_inplace_", (rand(2),), {"mean": 1.0, "std": 2.0, "seed": 3}, random=True),
    Case("uniform", ([2, 3], F4, 0.0, 1.0, 0), random=True),
    Case(
        "uniform", ([2], F8, Const(f(-1)), Const(f(1)), 0), random=True, why="bounds of the program"
    ),
    Case("uniform", ([2], F4, 1.0, 0.0, 0), why="crossed", raises=BadType),
    Case("uniform_inplace", (rand(2, 3),), random=True),
    Case("uniform_inplace_", (rand(2),), {"min": 0.0, "max": 2.0}, random=True),
    Case("uniform_inplace", (rand(2),), {"diag_num": 1}, raises=Unsupported),
    Case("uniform_random_batch_size_like", (rand(3, 2), [-1, 4]), random=True),
    Case("uniform_random_batch_size_like", (rand(3, 2), [2, -1], 0, 1), random=True, why="axis"),
    Case("randint", (0, 5, [3]), random=True),
    Case("randint", (-2, 5, i(2, 2)), {"dtype": I4}, random=True),
    Case("randint", (5, 5, [3]), why="nothing to choose", raises=BadType),
    Case("random", (rand(2), 0, 5), why="not in place", random=True),
    Case("random_", (i(1, 2), 0, 5), random=True),
    Case("randperm", (5, I8), random=True),
    Case("randperm", (3, I4), random=True, why="int32"),
    Case("bernoulli", (rand(2, 3, low=0, high=1),), random=True),
    Case("bernoulli", (f(0, 1, 0, 1),), why="certain"),
    Case("multinomial", (rand(2, 3, low=0.1), 2), random=True),
    Case("multinomial", (rand(3, low=0.1), 5, True), random=True, why="with replacement"),
    Case("multinomial", (rand(3, low=0.1), i(2)), why="how many", raises=NotConstant),
    Case("exponential_", (rand(2, 3), 2.0), random=True),
    Case("gumbel_softmax", (rand(2, 3),), random=True),
    Case(
        "gumbel_softmax", (rand(2, 3),), {"hard": True, "axis": 0, "temperature": 0.5}, random=True
    ),
    Case("truncated_gaussian_random", ([2, 3], 0.0, 1.0, 0, -2.0, 2.0), random=True),
    Case("truncated_gaussian_random", ([3], 1.0, 2.0, 0, -2.0, 2.0), {"dtype": F8}, random=True),
    Case("shuffle_batch", (rand(3, 2), i(1)), random=True, read=2),
    Case("gaussian_inplace", (rand(2),), {"mean": 1.0, "std": 2.0, "seed": 3}, random=True),
    Case("uniform_inplace_", (rand(2),), {"diag_num": 1}, raises=Unsupported),
    *(
        Case(op, (rand(2),), how, random=True)
        for op in ("uniform_inplace", "uniform_inplace_")
        for how in (
            {"min": 0.0, "max": 2.0, "seed": 3},
            {"diag_step": 1},
            {"diag_val": 2.0},
        )
    ),
    Case("uniform_random_batch_size_like", (rand(3, 2), [4, -1], 1, 1), random=True, why="columns"),
    Case(
        "uniform_random_batch_size_like", (rand(3, 2), [-1, 4]), {"diag_num": 2}, raises=Unsupported
    ),
    *(
        Case("uniform_random_batch_size_like", (rand(3, 2), [-1, 4]), how, random=True)
        for how in (
            {"min": 0.0, "max": 2.0, "seed": 3},
            {"diag_step": 1},
            {"diag_val": 2.0},
            {"dtype": F8},
        )
    ),
    Case("shuffle_batch", (rand(3, 2), i(1)), {"startup_seed": 3}, random=True, read=2),
]
LIMITS = [
    Limit("truncated_gaussian_random", why="no kernel", device="onnxruntime", raises=NoLowering),
]
