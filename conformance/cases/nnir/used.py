"""Models that are used as users do: see `conformance.engines.uses`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from nnir.model import Model
from nnir.operator import Operator
from nnir.ops import (
    activation,
    binary,
    compare,
    control,
    index,
    linear,
    pool,
    reduce,
    shape,
    unary,
)
from nnir.types import Precision, TensorType

from ...case import Const, Tolerance, i, rand, scalar
from .chains import CONVOLVED, IMAGE, Chain, real, whole
from .graph import Open, Step

NEAR = Tolerance(relative=1e-4, absolute=1e-4)


@dataclass(frozen=True)
class Used(Chain):
    """A model whose program is called in every way; `others` are inputs of other sizes.

    `kept`: its last input is a state, and its last output what comes of it. `unwritten` are devices
    that write no file of it.
    """

    others: Sequence[tuple[np.ndarray, ...]] = ()
    kept: bool = False
    unwritten: str = ""

    def __str__(self) -> str:
        return f"{self.op}-used-{self.why}"

    def model(self) -> Model:
        """The model, of which every operation has a place in its source."""
        model = super().model()
        for k, operation in enumerate(model.operations):
            operation.origin = f"place.{k}"
        return model

    def has_no_file(self, device: str) -> bool:
        """Whether a device writes no file of it."""
        return device in self.unwritten.split()


NET = (
    CONVOLVED,
    Step(activation.relu, (1,)),
    Step(pool.max_pool_2d, (2,), {"kernel_shape": (2, 2), "strides": (2, 2)}),
    Step(shape.reshape, (3, Const(i(0, -1)))),
    Step(linear.fully_connected, (4, Const(rand(3, 16)), Const(rand(3)))),
    Step(activation.softmax, (5,), {"axis": -1}),
)


def _used() -> Iterator[Used]:
    yield Used((IMAGE,), NET, "a net", (6, 3), NEAR)
    rows = [(rand(n, 3, 5, 4, seed=n),) for n in (1, 5, 3, 4, 6)]
    yield Used((Open(IMAGE, ("n", 3, 5, 4)),), NET, "a net of open rows", (6,), NEAR, others=rows)
    chain = real(0), Step(activation.relu, (1,)), whole(2)
    integers = rand(2, 3, 5, 4, dtype=np.int8, low=-128, high=127)
    yield Used((integers,), chain, "integers", (3,), Tolerance(absolute=1))
    one, two = rand(), np.array(3, np.int64)
    numbers = Step(binary.add, (0, Const(scalar(2)))), Step(binary.mul, (1, 1))
    yield Used((one, two), numbers, "numbers without axes", (2, 3), NEAR)
    halves = rand(2, 3).astype(np.float16)
    yield Used((halves,), (Step(unary.neg, (0,)),), "halves", (1, 0))
    brains = rand(2, 3).astype(ml_dtypes.bfloat16)
    yield Used((brains,), (Step(unary.neg, (0,)),), "bfloat16", (1,), unwritten="litert")
    truths = Step(compare.less, (0, 1)), Step(compare.where, (2, 0, 1))
    yield Used((rand(2, 3), rand(2, 3, seed=1)), truths, "truths", (2, 3))
    pairs = (rand(2, 3) + 1j * rand(2, 3, seed=1)).astype(np.complex64)
    yield Used((pairs,), (Step(binary.mul, (0, 0)),), "complex numbers", (1,), NEAR)
    sizes = [(rand(n, m, seed=n),) for n, m in ((2, 3), (1, 1), (4, 2))]
    sums = Step(reduce.reduce_sum, (0, Const(i(1))), {"keepdim": False})
    many = Open(rand(3, 4), ("n", "m"))
    yield Used((many,), (sums,), "two open sizes", (1,), NEAR, others=sizes)


def _weights() -> Iterator[Used]:
    """Weights that are lent, copied, kept beside a graph or in it."""
    row = rand(2, 40)
    for kind in (np.float16, ml_dtypes.bfloat16, np.float64, np.int32):
        data, weight = (x.astype(kind) for x in (row, rand(30, 2, 40, low=-9, high=9)))
        why = f"weights of {np.dtype(kind).name}"
        unwritten = "litert" if kind == ml_dtypes.bfloat16 else ""
        moved = Step(binary.max_, (0, Const(weight)))
        yield Used((data,), (moved,), why, (1,), unwritten=unwritten)
    wide, tall = rand(40, 8000), rand(40, 8000, seed=1)
    for why, weights in (("as they lie", (wide, tall)), ("turned", (wide, tall.T.copy().T))):
        products = (Step(linear.mat_mul, (0, Const(w))) for w in weights)
        total = Step(binary.sub, (1, 2)), Step(reduce.reduce_max, (3, Const(i(1))))
        yield Used((row,), (*products, *total), f"large weights {why}", (4,), NEAR)


def _branch(name: str, weight: np.ndarray, operator: Operator[Any]) -> Model:
    model = Model(name)
    x = model.input("x", TensorType(Precision.FLOAT32, (2, 20)))
    model.outputs = [operator(x, model.constant(weight))]
    return model


def _inner() -> Iterator[Used]:
    """Weights of branches."""
    then, other = (_branch(n, rand(30, 2, 20, seed=k), binary.add) for k, n in enumerate("ab"))
    given: dict[str, Any] = {"then_model": then, "else_model": other}
    data = np.array(True), rand(2, 20)
    yield Used(data, (Step(control.if_, (0, 1), given),), "weights of branches", (2,), NEAR)


def _ends() -> Iterator[Used]:
    """Ends that are one another, that hold nothing, or whose sizes change to nothing."""
    twice = Step(binary.add, (0, 0))
    yield Used((rand(2, 3), i(4, 5)), (twice,), "inputs that are results", (1, 0, 2), NEAR)
    pair = rand(0, 3), rand(2, 3)
    other = Step(binary.add, (1, Const(rand(2, 3))))
    yield Used(pair, (twice, other), "nothing beside something", (2, 3), NEAR)
    sizes = [(rand(n, 3, seed=n),) for n in (2, 1, 4)]
    rest = Step(index.slice_, (1, Const(i(0)), Const(i(1)), Const(i(9)), None))
    data = Open(rand(3, 3), ("n", 3))
    yield Used((data,), (twice, rest), "rows behind the first", (1, 2), NEAR, others=sizes)
    none = np.zeros((0, 3), ml_dtypes.bfloat16)
    given = rand(2, 3).astype(ml_dtypes.bfloat16), none
    moved = Step(unary.neg, (0,)), Step(unary.neg, (1,))
    yield Used(given, moved, "nothing, bfloat16", (2, 3), unwritten="litert")
    for kind in (np.complex64, ml_dtypes.bfloat16):
        others = [(rand(n, 2, seed=n).astype(kind),) for n in (3, 1)]
        data = Open(rand(2, 2).astype(kind), ("n", 2))
        unwritten = "" if kind == np.complex64 else "litert"
        why = f"open rows of {np.dtype(kind).name}"
        steps = (Step(unary.neg, (0,)),)
        yield Used((data,), steps, why, (1,), others=others, unwritten=unwritten)


def _states() -> Iterator[Used]:
    """What is kept from call to call: a sum, a queue of rows."""
    total = Step(binary.add, (0, 1))
    twice = Step(binary.mul, (2, 2))
    yield Used((rand(2, 3), rand(2, 3, seed=1)), (total, twice), "a sum", (3, 2), NEAR, kept=True)
    joined = Step(shape.concat, (1, 0), {"axis": 0})
    rows = Step(index.slice_, (2, Const(i(0)), Const(i(1)), Const(i(5)), None))
    sums = Step(reduce.reduce_sum, (2, Const(i(0))), {"keepdim": False})
    steps = joined, rows, sums
    data = rand(1, 3), np.zeros((4, 3), np.float32)
    yield Used(data, steps, "a queue", (4, 3), NEAR, kept=True)


CHAINS = [*_used(), *_weights(), *_inner(), *_ends(), *_states()]
