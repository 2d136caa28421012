"""How an operator is defined: its type rule, a NumPy reference, and what else is true of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from .errors import BadType
from .model import Content, Operator, Value
from .schema import Pattern, Rule
from .types import TensorType

__all__ = [
    "Operator",
    "Pattern",
    "carry",
    "of_windows",
    "operator",
    "pairs",
    "require",
    "series",
]


class Definition:
    """A decorator that makes an operator of its type rule; see `operator`."""

    def __init__(self, **properties: Any) -> None:
        self.properties = properties

    @overload
    def __call__(self, rule: Callable[..., TensorType]) -> Operator: ...
    @overload
    def __call__(
        self, rule: Callable[..., tuple[TensorType, TensorType]]
    ) -> Operator[tuple[Value, Value]]: ...
    @overload
    def __call__(
        self, rule: Callable[..., tuple[TensorType, TensorType, TensorType]]
    ) -> Operator[tuple[Value, Value, Value]]: ...
    @overload
    def __call__(
        self, rule: Callable[..., tuple[TensorType, TensorType, TensorType, TensorType]]
    ) -> Operator[tuple[Value, Value, Value, Value]]: ...
    @overload
    def __call__(
        self, rule: Callable[..., tuple[TensorType, ...]]
    ) -> Operator[tuple[Value, ...]]: ...
    @overload
    def __call__(
        self, rule: Callable[..., TensorType | tuple[TensorType, TensorType]]
    ) -> Operator[Any]: ...
    def __call__(self, rule: Rule) -> Operator[Any]:
        return Operator(rule, **self.properties)


def operator(
    *,
    code: int,
    reference: Callable[..., Any],
    since: str = "v1",
    content: Content | None = None,
    is_random: bool = False,
    order: tuple[str, ...] | None = None,
    steps: Callable[[int, int], int] | None = None,
    pattern: Pattern = Pattern.COMBINING,
    commutes: bool = False,
) -> Definition:
    """Make an operator of a type rule.

    `code` is the standard's operation code, 1000 and above for extensions; `since` the version of
    the standard that has it; `content` carries the elements of small integer tensors symbolically;
    `is_random` keeps it from being computed while converting; `order` is the order of the operands
    in the standard where the signature cannot show it (a constant between two tensors); `steps`
    says what the reference costs, from the numbers of elements that it reads and makes, where that
    is more than to touch each once; `pattern` which elements a result depends on; `commutes` that
    its two operands may change places.
    """
    return Definition(
        code=code,
        reference=reference,
        since=since,
        content=content,
        is_random=is_random,
        order=order,
        steps=steps,
        pattern=pattern,
        commutes=commutes,
    )


def pairs(read: int, made: int) -> int:
    """Steps where every result depends on everything that is read, such as a matrix product."""
    return read * made


def of_windows(read: int, made: int) -> int:
    """Steps of what attributes alone decide, such as windows and borders of any size: too many."""
    return sys.maxsize


def series(read: int, made: int) -> int:
    """Steps where every result is the sum of a series."""
    return 32 * (read + made)


def carry(reference: Callable[..., Any]) -> Callable[..., np.ndarray | None]:
    """A `content` that runs `reference` on the contents when all of them are known."""

    def content(*inputs: Value | None, **attributes: Any) -> np.ndarray | None:
        contents = [None if v is None else v.content for v in inputs]
        if any(c is None and v is not None for c, v in zip(contents, inputs, strict=True)):
            return None
        return np.asarray(reference(*contents, **attributes), object)

    return content


def require(condition: bool, message: str, *values: object) -> None:
    """BadType with `message` unless `condition` holds; `values` stand for its `{}`, which are only
    made text then: types of values take as long to write as all the rest of a rule."""
    if not condition:
        raise BadType(message.format(*values) if values else message)
