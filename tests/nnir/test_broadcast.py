"""Sizes that are known to be different, and those of which nobody can tell yet."""

from __future__ import annotations

from nnir.broadcast import shapes_differ
from nnir.dim import symbol

A, B = symbol("a"), symbol("b")


def test_what_is_known_to_differ() -> None:
    assert shapes_differ((2, 3), (2, 4))
    assert shapes_differ((2,), (2, 1))


def test_what_may_be_equal_does_not() -> None:
    assert not shapes_differ((2, 3), (2, 3))
    assert not shapes_differ((A, 3), (2, 3))
    assert not shapes_differ((A,), (B,))
