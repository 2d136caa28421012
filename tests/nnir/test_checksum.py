"""CRC-32 of large data is zlib's."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from nnir import checksum


@pytest.mark.parametrize("size", [0, 1, 2, 3, 7, 64, 1000, 65537])
@pytest.mark.parametrize("before", [0, 1, 0xFFFFFFFF])
def test_it_is_that_of_zlib(monkeypatch: pytest.MonkeyPatch, size: int, before: int) -> None:
    monkeypatch.setattr(checksum, "LARGE", 2)
    data = np.random.default_rng(size).bytes(size)
    assert checksum.crc32(data, before) == zlib.crc32(data, before)
    assert checksum.crc32(memoryview(data)[size // 3 :]) == zlib.crc32(data[size // 3 :])


def test_large_data() -> None:
    data = np.random.default_rng(0).bytes(checksum.LARGE + 5)
    assert checksum.crc32(data, 7) == zlib.crc32(data, 7)
