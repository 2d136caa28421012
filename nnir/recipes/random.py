"""Seeds of random numbers."""

from __future__ import annotations

Seed = float | None
"""None asks for other numbers every time."""


def seed_of_pair(seed: int, seed2: int) -> Seed:
    """The seed of two attributes, as TensorFlow and TFLite have them.

    0 and 0 ask for other numbers every time.
    """
    return float(seed * 1_000_003 + seed2) if seed or seed2 else None
