"""Where kernels of engines end: largest numbers, windows over nothing, sizes made of others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np

from nnir.ops import linear, pool, shape, unary
from nnir.types import PadMode, Precision

from ...case import Const, Tolerance, i, rand, scalar
from .chains import Chain
from .direct import DirectCase, referred
from .graph import Open, Step

CLOSE = Tolerance(1e-5, 1e-5)
SIGNED = Tolerance(signed_zeros=True)
NARROW = (
    *(Precision.FLOAT8E4M3FN, Precision.FLOAT8E4M3FNUZ),
    *(Precision.FLOAT8E5M2, Precision.FLOAT8E5M2FNUZ),
)
WIDE = (np.float16, ml_dtypes.bfloat16, np.float64)


def _casts() -> Iterator[DirectCase]:
    """Next to what each 8-bit float holds: its largest number and its smallest one."""
    for to in NARROW:
        limits = ml_dtypes.finfo(to.dtype)  # type: ignore[no-untyped-call]
        largest, least = float(limits.max), float(limits.smallest_subnormal)
        step = largest - float(np.nextafter(limits.max, to.dtype.type(0)))
        near = (0, step / 4, step / 2, step / 2 + step / 16, step, largest)
        ends = [largest + n for n in near if largest + n < 6e4]
        small = [least * n for n in (0.25, 0.5, 0.53125, 1, 1.5)]
        line = [*ends, *small, np.inf]
        for wide in (np.float32, *(WIDE if to is NARROW[0] else ())):
            both = np.array([*line, *(-n for n in line), np.nan]).astype(wide)
            yield referred(unary.cast, (both,), {"dtype": to}, SIGNED, f"ends of {to.name}")


def _pools() -> Iterator[DirectCase]:
    """Windows that pass over all of the data, and windows of which nothing is said."""
    data = -np.abs(rand(1, 2, 3, 5))
    given: dict[str, Any] = {"kernel_shape": (2, 2), "dilations": (4, 1), "strides": (1, 1)}
    given |= {"pads": (1, 0, 1, 0)}
    yield referred(pool.max_pool, (data,), given, why="taps on both sides of the data")
    for counts, ceil in product((True, False), (True, False)):
        plain = {"kernel_shape": (2, 3), "pads": (1, 0, 0, 1), "ceil_mode": ceil}
        attrs = plain | {"count_include_pad": counts}
        why = f"neither steps nor dilations, counts {counts}, ceil {ceil}"
        yield referred(pool.average_pool, (data,), attrs, CLOSE, why)
        if counts:
            yield referred(pool.max_pool, (data,), plain, why=f"neither of both, ceil {ceil}")


CASES = [*_casts(), *_pools()]


def _of_nothing() -> Iterator[Chain]:
    """Borders around nothing are all that there is."""
    for first in (0, "n"):
        data = Open(np.zeros((0, 3), np.float32), (first, 3))
        border = Step(shape.pad, (0, Const(i(1, 2, 0, 1)), Const(scalar(2))))
        yield Chain((data,), (border,), why=f"a border around nothing, {first}")
    nothing = np.zeros((0, 3), np.float32)
    for mode in (PadMode.EDGE, PadMode.WRAP, PadMode.REFLECT):
        border = Step(shape.pad, (0, Const(i(0, 0, 1, 1)), None), {"mode": mode})
        yield Chain((nothing,), (border,), why=f"a border beside nothing, {mode.name}")


def _of_made_sizes() -> Iterator[Chain]:
    """Products over rows whose number is a product of open sizes, with one matrix and with many."""
    data = Open(rand(2, 3, 4), ("batch", "time", 4))
    flat = Step(shape.reshape, (0, Const(i(1, -1, 4))))
    for columns in ((1, 4, 5), (1, 4, 1)):
        product_of = Step(linear.mat_mul, (1, Const(rand(*columns))))
        yield Chain((data,), (flat, product_of), why=f"rows of a made size by {columns}")
    turned = Step(linear.mat_mul, (1, Const(rand(3, 5, 4))), {"transpose_y": True})
    yield Chain((data,), (flat, turned), why="rows of a made size, by three matrices")


CHAINS = [*_of_nothing(), *_of_made_sizes()]
