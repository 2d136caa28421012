"""Casts of elements that OpenVINO does not compute in, by tables over their bytes."""

from __future__ import annotations

from functools import cache

import numpy as np

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.ops import unary
from nnir.ops.unary import BITS
from nnir.types import Precision

from .elements import CARRIED, HALF, HIGHEST, LOWEST, NAMES
from .emitter import Emitter, Ref

FLOAT32, INT32, UINT8 = Precision.FLOAT32, Precision.INT32, Precision.UINT8
CODES = np.arange(256, dtype=np.uint8)


def map_bytes(g: Emitter, codes: Ref, table: np.ndarray) -> Ref:
    """The entry of a table of 256 for each byte."""
    return g.gather(g.constant(table), codes.cast(INT32), 0)


def decode(g: Emitter, input: Value, to: Precision) -> Ref:
    """Carried elements as others, carried ones too."""
    codes = g.ref(input)
    if codes is None or (to not in NAMES and to not in CARRIED) or to == Precision.UINT32:
        raise NoLowering(f"openvino: cast of {input.type} to {to.name}")
    with np.errstate(all="ignore"):
        table = unary.cast.reference(CODES.view(input.dtype), dtype=to)
    if to in HALF:
        return map_bytes(g, codes, table.astype(np.float32)).cast(to)
    return map_bytes(g, codes, table)


def encode(g: Emitter, input: Value, to: Precision) -> Ref:
    """Plain elements as carried ones."""
    ref = g.ref(input)
    if ref is None or ref.precision == Precision.UINT32:
        raise NoLowering(f"openvino: cast of {input.type} to {to.name}")
    if not to.is_float:
        return _cut(g, ref, to)
    if to == Precision.FLOAT8E8M0FNU and input.precision in (FLOAT32, Precision.BFLOAT16):
        raise NoLowering(f"openvino takes numbers below 1.2e-38 for 0: cast to {to.name}")
    x = ref.cast(FLOAT32)
    bounds, codes = steps(to)
    made = g.node("Bucketize", x, g.constant(bounds), output_type="i32", with_right_bound=False)
    made = g.gather(g.constant(codes), made, 0)
    with np.errstate(all="ignore"):
        zero, lost = np.array([-0.0, np.nan], np.float32).astype(to.dtype).view(np.uint8)
    if zero != codes[np.searchsorted(bounds, np.float32(0), "right")]:
        made = g.where((1 / x < 0) & x.equal(0), g.constant(zero), made)
    return g.where(g.node("IsNaN", x), g.constant(lost), made)


def _cut(g: Emitter, ref: Ref, to: Precision) -> Ref:
    """The lowest bits of whole numbers; of floats beyond 32 bits as NumPy has them, 0."""
    if ref.is_float:
        x = ref.cast(FLOAT32)
        ref = g.where(abs(x) < -float(LOWEST), x, 0)
    whole = ref.cast(INT32)
    return (whole & ((1 << BITS[to]) - 1)).cast(UINT8)


@cache
def steps(to: Precision) -> tuple[np.ndarray, np.ndarray]:
    """Where a float32 begins to be another code, in order, and the codes, one more.

    Between two numbers that the type has, or beside its first and last, is one step at most. Each
    is found among the float32 in their order, so that ties and what overflows are as in NumPy.
    Numbers that are not normal, which OpenVINO takes for 0, are left out.
    """
    exact = CODES.view(to.dtype).astype(np.float32)
    small, large = np.finfo(np.float32).smallest_subnormal, np.finfo(np.float32).max
    ends = np.array([small, large, np.inf], np.float32)
    exact = np.concatenate([exact[np.isfinite(exact) & (exact != 0)], ends, -ends])
    places = np.unique(np.concatenate([_place(exact), [-1, 0]]))
    codes = _codes(places, to)
    changes = np.flatnonzero(codes[1:] != codes[:-1])
    low, high = places[changes], places[changes + 1]
    after = codes[changes + 1]
    while (high - low > 1).any():
        middle = (low + high) // 2
        beyond = _codes(middle, to) == after
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    bounds = _floats(high)
    normal = (bounds == 0) | (np.abs(bounds) >= np.finfo(np.float32).tiny)
    return bounds[normal], np.concatenate([codes[:1], after[normal]])


def _place(floats: np.ndarray) -> np.ndarray:
    """Where float32 are in their order; 0 is at 0 and -0 before it."""
    bits = floats.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -1 - (bits & HIGHEST), bits)


def _floats(places: np.ndarray) -> np.ndarray:
    bits = np.where(places < 0, (-1 - places) | (1 << 31), places)
    return bits.astype(np.uint32).view(np.float32)


def _codes(places: np.ndarray, to: Precision) -> np.ndarray:
    with np.errstate(all="ignore"):
        return _floats(places).astype(to.dtype).view(np.uint8)


def same_bits(g: Emitter, input: Value, to: Precision) -> Ref:
    """Bytes, or parts of them, as another type of the same width."""
    codes = g.ref(input)
    known = {Precision.INT8, UINT8, *CARRIED}
    if codes is None or not {input.precision, to} <= known:
        raise NoLowering(f"openvino has no bit cast of {input.type} to {to.name}")
    if input.precision == Precision.INT8:
        whole = codes.cast(INT32)
        codes = whole & 255
    return map_bytes(g, codes, unary.bit_cast.reference(CODES.view(input.dtype), dtype=to))
