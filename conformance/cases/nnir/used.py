"""Models that are used as users do: see `conformance.engines.uses`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from nnir.ops import activation, binary, compare, linear, pool, reduce, shape, unary

from ...case import Const, Tolerance, i, rand, scalar
from .chains import CONVOLVED, IMAGE, Chain, real, whole
from .graph import Open, Step

NEAR = Tolerance(relative=1e-4, absolute=1e-4)


@dataclass(frozen=True)
class Used(Chain):
    """A model whose program is called in every way; `others` are inputs of other sizes."""

    others: Sequence[tuple[np.ndarray, ...]] = ()

    def __str__(self) -> str:
        return f"{self.op}-used-{self.why}"


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
    yield Used((brains,), (Step(unary.neg, (0,)),), "bfloat16", (1,))
    truths = Step(compare.less, (0, 1)), Step(compare.where, (2, 0, 1))
    yield Used((rand(2, 3), rand(2, 3, seed=1)), truths, "truths", (2, 3))
    pairs = (rand(2, 3) + 1j * rand(2, 3, seed=1)).astype(np.complex64)
    yield Used((pairs,), (Step(binary.mul, (0, 0)),), "complex numbers", (1,), NEAR)
    sizes = [(rand(n, m, seed=n),) for n, m in ((2, 3), (1, 1), (4, 2))]
    sums = Step(reduce.reduce_sum, (0, Const(i(1))), {"keepdim": False})
    many = Open(rand(3, 4), ("n", "m"))
    yield Used((many,), (sums,), "two open sizes", (1,), NEAR, others=sizes)


CHAINS = [*_used()]
