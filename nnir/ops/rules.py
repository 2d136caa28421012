"""What the type rules of several families share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dim import Dim, Expr
from ..errors import BadType
from ..model import Value
from ..operator import require
from ..types import MOST_AXES, TensorType

Shape = tuple[Dim, ...]


def carry_data(reference: Callable[..., Any]) -> Callable[..., np.ndarray | None]:
    """A `content` that moves dimensions of the first operand where the others are plain ints."""

    def content(input: Value, *others: Value | None, **attributes: Any) -> np.ndarray | None:
        if input.content is None:
            return None
        known = [None if v is None else v.known for v in others]
        if any(k is None and v is not None for k, v in zip(known, others, strict=True)):
            return None
        return np.asarray(reference(input.content, *known, **attributes), object)

    return content


def require_integers(value: Value | None, what: str) -> None:
    """BadType unless an operand of positions or sizes has an integer type."""
    if value is not None and not value.is_integer:
        raise BadType(f"{what} must be integers, not {value.type}")


def fresh(value: Value, rank: int) -> Shape:
    """A shape of which only the rank is known."""
    require(0 <= rank <= MOST_AXES, f"a tensor of rank {rank}")
    return tuple(value.model.fresh() for _ in range(rank))


def common_type(values: Sequence[Value], what: str) -> TensorType:
    """The type of the first of several tensors that must have one precision and one rank."""
    require(bool(values), f"{what} of no tensors")
    first = values[0].type
    for value in values[1:]:
        fits = value.precision == first.precision and value.rank == first.rank
        require(fits, f"{what} of {first} and {value.type}")
    return first


def common_dim(dims: Sequence[Dim], what: str) -> Dim:
    """The one size that several dimensions must have; known sizes win over symbols."""
    known = [d for d in dims if not isinstance(d, Expr)]
    if not known:
        return dims[0]
    require(all(d == known[0] for d in known), f"{what} with sizes {sorted(set(known))}")
    return known[0]
