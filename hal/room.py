"""Memory for large results that is used again when nobody reads them any more.

To get as much from the system takes longer than to write it: its pages are cleared one by one.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

MOST = 2
"""So many are kept: one that an engine still holds, and the next."""

LEAST = 1 << 16
"""Bytes from which on that pays: the system's allocator asks anew for what is larger, or gives it
back each time."""

SLACK = 4
"""New memory is larger by the fourth part: results that grow from call to call, as caches do, find
room in it. What is not written takes none of the system's."""


class Room:
    """Memory for results of one element type."""

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype
        self.free: list[np.ndarray] = []

    def take(self, shape: tuple[int, ...]) -> np.ndarray:
        """An array that is the caller's, as are all views of it."""
        size = prod(shape) * self.dtype.itemsize
        lent = np.asarray(_Lent(self._find(size), size, self.free))
        return lent.view(self.dtype).reshape(shape)

    def copy(self, array: np.ndarray) -> np.ndarray:
        """The elements of an array of this type, as an array that is the caller's."""
        if array.nbytes < LEAST:
            return array.copy()
        made = self.take(array.shape)
        np.copyto(made, array)
        return made

    def _find(self, size: int) -> np.ndarray:
        """Memory for so many bytes. What is free and of no use for these will hardly be again."""
        try:
            while True:
                memory = self.free.pop()
                if size <= memory.size <= 2 * size:
                    return memory
        except IndexError:
            return np.empty(size + size // SLACK, np.uint8)


class _Lent:
    """What an array and all of its views are made of; with the last of them its memory is free."""

    def __init__(self, memory: np.ndarray, size: int, free: list[np.ndarray]) -> None:
        self.__array_interface__: dict[str, Any] = memory[:size].__array_interface__
        self._memory, self._free = memory, free

    def __del__(self) -> None:
        if len(self._free) < MOST:
            self._free.append(self._memory)
