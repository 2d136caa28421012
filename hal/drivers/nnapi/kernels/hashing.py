"""FarmHash's Fingerprint64 of many keys of one length, and projections by it.

Source: github.com/google/farmhash, `farmhashna::Hash64`. All arithmetic is that of 64 bits.
"""

from __future__ import annotations

import numpy as np

from .call import Call, Kernel, Results

K0 = np.uint64(0xC3A5C85C97CB3127)
K1 = np.uint64(0xB492B66FBE98F273)
K2 = np.uint64(0x9AE16A3B2F90404F)
SPARSE, DENSE = 1, 2
Pair = tuple[np.ndarray, np.ndarray]


def fingerprint(keys: np.ndarray) -> np.ndarray:
    """Fingerprint64 of rows of bytes as UINT64; each has the four bytes of a seed at least."""
    length = keys.shape[-1]
    with np.errstate(over="ignore"):
        if length <= 16:
            return _up_to_16(keys, length)
        if length <= 32:
            return _up_to_32(keys, length)
        if length <= 64:
            return _up_to_64(keys, length)
        return _long(keys, length)


def _word(keys: np.ndarray, place: int) -> np.ndarray:
    """Eight bytes from a place on, little-endian."""
    return np.ascontiguousarray(keys[..., place : place + 8]).view("<u8")[..., 0]


def _half(keys: np.ndarray, place: int) -> np.ndarray:
    four = np.ascontiguousarray(keys[..., place : place + 4]).view("<u4")[..., 0]
    return four.astype(np.uint64)


def _turn(x: np.ndarray, by: int) -> np.ndarray:
    return (x >> np.uint64(by)) | (x << np.uint64(64 - by))


def _mix(x: np.ndarray) -> np.ndarray:
    return x ^ (x >> np.uint64(47))


def _join(u: np.ndarray, v: np.ndarray, by: np.ndarray | np.uint64) -> np.ndarray:
    a = _mix((u ^ v) * by)
    return _mix((v ^ a) * by) * by


def _up_to_16(s: np.ndarray, length: int) -> np.ndarray:
    if length >= 8:
        by = K2 + np.uint64(2 * length)
        a, b = _word(s, 0) + K2, _word(s, length - 8)
        return _join(_turn(b, 37) * by + a, (_turn(a, 25) + b) * by, by)
    by = K2 + np.uint64(2 * length)
    head = np.uint64(length) + (_half(s, 0) << np.uint64(3))
    return _join(head, _half(s, length - 4), by)


def _up_to_32(s: np.ndarray, length: int) -> np.ndarray:
    by = K2 + np.uint64(2 * length)
    a, b = _word(s, 0) * K1, _word(s, 8)
    c, d = _word(s, length - 8) * by, _word(s, length - 16) * K2
    return _join(_turn(a + b, 43) + _turn(c, 30) + d, a + _turn(b + K2, 18) + c, by)


def _up_to_64(s: np.ndarray, length: int) -> np.ndarray:
    by = K2 + np.uint64(2 * length)
    a, b = _word(s, 0) * K2, _word(s, 8)
    c, d = _word(s, length - 8) * by, _word(s, length - 16) * K2
    y = _turn(a + b, 43) + _turn(c, 30) + d
    z = _join(y, a + _turn(b + K2, 18) + c, by)
    e, f = _word(s, 16) * by, _word(s, 24)
    g, h = (y + _word(s, length - 32)) * by, (z + _word(s, length - 24)) * by
    return _join(_turn(e + f, 43) + _turn(g, 30) + h, e + _turn(f + a, 18) + g, by)


def _weak(s: np.ndarray, place: int, a: np.ndarray, b: np.ndarray) -> Pair:
    """32 bytes with two seeds."""
    w, x, y, z = (_word(s, place + 8 * k) for k in range(4))
    a = a + w
    b = _turn(b + a + z, 21)
    c = a
    a = a + x + y
    b = b + _turn(a, 44)
    return a + z, b + c


def _long(s: np.ndarray, length: int) -> np.ndarray:
    """Blocks of 64 bytes, and the last 64 once more."""
    seed = np.uint64(81)
    zero = np.zeros(s.shape[:-1], np.uint64)
    y = zero + (seed * K1 + np.uint64(113))
    z = _mix(y * K2 + np.uint64(113)) * K2
    v, w = (zero, zero), (zero, zero)
    x = zero + seed * K2 + _word(s, 0)
    last = (length - 1) // 64 * 64
    for place in range(0, last, 64):
        x = _turn(x + y + v[0] + _word(s, place + 8), 37) * K1
        y = _turn(y + v[1] + _word(s, place + 48), 42) * K1
        x, y = x ^ w[1], y + v[0] + _word(s, place + 40)
        z = _turn(z + w[0], 33) * K1
        v = _weak(s, place, v[1] * K1, x + w[0])
        w = _weak(s, place + 32, z + w[1], y + _word(s, place + 16))
        z, x = x, z
    return _end(s, length, (x, y, z), v, w)


def _end(
    s: np.ndarray, length: int, xyz: tuple[np.ndarray, np.ndarray, np.ndarray], v: Pair, w: Pair
) -> np.ndarray:
    x, y, z = xyz
    by = K1 + ((z & np.uint64(0xFF)) << np.uint64(1))
    place = length - 64
    w = (w[0] + np.uint64((length - 1) & 63), w[1])
    v = (v[0] + w[0], v[1])
    w = (w[0] + v[0], w[1])
    x = _turn(x + y + v[0] + _word(s, place + 8), 37) * by
    y = _turn(y + v[1] + _word(s, place + 48), 42) * by
    x = x ^ w[1] * np.uint64(9)
    y = y + v[0] * np.uint64(9) + _word(s, place + 40)
    z = _turn(z + w[0], 33) * by
    v = _weak(s, place, v[1] * by, x + w[0])
    w = _weak(s, place + 32, z + w[1], y + _word(s, place + 16))
    z, x = x, z
    return _join(_join(v[0], w[0], by) + _mix(y) * K0 + z, _join(v[1], w[1], by) + x, by)


def lsh_projection(call: Call) -> Results:
    """A bit for each seed: whether the weighted sum of the hashes of all items is above 0.

    A key is the seed's bytes and an item's; the hash is read as a signed integer.
    """
    seeds, items = call.array("hash"), call.array()
    rows = np.ascontiguousarray(items).reshape(len(items), -1).view(np.uint8)
    weights = call.optional("weight")
    factors = np.ones(len(items)) if weights is None else weights.astype(np.float64)
    bits = np.zeros(seeds.shape, np.int32)
    for place in np.ndindex(seeds.shape):
        head = np.frombuffer(seeds[place].tobytes(), np.uint8)
        keys = np.concatenate([np.broadcast_to(head, (len(rows), 4)), rows], 1)
        hashes = fingerprint(keys).view(np.int64).astype(np.float64)
        bits[place] = (hashes * factors).cumsum()[-1] > 0
    if call.integer("type") == DENSE:
        return [bits.reshape(-1)]
    return [_pack(bits)]


def _pack(bits: np.ndarray) -> np.ndarray:
    """The bits of each function as one integer, the first one highest, behind those of others."""
    count = bits.shape[1]
    packed = np.zeros(len(bits), np.int64)
    for k in range(count):
        packed = packed << 1 | bits[:, k]
    return (packed + (np.arange(len(bits)) << count)).astype(np.int32)


KERNELS: dict[str, Kernel] = {"LSH_PROJECTION": lsh_projection}
