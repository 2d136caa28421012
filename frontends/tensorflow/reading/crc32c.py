"""The checksum of TensorFlow's files: CRC-32C (RFC 3720, appendix B.4), masked as in LevelDB."""

from __future__ import annotations

import functools

import numpy as np

POLYNOMIAL = 0x82F63B78
MASK = 0xA282EAD8


@functools.cache
def _table() -> list[int]:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(POLYNOMIAL), table >> 1)
    found: list[int] = table.tolist()
    return found


def crc32c(data: bytes) -> int:
    """The checksum of some bytes."""
    table = _table()
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def unmask(stored: int) -> int:
    """A checksum as it is stored in a file that has checksums of checksums."""
    rotated = (stored - MASK) & 0xFFFFFFFF
    return ((rotated >> 17) | (rotated << 15)) & 0xFFFFFFFF
