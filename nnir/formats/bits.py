"""Elements narrower than a byte: a stream of bits, the first element in the lowest ones."""

from __future__ import annotations

import numpy as np

from nnir.types import Precision, precision_of

BITS = {
    Precision.UINT4: 4,
    Precision.INT4: 4,
    Precision.FLOAT4E2M1FN: 4,
    Precision.UINT2: 2,
    Precision.INT2: 2,
    Precision.FLOAT6E2M3FN: 6,
    Precision.FLOAT6E3M2FN: 6,
}
NIBBLE = 4
LOWEST = np.uint8(15)


def stored_size(precision: Precision, count: int) -> int:
    """How many bytes `count` elements take."""
    return (count * BITS.get(precision, precision.dtype.itemsize * 8) + 7) // 8


def pack(array: np.ndarray) -> np.ndarray:
    """The bytes of an array in C order, elements narrower than a byte packed."""
    raw = np.ascontiguousarray(array).reshape(-1)
    bits = BITS.get(precision_of(array.dtype))
    if bits is None:
        return raw.view(np.uint8)
    if bits == NIBBLE:
        codes = raw.view(np.uint8) & LOWEST
        if codes.size % 2:
            codes = np.append(codes, np.zeros(1, np.uint8))
        return np.asarray(codes[::2] | codes[1::2] << NIBBLE)
    stream = np.unpackbits(raw.reshape(-1, 1).view(np.uint8), 1, bits, "little")
    return np.packbits(stream.reshape(-1), bitorder="little")


def unpack(raw: np.ndarray, precision: Precision, count: int) -> np.ndarray:
    """The inverse of `pack`: a flat array of `count` elements, a view where bytes are elements."""
    bits = BITS.get(precision)
    if bits is None:
        return raw.view(precision.dtype)
    if bits == NIBBLE:
        codes = np.stack([raw & LOWEST, raw >> NIBBLE], axis=1).reshape(-1)[:count]
        return _number(codes, precision, bits)
    stream = np.unpackbits(raw, count=count * bits, bitorder="little").reshape(count, bits)
    return _number(np.packbits(stream, axis=1, bitorder="little").reshape(-1), precision, bits)


def _number(codes: np.ndarray, precision: Precision, bits: int) -> np.ndarray:
    """Elements by their bits, each in a byte of its own."""
    if precision.is_float:
        return codes.view(precision.dtype)
    values = codes.astype(np.int8)
    if precision in (Precision.INT4, Precision.INT2):
        values = np.where(values >= 1 << (bits - 1), values - (1 << bits), values)
    return values.astype(precision.dtype)
