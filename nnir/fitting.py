"""Whether shapes fit types whose sizes may have names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .dim import Expr, evaluate, symbols_of
from .types import TensorType


def named_sizes(types: Sequence[TensorType], shapes: Sequence[tuple[int, ...]]) -> dict[str, int]:
    """What each symbol is that stands alone as a size: the first one that it meets."""
    sizes: dict[str, int] = {}
    for type, shape in zip(types, shapes, strict=True):
        for dim, size in zip(type.shape, shape, strict=False):
            if isinstance(dim, Expr) and str(dim) in symbols_of(dim):
                sizes.setdefault(str(dim), size)
    return sizes


def is_of(type: TensorType, shape: tuple[int, ...], sizes: Mapping[str, int]) -> bool:
    """Whether a shape fits a type, as far as `sizes` say what its symbols are."""
    known = [evaluate(dim, sizes) for dim in type.shape]
    return len(known) == len(shape) and all(
        not isinstance(dim, int) or dim == size for dim, size in zip(known, shape, strict=True)
    )
