"""What callers hand in, checked before it is used."""

from __future__ import annotations

import operator
import os
from pathlib import Path
from types import NoneType

from nnir.errors import BadCall


def show(thing: object) -> str:
    """A thing in a message; only its type where it has no words of its own."""
    try:
        return f"{thing!r:.80}"
    except Exception:  # noqa: BLE001  what a foreign `__repr__` raises; an int of 5000 digits
        return f"a {type(thing).__name__}"


def require_a(what: str, thing: object, *kinds: type) -> None:
    """BadCall for a thing that is of none of the kinds."""
    if not isinstance(thing, kinds):
        names = " or ".join("None" if k is NoneType else k.__name__ for k in kinds)
        raise BadCall(f"{what}: {show(thing)} is no {names}")


def require_path(what: str, thing: object) -> None:
    """BadCall for what cannot be a part of the path of a file; None is absent."""
    require_a(what, thing, str, Path, NoneType)
    try:
        encoded = os.fsencode(str(thing))
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise BadCall(f"{what}: {show(thing)} is no name of a file")


def whole(what: str, thing: object) -> int:
    """An integer of Python or NumPy as the first; BadCall for all else, a bool too."""
    try:
        number = operator.index(thing)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or isinstance(thing, bool):
        raise BadCall(f"{what}: {show(thing)} is no whole number")
    return number


def sizes(what: str, thing: object) -> tuple[int, ...]:
    """A list or tuple of whole numbers as a tuple; BadCall for all else."""
    require_a(what, thing, list, tuple)
    return tuple(whole(what, size) for size in thing)  # type: ignore[attr-defined]
