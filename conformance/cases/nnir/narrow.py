"""Casts of types of a few bits, number by number: every code, what lies between, what is beyond."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from nnir.ops import unary
from nnir.types import Precision, precision_of

from ...case import rand
from .direct import DirectLimit
from .engine_rows import Row
from .engine_types import name_of

FLOATS: tuple[Any, ...] = (
    *(ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2),
    *(ml_dtypes.float8_e5m2fnuz, ml_dtypes.float8_e8m0fnu, ml_dtypes.float6_e2m3fn),
    *(ml_dtypes.float6_e3m2fn, ml_dtypes.float4_e2m1fn),
)
INTEGERS: tuple[Any, ...] = (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2)
BITS = {ml_dtypes.float6_e2m3fn: 6, ml_dtypes.float6_e3m2fn: 6, ml_dtypes.float4_e2m1fn: 4}
TARGETS = (Precision.FLOAT32, Precision.FLOAT16, Precision.INT32, Precision.BOOL8)


def _codes(kind: Any) -> np.ndarray:
    """Every number of a type."""
    if kind in INTEGERS:
        info = ml_dtypes.iinfo(kind)  # type: ignore[no-untyped-call]
        return np.arange(int(info.min), int(info.max) + 1).astype(kind)
    return np.arange(1 << BITS.get(kind, 8), dtype=np.uint8).view(kind)


def _decoded() -> Iterator[Row]:
    for kind in (*FLOATS, *INTEGERS):
        codes = _codes(kind)
        real = codes.astype(np.float32)
        for to in TARGETS:
            if to.is_integer:
                given = codes[np.isfinite(real) & (np.abs(real) < 1e9)]
            else:  # which numbers that are not normal are, some engines do not tell
                given = codes[(real == 0) | ~(np.abs(real) < np.finfo(np.float32).tiny)]
            why = f"every {name_of(kind)} to {to.name}"
            yield Row(unary.cast, (given,), {"dtype": to}, why=why, opens=False)


def _encoded() -> Iterator[Row]:
    """Each number, the middle between two, what is beside that, zeros and what is not finite."""
    back = ((unary.cast, (), {"dtype": Precision.FLOAT32}),)
    for kind in FLOATS:
        real = np.unique(_codes(kind).astype(np.float32))
        real = real[np.isfinite(real) & ((np.abs(real) > 1e-30) | (real == 0))]
        middle = real[:-1] + np.diff(real) / 2
        beside = [np.nextafter(middle, np.float32(end)) for end in (-np.inf, np.inf)]
        far = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 3e38, -3e38], np.float32)
        data = np.concatenate([real, middle, *beside, far]).astype(np.float32)
        how = {"dtype": precision_of(np.dtype(kind))}
        why = f"every step of {name_of(kind)}"
        yield Row(unary.cast, (data,), how, why=why, then=back, opens=False)
        half = np.unique(data[np.isnan(data) | (np.abs(data) < 6e4)].astype(np.float16))
        yield Row(unary.cast, (half,), how, why=f"{why}, of half", then=back, opens=False)


def _cut() -> Iterator[Row]:
    """Whole numbers of which only the lowest bits stay."""
    back = ((unary.cast, (), {"dtype": Precision.INT32}),)
    for kind in INTEGERS:
        how = {"dtype": precision_of(np.dtype(kind))}
        for source in (np.int8, np.uint8, np.int16, np.int32, np.int64):
            info = np.iinfo(source)
            spread = rand(9, dtype=np.int64, low=-1000, high=1000, seed=3)
            data = np.concatenate([[info.min, info.max, -1, 0, 1], spread]).astype(source)
            why = f"{name_of(source)} cut to {name_of(kind)}"
            yield Row(unary.cast, (data,), how, why=why, then=back, opens=False)


def _rounded() -> Iterator[Row]:
    """Floats of which the whole parts are cut; beyond 32 bits nothing is left."""
    back = ((unary.cast, (), {"dtype": Precision.INT32}),)
    data = np.array([0.6, -0.6, 1.9, -1.9, 7.5, -8.5, 99.5, -99.5, 65537, -65537], np.float32)
    for kind in INTEGERS:
        how = {"dtype": precision_of(np.dtype(kind))}
        why = f"floats cut to {name_of(kind)}"
        yield Row(unary.cast, (data,), how, why=why, then=back, opens=False)
        far = np.array([3e10, -3e10, 1], np.float32)
        yield Row(unary.cast, (far,), how, why=f"{why}, far", then=back, opens=False)


def _same_bits() -> Iterator[Row]:
    """The codes of 8 bits as those of other types."""
    wide = [kind for kind in FLOATS if kind not in BITS]
    for kind in wide:
        for other in (np.int8, np.uint8):
            codes = np.arange(256, dtype=np.uint8)
            to, back = ({"dtype": precision_of(np.dtype(k))} for k in (kind, other))
            given = codes.view(other)
            then = ((unary.bit_cast, (), back),)
            why = f"{name_of(other)} as {name_of(kind)}"
            yield Row(unary.bit_cast, (given,), to, why=why, then=then, opens=False)


CASES = [*_decoded(), *_encoded(), *_cut(), *_rounded(), *_same_bits()]
LIMITS: list[DirectLimit] = []
