"""Memory for large results that is used again when nobody reads them any more.

To get as much from the system takes longer than to write it: its pages are cleared one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MOST = 2
"""So many are kept: one that an engine still holds, and the next."""


class Room:
    """Memory for results of one shape and element type."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype) -> None:
        self.shape, self.dtype = shape, dtype
        self.free: list[np.ndarray] = []

    def take(self) -> np.ndarray:
        """An array that is the caller's, as are all views of it."""
        try:
            memory = self.free.pop()
        except IndexError:
            memory = np.empty(self.shape, self.dtype)
        return np.asarray(_Lent(memory, self.free))


class _Lent:
    """What an array and all of its views are made of; with the last of them its memory is free."""

    def __init__(self, memory: np.ndarray, free: list[np.ndarray]) -> None:
        self.__array_interface__: dict[str, Any] = memory.__array_interface__
        self._memory, self._free = memory, free

    def __del__(self) -> None:
        if len(self._free) < MOST:
            self._free.append(self._memory)
