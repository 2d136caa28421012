"""Windows over data of which a negative border cuts off something, beside one that adds to it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nnir.ops import conv, pool

from ...case import ROUNDS, Tolerance, rand
from .direct import DirectLimit
from .engine_rows import Row

CLOSE = Tolerance(1e-5, 1e-5)
PADS = (
    (-1, 0, 0, 0),
    (0, -1, 0, 0),
    (0, 0, 0, -2),
    (-1, 1, 0, 0),
    (1, -1, -1, 1),
    (-1, -1, -1, -1),
)
"""Before and after, axis by axis."""


def _windows() -> Iterator[Row]:
    data, taps, bias = rand(2, 2, 6, 7), rand(3, 2, 2, 3, seed=1), np.zeros(3, np.float32)
    for pads in PADS:
        how = {"strides": (1, 2), "pads": pads}
        why = f"pads {pads}"
        plain = how | {"dilations": (1, 1)}
        yield Row(conv.conv_2d, (data, taps, bias), plain, tol=CLOSE, why=why, opens=False)
        window = {"kernel_shape": (2, 3), **how}
        yield Row(pool.max_pool, (data,), window, why=why, opens=False)
        for count in (False, True):
            for ceil in (False, True):
                mean = window | {"count_include_pad": count, "ceil_mode": ceil}
                text = f"{why}, {count}, {ceil}"
                yield Row(pool.average_pool, (data,), mean, tol=ROUNDS, why=text, opens=False)


CASES = [*_windows()]
LIMITS: list[DirectLimit] = []
