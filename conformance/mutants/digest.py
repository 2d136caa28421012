"""Letters that stand for the row of a case."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np


def digest(given: Any) -> str:
    """A few letters that stand for data with arrays in it."""
    state = hashlib.sha256()
    _feed(state, given)
    return state.hexdigest()[:24]


def _feed(state: Any, given: Any) -> None:
    match given:
        case np.ndarray():
            state.update(f"{given.dtype.name}{given.shape}".encode())
            state.update(np.ascontiguousarray(given).reshape(-1).view(np.uint8).data)
        case list() | tuple():
            state.update(f"{type(given).__name__}{len(given)}".encode())
            for part in given:
                _feed(state, part)
        case Mapping():
            _feed(state, list(given.items()))
        case _ if hasattr(given, "__dataclass_fields__"):
            state.update(type(given).__name__.encode())
            _feed(state, [getattr(given, name) for name in given.__dataclass_fields__])
        case _ if callable(given):
            state.update(getattr(given, "__qualname__", type(given).__name__).encode())
        case _:
            state.update(repr(given).encode())
