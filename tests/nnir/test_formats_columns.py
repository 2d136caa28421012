"""Fields of all tables of a flatbuffer at once are those that each table has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nnir.errors import BadFile
from nnir.formats.columns import Columns
from nnir.formats.flatbuffer import Builder, Bytes, Table

NUMBER, SMALL, SIZES, LONGS, NAME, INNER, FLAG = range(7)
COUNT = 40


def written(seed: int) -> bytes:
    """A table of tables, of whose fields some are absent in each."""
    rng, builder = np.random.default_rng(seed), Builder()
    places = []
    for k in range(COUNT):
        make = {
            SIZES: lambda: builder.array(rng.integers(-9, 9, rng.integers(0, 30)).astype(np.int32)),
            LONGS: lambda: builder.array(rng.integers(-9, 9, rng.integers(0, 4)).astype(np.int64)),
            NAME: lambda k=k: builder.text(f"name {k}" * int(rng.integers(0, 3))),
            INNER: lambda k=k: builder.table({}, {0: ("i", k)}),
        }
        offsets = {slot: build() for slot, build in make.items() if rng.random() < 0.7}
        numbers: dict[int, tuple[str, Any]] = {
            NUMBER: ("I", int(rng.integers(1 << 32))),
            SMALL: ("b", int(rng.integers(-128, 128))),
            FLAG: ("?", bool(rng.integers(2))),
        }
        kept = {slot: n for slot, n in numbers.items() if rng.random() < 0.7}
        places.append(builder.table(offsets, kept))
    return bytes(builder.finish(builder.table({0: builder.tables(places)}), b"TEST"))


def by_tables(data: bytes) -> list[list[Any]]:
    tables = Bytes(data).root().tables(0)
    return [
        [t.number(NUMBER, "I", 7) for t in tables],
        [t.number(SMALL, "b") for t in tables],
        [t.integers(SIZES) for t in tables],
        [t.integers(LONGS, "<i8") for t in tables],
        [t.text(NAME) for t in tables],
        [t.span(NAME) for t in tables],
        [number_of(t.table(INNER)) for t in tables],
        [t.number(FLAG, "?", False) for t in tables],
    ]


def by_columns(data: bytes) -> list[list[Any]]:
    buffer = Bytes(data)
    columns = Columns(buffer, *buffer.root().span(0, 4))
    assert len(columns) == len(buffer.root().tables(0))
    return [
        columns.numbers(NUMBER, "<u4", 7),
        columns.numbers(SMALL, "i1"),
        columns.integers(SIZES),
        columns.integers(LONGS, "<i8"),
        columns.texts(NAME),
        columns.spans(NAME),
        [number_of(t) for t in columns.tables(INNER)],
        [bool(n) for n in columns.numbers(FLAG, "u1")],
    ]


def number_of(table: Table | None) -> int | None:
    return None if table is None else int(table.number(0, "i"))


@pytest.mark.parametrize("seed", range(5))
def test_columns_are_what_tables_have(seed: int) -> None:
    data = written(seed)
    assert by_columns(data) == by_tables(data)


def test_no_tables() -> None:
    builder = Builder()
    data = bytes(builder.finish(builder.table({0: builder.tables([])}), b"TEST"))
    assert by_columns(data) == [[]] * 8


@pytest.mark.parametrize("seed", range(300))
def test_damaged_bytes_are_refused_or_read_as_by_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = bytearray(written(0))
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(len(data)))
        data[place] = int(rng.choice([0, 1, 127, 128, 255, rng.integers(256)]))
    changed = bytes(data[: int(rng.integers(len(data) // 2, len(data) + 1))])
    try:
        wanted = by_tables(changed)
    except BadFile:
        with pytest.raises(BadFile):
            by_columns(changed)
        return
    assert by_columns(changed) == wanted
