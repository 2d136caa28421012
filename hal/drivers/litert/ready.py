"""Weights in the form that kernels read, in a file: whoever finds them there does not pack them.

The kernels write the file while the first model is compiled. Where it has no name it saves memory,
which the system may take from a file when it has to; beside a cache it saves the time as well. A
kernel that cannot write ends the process: so there is room for all of it before it begins.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from math import prod
from pathlib import Path
from typing import BinaryIO

import numpy as np

from nnir.budget import open_file
from nnir.checksum import crc32
from nnir.errors import BadFile
from nnir.mapping import DESCRIPTORS
from nnir.staging import replacing

from .library import AXES, KINDS, open_library
from .writer import Graph

LEAST = 1 << 20
"""Bytes of weights for which a file pays."""

BLOCK = 128
"""Kernels read weights in blocks, which are no larger than this along any axis."""

BESIDES = 1 << 24
"""Bytes for what a file holds besides weights."""


def room_of(graph: Graph) -> int | None:
    """So many bytes its weights take at most; None where an interpreter is to run the graph."""
    weights = [t.data for s in graph.steps for t in s.inputs if t.data is not None]
    size = sum({id(w): w.nbytes for w in weights}.values())
    if size < LEAST or graph.graphs() or open_library() is None:
        return None
    ends = (*graph.inputs, *graph.outputs)
    is_plain = len({*ends}) == len(ends) and all(
        t.data is None
        and t.kind is None
        and t.precision.dtype.name in KINDS
        and len(t.shape) <= AXES
        and all(type(d) is int and d > 0 for d in t.shape)
        for t in ends
    )
    return BESIDES + sum(map(_packed_bytes, weights)) if is_plain else None


def _packed_bytes(weights: np.ndarray) -> int:
    """The most that a kernel makes of weights, whose rows or columns it reads in blocks."""
    first, *rest = weights.shape or (1,)
    *others, last = first, *rest
    by_rows = _blocks(first) * _blocks(prod(rest)) * BLOCK
    return (by_rows + prod(others) * _blocks(last)) * BLOCK * max(weights.itemsize, 4)


def _blocks(count: int) -> int:
    return -(-max(count, 1) // BLOCK)


class ReadyFile:
    """A file of ready weights, as long as this object lives; whoever maps it has it longer."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        weakref.finalize(self, file.close)

    @classmethod
    def of_room(cls, room: int) -> ReadyFile | None:
        """One to be written; None where no file of so many bytes can be."""
        try:
            file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as this
        except OSError:
            return None
        if not has_room(file.fileno(), room):
            file.close()
            return None
        return cls(file)

    @classmethod
    def of_path(cls, path: Path, size: int, crc32: int) -> ReadyFile | None:
        """One that `save` wrote; None where it is not there, or holds something else."""
        try:
            found = cls(os.fdopen(open_file(path), "rb"))
        except (OSError, BadFile):
            return None
        return found if found.identity == {"size": size, "crc32": crc32} else None

    @property
    def size(self) -> int:
        return os.fstat(self.file.fileno()).st_size

    @property
    def identity(self) -> dict[str, int] | None:
        """What tells one from others; None for an empty one."""
        if not self.size:
            return None
        with mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
            return {"size": len(whole), "crc32": crc32(memoryview(whole))}

    def open(self) -> int:
        """A descriptor, which belongs to the kernels that get it: of an empty file one that can be
        written, else one that cannot, so that nobody overwrites what others read."""
        if not self.size:
            return os.dup(self.file.fileno())
        return os.open(DESCRIPTORS / str(self.file.fileno()), os.O_RDONLY)

    def save(self, path: Path) -> dict[str, int] | None:
        """Write a copy under a name; its identity. BadFile where it cannot be written."""
        found = self.identity
        if found is not None:
            with (
                mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ) as whole,
                replacing(path) as file,
            ):
                file.write(whole)
        return found


def has_room(descriptor: int, size: int) -> bool:
    """Whether an empty file may become so large; it is left empty."""
    import resource  # which some systems lack that get no further than `open_library`

    most, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    disk = os.fstatvfs(descriptor)
    free = disk.f_bavail * disk.f_frsize
    if size > (free if most == resource.RLIM_INFINITY else min(most, free)):
        return False
    if os.major(os.fstat(descriptor).st_dev):  # on a disk, which may have quotas, it costs nothing
        try:
            os.posix_fallocate(descriptor, 0, size)
            os.ftruncate(descriptor, 0)
        except OSError:
            return False
    return True
