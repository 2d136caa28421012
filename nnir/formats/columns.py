"""Vectors of tables of a flatbuffer, a field of all tables at a time.

To read a field of a `Table` takes as long as a hundred fields here, and graphs have thousands of
tables. Every place is checked, and what is read is counted, as there.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from nnir.errors import BadFile

from .flatbuffer import Bytes, Table


class Columns:
    """The tables of a vector: their fields by slot, absent ones by their default."""

    def __init__(self, data: Bytes, start: int, count: int) -> None:
        self._bytes = data
        self._whole = np.frombuffer(data.data, np.uint8)
        self._places = self._follow(start + 4 * np.arange(count, dtype=np.int64))
        layouts = self._places - self._read(self._places, "<i4")
        kinds, self._kinds = np.unique(layouts, return_inverse=True)
        self._layouts = [data.layout(place) for place in kinds.tolist()]

    def __len__(self) -> int:
        return len(self._places)

    def numbers(self, slot: int, dtype: str, default: int = 0) -> list[Any]:
        """A scalar of each table."""
        there, places = self._fields(slot)
        found = np.full(len(self), default, dtype)
        found[there] = self._read(places, dtype)
        numbers: list[Any] = found.tolist()
        return numbers

    def integers(self, slot: int, dtype: str = "<i4") -> list[list[int]]:
        """A vector of integers of each table."""
        starts, counts = self._vectors(slot)
        width = np.dtype(dtype).itemsize
        self._require(starts, counts * width)
        ends = np.cumsum(counts)
        first = starts - width * (ends - counts)  # of each vector, as if all lay behind each other
        places = np.repeat(first, counts) + width * np.arange(ends[-1] if len(ends) else 0)
        all_of_them = self._take(places, dtype).tolist()
        bounds = pairwise(accumulate(counts.tolist(), initial=0))
        return [all_of_them[a:b] for a, b in bounds]

    def texts(self, slot: int) -> list[str]:
        """A string of each table; what is no UTF-8 shows as question marks."""
        starts, counts = self._vectors(slot)
        self._require(starts, counts)
        data = self._bytes.data
        spans = zip(starts.tolist(), counts.tolist(), strict=True)
        return [bytes(data[a : a + n]).decode("utf-8", "replace") for a, n in spans]

    def spans(self, slot: int) -> list[tuple[int, int]]:
        """(start, count) of a vector of bytes of each table, which may end behind the file."""
        starts, counts = self._vectors(slot)
        return list(zip(starts.tolist(), counts.tolist(), strict=True))

    def tables(self, slot: int) -> list[Table | None]:
        """A table of each table."""
        there, places = self._fields(slot)
        found: list[Table | None] = [None] * len(self)
        rows: Iterable[tuple[int, int]] = zip(
            np.flatnonzero(there).tolist(), self._follow(places).tolist(), strict=True
        )
        for row, place in rows:
            found[row] = Table(self._bytes, place)
        return found

    def _fields(self, slot: int) -> tuple[np.ndarray, np.ndarray]:
        """Which tables have a field, and where it lies in these."""
        offsets = [layout[slot] if slot < len(layout) else 0 for layout in self._layouts]
        each = np.array(offsets, np.int64)[self._kinds]
        there = each != 0
        return there, (self._places + each)[there]

    def _vectors(self, slot: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the elements of a vector begin in each table, and how many there are."""
        there, places = self._fields(slot)
        starts, counts = np.zeros((2, len(self)), np.int64)
        places = self._follow(places)
        starts[there], counts[there] = places + 4, self._read(places, "<u4")
        return starts, counts

    def _follow(self, places: np.ndarray) -> np.ndarray:
        """Where the offsets that lie at places point to."""
        return places + self._read(places, "<u4")

    def _read(self, places: np.ndarray, dtype: str) -> np.ndarray:
        """The scalars at places, as integers of 64 bits where they are integers."""
        self._require(places, np.full(len(places), np.dtype(dtype).itemsize))
        return self._take(places, dtype)

    def _take(self, places: np.ndarray, dtype: str) -> np.ndarray:
        """As `_read`, of places that were checked."""
        kind = np.dtype(dtype)
        rows = self._whole[places[:, None] + np.arange(kind.itemsize)]
        found = rows.reshape(-1).view(kind)
        return found.astype(np.int64) if kind.kind in "iu" and kind.itemsize < 8 else found

    def _require(self, places: np.ndarray, sizes: np.ndarray) -> None:
        """BadFile unless so many bytes are at each place."""
        held = sizes > 0
        if (held & ((places < 0) | (places + sizes > self._bytes.size))).any():
            raise BadFile("damaged or truncated flatbuffer: tables that end behind it")
        self._bytes.spend(int(sizes.sum()))
