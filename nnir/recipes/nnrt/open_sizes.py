"""Sizes that are open in a model: they may be what an operation wants when it runs."""

from __future__ import annotations

from collections.abc import Sequence

from ... import build
from ...dim import Dim
from ...model import Value


def differ(a: Sequence[Dim], b: Sequence[Dim]) -> bool:
    """Whether shapes are known to be different."""
    pairs = zip(a, b, strict=False)
    known = [(x, y) for x, y in pairs if isinstance(x, int) and isinstance(y, int)]
    return len(a) != len(b) or any(x != y for x, y in known)


def with_sizes(value: Value, shape: Sequence[Dim], sizes: Sequence[build.Size]) -> Value:
    """A value whose open sizes are those of a shape; running fails where they are others."""
    return value if value.shape == tuple(shape) else build.reshape(value, sizes)
