"""What a model keeps from one call to the next: a name, and what it is before the first call."""

from __future__ import annotations

import numpy as np

from .records import dataclass

NEXT = ".next"
"""What the name of a state has behind it where it means what the next call reads."""


@dataclass(frozen=True)
class State:
    """A tensor that a model keeps.

    `name` is the source's. `initial` is never written to and may be a view into a file.
    """

    name: str
    initial: np.ndarray
