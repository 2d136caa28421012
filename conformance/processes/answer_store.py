"""Answers of origins that are kept between runs, by everything that they depend on."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import sqlite3
import struct
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from . import channel

ORIGINS_FILE, RUNS_FILE = "origins.sqlite", "runs.sqlite"
"""What origins answered, and what devices made of models."""

MOST = 1 << 20
"""Bytes of the largest answer that is kept."""

DAYS = 30
LARGEST = 1 << 30
"""Bytes of the largest file."""

SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, used INTEGER, reply BLOB) WITHOUT ROWID;
"""
Reply = tuple[dict[str, Any], list[np.ndarray]]


class AnswerStore:
    """Answers in a file that several processes share. A file that is damaged is begun anew; one
    that cannot be written keeps nothing. What nobody asked for in so many `days` goes, and all of
    it where the file is larger than `most` bytes."""

    def __init__(self, path: Path, days: int = DAYS, most: int = LARGEST) -> None:
        self.path, self.days, self.most = path, days, most

    @cached_property
    def _table(self) -> sqlite3.Connection | None:
        for _ in range(2):
            try:
                return self._open()
            except sqlite3.OperationalError:
                return None
            except (sqlite3.DatabaseError, OSError):
                with contextlib.suppress(OSError):
                    self.path.unlink()
        return None

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # one thread at a time asks, but not always the same
        table = sqlite3.connect(
            self.path, timeout=20, isolation_level=None, check_same_thread=False
        )
        table.executescript(SCHEMA)
        is_full = self.path.stat().st_size > self.most
        oldest = _today() + 1 if is_full else _today() - self.days
        table.execute("DELETE FROM answers WHERE used < ?", (oldest,))
        if is_full:
            table.execute("VACUUM")
        return table

    def get(self, key: bytes) -> Reply | None:
        """The answer that is kept under a key."""
        if self._table is None:
            return None
        with contextlib.suppress(sqlite3.Error):
            row = self._table.execute(
                "SELECT reply, used FROM answers WHERE key = ?", (key,)
            ).fetchone()
            if row is None:
                return None
            if row[1] != _today():
                self._table.execute("UPDATE answers SET used = ? WHERE key = ?", (_today(), key))
            with contextlib.suppress(EOFError, ValueError, TypeError, KeyError, struct.error):
                return _read(row[0])
        return None

    def put(self, key: bytes, head: dict[str, Any], arrays: Sequence[np.ndarray]) -> None:
        """Keep an answer, unless it is large."""
        if self._table is None or sum(a.nbytes for a in arrays) > MOST:
            return
        stream = io.BytesIO()
        channel.send(stream, head, list(arrays))
        with contextlib.suppress(sqlite3.Error):
            row = key, _today(), stream.getvalue()
            self._table.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", row)

    def close(self) -> None:
        """Close the file."""
        if "_table" in vars(self) and self._table is not None:
            self._table.close()


def key_of(origin: str, head: dict[str, Any], arrays: Sequence[np.ndarray], blob: bytes) -> bytes:
    """What an answer is kept under: who is asked, and all that it is asked."""
    digest = hashlib.sha256(origin.encode())
    digest.update(json.dumps(head, sort_keys=True).encode())
    for array in arrays:
        digest.update(f"{array.dtype.name} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(blob)
    return digest.digest()


def _read(reply: bytes) -> Reply | None:
    """What `put` wrote; None for a message that names files."""
    (size,) = channel.HEAD.unpack_from(reply)
    described = json.loads(reply[channel.HEAD.size :][:size])["arrays"]
    if any("file" in about for about in described):
        return None
    head, arrays, _ = channel.receive(io.BytesIO(reply))
    return head, arrays


def _today() -> int:
    return int(time.time() // 86_400)
