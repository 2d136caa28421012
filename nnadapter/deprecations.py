"""What goes away: since which version it warns, in which it is removed, and what to use instead.

One row of `DEPRECATIONS` for each, and `@deprecate("NAME")` or `warn_of("NAME")` where it is used.
`tests/nnadapter/test_deprecations.py` fails from the version on in which it should be gone. The
promise to users is docs/versioning.md.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from nnir.records import dataclass

P = ParamSpec("P")
R = TypeVar("R")
CALLER = 3
"""Frames up from `warnings.warn` to the code that uses what goes away."""


class GoesAway(DeprecationWarning):
    """Of ours: the command line shows it, as Python hides those of packages."""


@dataclass(frozen=True)
class Deprecation:
    """A name that users know, and what becomes of it."""

    name: str
    since: str
    removed_in: str
    instead: str

    def __str__(self) -> str:
        return (
            f"{self.name} is deprecated since nnadapter {self.since} and is removed in "
            f"{self.removed_in}: use {self.instead}"
        )


DEPRECATIONS: tuple[Deprecation, ...] = ()
"""All of them, the oldest first."""


def deprecate(
    name: str, rows: Iterable[Deprecation] | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: a function that warns when it is called, as the row of this name says."""
    row = find_row(name, rows)

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
            _warn(row)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def warn_of(name: str, rows: Iterable[Deprecation] | None = None) -> None:
    """Warn whoever calls the function that calls this, such as for an option that goes away."""
    _warn(find_row(name, rows))


def find_row(name: str, rows: Iterable[Deprecation] | None = None) -> Deprecation:
    """The row of a name; LookupError where there is none, which is a mistake of ours."""
    for row in DEPRECATIONS if rows is None else rows:
        if row.name == name:
            return row
    raise LookupError(f"{name!r} has no row in {__name__}.DEPRECATIONS")


def find_expired(version: str, rows: Iterable[Deprecation] = DEPRECATIONS) -> list[Deprecation]:
    """What should be gone in a version."""
    return [row for row in rows if numbers_of(version) >= numbers_of(row.removed_in)]


def numbers_of(version: str) -> tuple[int, ...]:
    """The numbers of a version, such as (0, 2, 0)."""
    return tuple(map(int, version.split(".")))


def _warn(row: Deprecation) -> None:
    warnings.warn(str(row), GoesAway, stacklevel=CALLER)
