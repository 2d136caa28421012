"""Projections by FarmHash's Fingerprint64, written in the standard's integers of 64 bits.

Source: github.com/google/farmhash, `farmhashna::Hash64`; keys of up to 64 bytes.
"""

from __future__ import annotations

import numpy as np

from ..errors import Unsupported
from ..model import Value
from ..ops import compare, logic, reduce, shape, unary
from ..records import dataclass
from ..types import Precision

K0, K1, K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
SPARSE = 1
LARGEST = float(np.finfo(np.float32).max)
LONGEST = 64
WHOLE = 1 << 64
U64, F64 = Precision.UINT64, Precision.FLOAT64


@dataclass(frozen=True)
class Keys:
    """Keys of one length: the pieces that they consist of, each of so many bytes."""

    pieces: list[tuple[Value, int]]

    @property
    def length(self) -> int:
        return sum(width for _, width in self.pieces)

    def word(self, place: int, width: int = 8) -> Value:
        """Bytes from a place on, or from the end, little-endian."""
        first, found = place % self.length, None
        start = 0
        for value, size in self.pieces:
            if first <= start < first + width:
                part = value * (1 << 8 * (start - first))
                found = part if found is None else found | part
            start += size
        if found is None:
            raise Unsupported(f"keys of {self.length} bytes")
        return found


def fingerprint(keys: Keys) -> Value:
    """Fingerprint64 of keys that have at least the four bytes of a seed."""
    length = keys.length
    by = (K2 + 2 * length) % WHOLE
    if length < 8:
        head = keys.word(0, 4) * 8 + length
        return _join(head, keys.word(length - 4), by)
    if length <= 16:
        a, b = keys.word(0) + K2, keys.word(length - 8)
        return _join(_turn(b, 37) * by + a, (_turn(a, 25) + b) * by, by)
    first = K1 if length <= 32 else K2
    a, b = keys.word(0) * first, keys.word(8)
    c, d = keys.word(length - 8) * by, keys.word(length - 16) * K2
    y, other = _turn(a + b, 43) + _turn(c, 30) + d, a + _turn(b + K2, 18) + c
    if length <= 32:
        return _join(y, other, by)
    z = _join(y, other, by)
    e, f = keys.word(16) * by, keys.word(24)
    g, h = (y + keys.word(length - 32)) * by, (z + keys.word(length - 24)) * by
    return _join(_turn(e + f, 43) + _turn(g, 30) + h, e + _turn(f + a, 18) + g, by)


def _shift(x: Value, by: int, *, left: bool = False) -> Value:
    found: Value = logic.bit_shift(x, x.scalar(by), left=left)
    return found


def _turn(x: Value, by: int) -> Value:
    return _shift(x, by) | _shift(x, 64 - by, left=True)


def _mix(x: Value) -> Value:
    return x ^ _shift(x, 47)


def _join(u: Value, v: Value, by: int) -> Value:
    a = _mix((u ^ v) * by)
    return _mix((v ^ a) * by) * by


def bits_of(x: Value) -> Value:
    """The bits of FLOAT32 as UINT64: sign, exponent and fraction found by powers of two.

    Edges: every NaN has the bits of NumPy's.
    """
    wide = x.cast(F64)
    size = unary.abs_(wide)
    scaled, exponent = size, size * 0
    for step in (64, 32, 16, 8, 4, 2, 1):
        large = scaled >= 2.0**step
        scaled = compare.where(large, scaled * 2.0**-step, scaled)
        exponent = exponent + large.cast(F64) * step
    for step in (64, 32, 16, 8, 4, 2, 1):
        small = scaled < 2.0 ** (1 - step)
        scaled = compare.where(small, scaled * 2.0**step, scaled)
        exponent = exponent - small.cast(F64) * step
    normal = (exponent + 127) * 2.0**23 + (scaled - 1) * 2.0**23
    bits = compare.where(size < 2.0**-126, size * 2.0**149, normal)
    bits = compare.where(size > LARGEST, bits.scalar(0x7F800000), bits)
    negative = ((x < 0) | (1 / wide < 0)).cast(F64) * 2.0**31  # -inf, and -0.0
    whole = compare.where(compare.equal(x, x), bits + negative, bits.scalar(0x7FC00000))
    return whole.cast(U64)


def _pieces(x: Value) -> list[tuple[Value, int]]:
    """The elements of each item as UINT64, with their width in bytes."""
    count, *rest = x.sizes
    rows = shape.reshape(x, [count, int(np.prod(rest, dtype=int))])
    width = x.dtype.itemsize
    if 4 + width * rows.sizes[1] > LONGEST:
        raise Unsupported(f"a projection of items of {x.type}: keys of {LONGEST} bytes at most")
    bits = bits_of(rows) if x.is_float else rows.cast(U64) & ((1 << 8 * width) - 1)
    columns = shape.split(bits, [1] * bits.sizes[1], axis=1)
    parts = columns if isinstance(columns, tuple) else (columns,)
    return [(shape.reshape(c, [1, count]), width) for c in parts]


def project_by_hashes(
    hash: np.ndarray, input: Value, weight: Value | None = None, *, type: int
) -> Value:
    """A bit for each seed [functions, bits]: whether the weighted sum of the hashes of all items
    [items, ...] is above 0; of `type` SPARSE one number [functions] holds the bits of a function.
    """
    model = input.model
    functions, count = hash.shape
    seeds = np.ascontiguousarray(hash, np.float32).view(np.uint8).reshape(hash.size, 4, 1)
    head = [(model.constant(seeds[:, k].astype(np.uint64)), 1) for k in range(4)]
    signed = fingerprint(Keys([*head, *_pieces(input)])).cast(Precision.INT64).cast(F64)
    if weight is not None:
        signed = signed * weight.cast(F64)
    bits = (reduce.reduce_sum(signed, [1], keepdim=False) > 0).cast(Precision.INT32)
    if type != SPARSE:
        return bits
    places = np.array([1 << k for k in reversed(range(count))]).astype(np.int32)
    rows = shape.reshape(bits, [functions, count]) * model.constant(places)
    sums = reduce.reduce_sum(rows, [1], keepdim=False)
    offsets = (np.arange(functions, dtype=np.int64) << count).astype(np.int32)
    return sums + model.constant(offsets)
