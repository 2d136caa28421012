"""A file in memory, whose weights are pages of the files that they were read from.

Where a weight lies in its file says where it may lie here: pages are mapped as a whole. In front of
each there is its length, for which one page is the own of this memory.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import mmap
import os
import struct
from collections.abc import Callable, Sequence

import numpy as np

from nnir.mapping import LEAST_MAPPED, place_of, slabs

from .writer import ALIGNMENT, LARGEST, point_at

PAGE = mmap.PAGESIZE
LENGTH = struct.Struct("<I")
MAP_FIXED = 0x10
"""Linux's number, which Python does not name."""


def lay_out(
    tables: bytearray, weights: Sequence[np.ndarray]
) -> tuple[memoryview, list[np.ndarray]]:
    """The tables and behind them the weights, and those of them that are pages of their files;
    OSError where memory cannot be mapped."""
    starts, end = [], len(tables)
    places = [_place_of(w) for w in weights]
    for array, place in zip(weights, places, strict=True):
        start = _start(end, place)
        starts.append(start)
        end = start + array.nbytes
        if place is not None:
            end = _up(end, PAGE)  # what else lies on the last page is of the file
    if end > LARGEST:  # by what lies between weights, if not by these
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    point_at(tables, starts, end)
    memory = mmap.mmap(-1, max(end, 1), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    view = np.frombuffer(memory, np.uint8)
    for array, place, start in zip(weights, places, starts, strict=True):
        if place is None:
            _copy(array, view[start : start + array.nbytes])
        else:
            _map(view.ctypes.data + start, array.nbytes, *place)
    for array, start in zip(weights, starts, strict=True):
        LENGTH.pack_into(memory, start - LENGTH.size, array.nbytes)
    memory[: len(tables)] = bytes(tables)
    mapped = [w for w, place in zip(weights, places, strict=True) if place is not None]
    return memoryview(memory), mapped


def _start(end: int, place: tuple[int, int] | None) -> int:
    """Where a weight may begin behind `end`, with its length in front of it."""
    if place is None:
        return _up(end + LENGTH.size, ALIGNMENT)
    start = _up(end, PAGE) + place[1] % PAGE
    return start if place[1] % PAGE >= LENGTH.size else start + PAGE


def _up(place: int, step: int) -> int:
    return -(-place // step) * step


def _place_of(array: np.ndarray) -> tuple[int, int] | None:
    """The descriptor and the offset of a weight that is to be mapped."""
    place = place_of(array) if array.nbytes >= LEAST_MAPPED else None
    return None if place is None or place[1] % ALIGNMENT else place


def _copy(array: np.ndarray, target: np.ndarray) -> None:
    place = 0
    for slab in slabs(array):
        target[place : place + slab.nbytes] = slab.reshape(-1).view(np.uint8)
        place += slab.nbytes


def _map(address: int, size: int, descriptor: int, offset: int) -> None:
    """Put so many bytes of a file at an address, with what else lies on their pages."""
    before = offset % PAGE
    flags = mmap.MAP_PRIVATE | MAP_FIXED
    access = mmap.PROT_READ | mmap.PROT_WRITE
    found = _mmap()(address - before, size + before, access, flags, descriptor, offset - before)
    if found != address - before:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


@functools.cache
def _mmap() -> Callable[..., int | None]:
    """The system's own function: Python's maps nothing at an address."""
    function = ctypes.CDLL(None, use_errno=True).mmap
    function.restype = ctypes.c_void_p
    function.argtypes = (
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
    )  # fmt: skip
    return function
