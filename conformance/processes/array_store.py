"""Named arrays in files: an oracle writes them as they are made, we map them one by one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401  makes NumPy know bfloat16 and its like by name
import numpy as np

Described = tuple[str, str, list[int]]
"""File name, precision and shape."""


class Writer:
    """In the worker: arrays by name into a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.saved: dict[str, Described] = {}

    def add(self, name: str, array: np.ndarray) -> None:
        """Write an array; of a name that comes twice the first is kept."""
        if name in self.saved or array.dtype.kind in "OSU":
            return
        file = f"{len(list(self.folder.iterdir()))}.bin"
        np.ascontiguousarray(array).tofile(self.folder / file)
        self.saved[name] = file, array.dtype.name, list(array.shape)


class Reader(Mapping[str, np.ndarray]):
    """Arrays of a folder by name; each is mapped when it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._saved: dict[str, Described] = {}

    def extend(self, saved: Mapping[str, Any]) -> None:
        """Know what a worker has written."""
        self._saved.update({k: (f, d, s) for k, (f, d, s) in saved.items()})

    def __getitem__(self, name: str) -> np.ndarray:
        file, dtype, shape = self._saved[name]
        kind = np.dtype(dtype)
        if not np.prod(shape, dtype=np.int64):
            return np.zeros(shape, kind)
        raw = np.memmap(self.folder / file, np.uint8, "r")
        return raw.view(np.ndarray).view(kind).reshape(shape)

    def __iter__(self) -> Any:
        return iter(self._saved)

    def __len__(self) -> int:
        return len(self._saved)

    def __contains__(self, name: object) -> bool:
        return name in self._saved
