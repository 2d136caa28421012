"""CRC-32 as zlib computes it, of large data on two cores."""

from __future__ import annotations

import threading
import zlib

LARGE = 1 << 24
"""Bytes from which on a second thread pays."""

POLYNOMIAL = 0xEDB88320
ONE = 1 << 31
"""The polynomial 1: the first bit is the coefficient of x ** 0."""

BYTE = ONE >> 8
"""x ** 8, by which one byte more multiplies what was before it."""


def crc32(data: bytes | memoryview, before: int = 0) -> int:
    """The checksum of bytes that follow others whose checksum is `before`."""
    if len(data) < LARGE:
        return zlib.crc32(data, before)
    view, half = memoryview(data), len(data) // 2
    found: list[int] = []
    second = threading.Thread(target=lambda: found.append(zlib.crc32(view[half:])))
    second.start()
    first = zlib.crc32(view[:half], before)
    second.join()
    return join(first, found[0], len(data) - half)


def join(first: int, second: int, size: int) -> int:
    """The checksum of two pieces from theirs; the second has so many bytes."""
    factor, power = ONE, BYTE
    while size:
        if size & 1:
            factor = _times(factor, power)
        power = _times(power, power)
        size >>= 1
    return _times(factor, first) ^ second


def _times(a: int, b: int) -> int:
    """The product of two polynomials of 32 bits each, modulo that of the checksum."""
    found = 0
    while a:
        if a & ONE:
            found ^= b
        a = a << 1 & 0xFFFFFFFF
        b = b >> 1 ^ POLYNOMIAL if b & 1 else b >> 1
    return found
