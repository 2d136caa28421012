"""TensorFlow's random numbers, of which type, shape and distribution can be compared."""

from __future__ import annotations

import numpy as np

from nnir.errors import BadType
from nnir.types import Precision

from ...case import Case, Const, f, i, rand, scalar
from .shape import axis, ints, known

FLOAT, DOUBLE, HALF = Precision.FLOAT32, Precision.FLOAT64, Precision.FLOAT16
SIZE = known(2, 3)
SEED = known(3, 4)
KEY = Const(np.array([7], np.uint64))
COUNTER = Const(np.array([1, 2], np.uint64))
STATE = (KEY, COUNTER, axis(1))
PLAIN = ("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
STATELESS = ("RandomUniform", "RandomNormal", "TruncatedNormal")
BOUNDS = (axis(-5), axis(5))
CHANCES = np.log(f(0.1, 0.2, 0.7)).reshape(1, 3)


def drawn(op: str, inputs: tuple[object, ...], why: str = "", **attrs: object) -> Case:
    """A case of numbers that nobody knows."""
    return Case(op, inputs, attrs, why=why, random=True)


MANY = known(10_000)
"""So many numbers tell distributions apart."""

CASES = [
    *(drawn(op, (MANY,), "many", dtype=FLOAT) for op in PLAIN),
    *(drawn(f"Stateless{op}", (MANY, SEED), "many") for op in STATELESS),
    *(drawn(f"Stateless{op}V2", (MANY, *STATE), "many") for op in STATELESS),
    drawn("RandomUniformInt", (MANY, *BOUNDS), "many"),
    drawn("StatelessRandomUniformInt", (MANY, SEED, *BOUNDS), "many"),
    drawn("StatelessRandomUniformIntV2", (MANY, *STATE, *BOUNDS), "many"),
    *(drawn(op, (CHANCES, axis(10_000), *seed), "many")
      for op, seed in (("Multinomial", ()), ("StatelessMultinomial", (SEED,)))),
    drawn("RandomShuffle", (rand(1000),), "many"),
    *(drawn(op, (SIZE,), dtype=FLOAT) for op in PLAIN),
    *(drawn(op, (ints(2, 3),), "run-time", dtype=DOUBLE, seed=1, seed2=2) for op in PLAIN),
    *(drawn(op, (known(0, 2),), "nothing", dtype=HALF) for op in PLAIN),
    *(drawn(f"Stateless{op}", (SIZE, SEED)) for op in STATELESS),
    *(drawn(f"Stateless{op}", (SIZE, ints(1, 2)), "run-time seed", dtype=DOUBLE)
      for op in STATELESS),
    *(drawn(f"Stateless{op}V2", (SIZE, *STATE)) for op in STATELESS),
    *(drawn(f"Stateless{op}V2", (ints(4), *STATE), "run-time", dtype=DOUBLE) for op in STATELESS),
    drawn("RandomUniformInt", (SIZE, *BOUNDS)),
    drawn("RandomUniformInt", (SIZE, scalar(0, np.int64), scalar(9, np.int64)), "run-time",
          seed=3),
    drawn("StatelessRandomUniformInt", (SIZE, SEED, *BOUNDS)),
    drawn("StatelessRandomUniformIntV2", (SIZE, *STATE, *BOUNDS)),
    Case("StatelessRandomUniformInt", (SIZE, SEED, ints(1), ints(2)), why="bounds",
         raises=BadType),
    drawn("Multinomial", (rand(2, 3), axis(4)), seed=1),
    drawn("Multinomial", (rand(2, 3), axis(4)), output_dtype=Precision.INT32),
    drawn("StatelessMultinomial", (rand(2, 3), axis(4), SEED)),
    drawn("RandomShuffle", (rand(4, 2),), seed=5),
    drawn("RandomShuffle", (i(1, 2, 3),)),
    drawn("StatelessShuffle", (rand(4, 2), *STATE)),
    Case("RandomShuffle", (scalar(1),), why="no axes"),
    Case("StatelessRandomGetKeyCounter", (SEED,), random=True, outputs=2),
    Case("StatelessRandomGetKeyCounterAlg", (SEED,), random=True, outputs=3),
    Case("StatelessRandomGetAlg", ()),
    drawn("RandomUniformInt", (SIZE, *BOUNDS), seed2=3),
    drawn("Multinomial", (rand(2, 3), axis(4)), seed2=3),
    drawn("RandomShuffle", (rand(4, 2),), seed2=3),
    drawn("StatelessMultinomial", (rand(2, 3), axis(4), SEED), output_dtype=Precision.INT32),
]  # fmt: skip
