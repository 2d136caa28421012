"""A compiled file as interpreters take it: bytes, or a file that has no name.

LiteRT copies what it gets as bytes, which are held beside. A file it maps, each interpreter the
same pages, so that weights take no anonymous memory but in the form that kernels pack them to.
"""

from __future__ import annotations

import functools
import mmap
import tempfile
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from nnir.mapping import DESCRIPTORS

from .region import lay_out
from .writer import Part, Writer, append_weights, join_parts, write_parts

LEAST = 1 << 20
"""Bytes for which a file pays."""

Words = dict[str, bytes | str]
"""Arguments of an interpreter by their names."""


class Content:
    """The bytes of a file; `words` are the arguments by which an interpreter opens it. What is
    `mapped` lies there on pages of other files."""

    def __init__(
        self,
        data: bytes | memoryview,
        words: Words | None = None,
        mapped: Sequence[np.ndarray] = (),
    ) -> None:
        self.data, self.mapped = data, mapped
        self._words = words

    @property
    def words(self) -> Words:
        return self._file.words if self._words is None else self._words

    @functools.cached_property
    def _file(self) -> Content:
        return Content.of_parts([np.frombuffer(self.data, np.uint8)])

    @classmethod
    def of_bytes(cls, data: bytes) -> Content:
        return cls(data, {"model_content": data})

    @classmethod
    def of_path(cls, path: Path) -> Content:
        """Of a file that stays where it is."""
        return cls(b"", {"model_path": str(path)})

    @classmethod
    def in_memory(cls, writer: Writer) -> Content:
        """Of what a writer makes, for those that take it from memory as it lies there."""
        tables = writer.tables()
        try:
            data, mapped = lay_out(tables, writer.weights)
        except OSError:  # no memory to map, or another system
            return cls.of_parts(append_weights(tables, writer.weights))
        return cls(data, mapped=mapped)

    @classmethod
    def of_parts(cls, parts: Iterable[Part]) -> Content:
        """Of pieces that follow each other, in a file where they are many bytes and one can be
        made."""
        listed = list(parts)
        size = sum(p.nbytes if not isinstance(p, bytes) else len(p) for p in listed)
        if size < LEAST or not DESCRIPTORS.is_dir():
            return cls.of_bytes(join_parts(listed))
        try:
            file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as this does
            write_parts(file, listed)
            file.flush()
            view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except OSError:  # a full disk, or no folder for such files: memory must do
            return cls.of_bytes(join_parts(listed))
        made = cls(view, {"model_path": str(DESCRIPTORS / str(file.fileno()))})
        weakref.finalize(made, file.close)
        return made
