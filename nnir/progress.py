"""What long work tells whoever listens: which stage it is in, how far, and what it found out.

The command line listens (`nnadapter/progress.py`). Where nobody does, telling costs one look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

T = TypeVar("T")


class Listener(Protocol):
    """Who is told; stages lie inside each other."""

    def begin(self, text: str, total: int | None) -> None:
        """A stage begins, of so many steps where that is known."""

    def advance(self) -> None:
        """One more step of the innermost stage is done."""

    def end(self) -> None:
        """The innermost stage is over."""

    def note(self, text: str) -> None:
        """Something was found out, in words."""


_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let a listener hear what is told in here."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


@contextmanager
def stage(text: str, total: int | None = None) -> Iterator[None]:
    """A stage of long work, in the words of who waits: `reading net.onnx`."""
    listener = _LISTENER.get()
    if listener is None:
        yield
        return
    listener.begin(text, total)
    try:
        yield
    finally:
        listener.end()


def advance() -> None:
    """One more step of the innermost stage is done."""
    if (listener := _LISTENER.get()) is not None:
        listener.advance()


def follow(items: Sequence[T], text: str) -> Iterable[T]:
    """The items of a loop, each a step of a stage."""
    return items if _LISTENER.get() is None else _follow(items, text)


def _follow(items: Sequence[T], text: str) -> Iterator[T]:
    with stage(text, len(items)):
        for item in items:
            yield item
            advance()


def note(text: str) -> None:
    """Tell what a person who wants to know more reads: a frontend, a pass, a process."""
    if (listener := _LISTENER.get()) is not None:
        listener.note(text)
