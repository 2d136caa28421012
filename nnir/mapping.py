"""Files mapped into memory, and the way back from an array to the file that holds it."""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np

from .budget import open_file
from .errors import BadFile

Buffer: TypeAlias = bytes | mmap.mmap
"""The bytes of a file, read or mapped."""

Span: TypeAlias = tuple[int, int]
"""Where something begins and ends in a buffer."""

DESCRIPTORS = Path("/proc/self/fd")
"""Where open files can be opened again, whatever became of their names; some systems lack it."""

LEAST_MAPPED = 1 << 16
"""Bytes of an array from which on it pays to map it by itself."""

SLAB = 1 << 24
"""So many bytes of a strided array are copied at a time."""

SENT = 1 << 16
"""Bytes for which the kernel is asked to copy from file to file."""

TILE = 256
"""Rows and columns that are copied together."""


class MappedFile(mmap.mmap):
    """A read-only map of a whole file that keeps the file open.

    Its descriptor lets weights be copied from file to file by the kernel, without passing through
    memory.
    """

    descriptor: int

    def address(self) -> int:
        """Where the map begins in memory."""
        start: int = np.frombuffer(self, np.uint8, 1).__array_interface__["data"][0]
        return start


Notice = Callable[[Path], None]
NOTICES: ContextVar[tuple[Notice, ...]] = ContextVar("notices", default=())


@contextmanager
def opened_files(notice: Notice) -> Iterator[None]:
    """`notice` is told of each file before it is mapped inside of the block, as those that a model
    is read from are; it may refuse."""
    token = NOTICES.set((*NOTICES.get(), notice))
    try:
        yield
    finally:
        NOTICES.reset(token)


def map_file(path: Path) -> bytes | MappedFile:
    """The bytes of a file; BadFile when it cannot be read."""
    for notice in NOTICES.get():
        notice(path)
    descriptor = open_file(path)
    try:
        return map_descriptor(descriptor)
    except (OSError, ValueError) as error:
        raise BadFile(f"cannot map {str(path)!r}: {error}") from None


def map_descriptor(descriptor: int, access: int = mmap.ACCESS_READ) -> bytes | MappedFile:
    """The bytes of an open file, whose descriptor the map keeps; OSError or ValueError where it
    cannot be mapped, and it is closed."""
    try:
        size = os.fstat(descriptor).st_size
        mapped = MappedFile(descriptor, 0, access=access) if size else None
    except (OSError, ValueError):
        os.close(descriptor)
        raise
    if mapped is None:
        os.close(descriptor)
        return b""
    mapped.descriptor = descriptor
    weakref.finalize(mapped, os.close, descriptor)
    return mapped


def place_of(array: np.ndarray) -> tuple[int, int] | None:
    """The descriptor of the file that a contiguous array is a view of, and the offset there.

    None for other memory.
    """
    return file_of(array) if array.flags.c_contiguous else None


def file_of(array: np.ndarray) -> tuple[int, int] | None:
    """The descriptor of the file that an array is a view of, and the offset of its first element
    there, whatever its strides; None for other memory."""
    if array.flags.writeable:
        return None
    owner: object = array.base
    while isinstance(owner, np.ndarray):
        owner = owner.base
    if isinstance(owner, memoryview):
        owner = owner.obj
    if not isinstance(owner, MappedFile):
        return None
    return owner.descriptor, array.__array_interface__["data"][0] - owner.address()


def write_array(file: BinaryIO, array: np.ndarray) -> None:
    """Append the elements of an array to a file, by the kernel alone where they lie in a file."""
    if not array.nbytes:
        return
    place = place_of(array) if array.nbytes >= SENT else None
    if place is None or not _copy_by_kernel(file, *place, array.nbytes):
        for slab in slabs(array):
            file.write(slab.reshape(-1).view(np.uint8).data)


def slabs(array: np.ndarray) -> Iterator[np.ndarray]:
    """The elements of an array in order, as contiguous arrays; of a strided one a few rows each.

    Rows are copied in tiles, as those of a transposed matrix lie far apart: three times as fast.
    """
    if array.flags.c_contiguous or array.ndim < 2 or array.nbytes <= SLAB:
        yield np.ascontiguousarray(array)
        return
    rows = max(SLAB * len(array) // array.nbytes, 1)
    for first in range(0, len(array), rows):
        part = array[first : first + rows]
        made = np.empty(part.shape, part.dtype)
        for row in range(0, part.shape[0], TILE):
            for column in range(0, part.shape[1], TILE):
                tile = np.s_[row : row + TILE, column : column + TILE]
                made[tile] = part[tile]
        yield made


def _copy_by_kernel(target: BinaryIO, source: int, offset: int, size: int) -> bool:
    """Whether the kernel copied everything; nothing is written where it cannot."""
    if not hasattr(os, "sendfile"):
        return False
    target.flush()
    start = target.tell()
    done = 0
    try:
        while done < size:
            count = os.sendfile(target.fileno(), source, offset + done, size - done)
            if not count:
                raise BadFile("a file that weights are read from became shorter meanwhile")
            done += count
    except OSError:
        target.seek(start)
        return False
    target.seek(start + size)
    return True
