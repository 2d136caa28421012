"""The properties text of the standard: `KEY=value;KEY=value;`, with the environment behind it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from nnir.errors import BadCall
from nnir.spelling import suggest

OWN = "NNADAPTER_"
"""What properties of the runtime begin with, which every device may have."""


class Properties(Mapping[str, str]):
    """Properties of a context; a key that is not given is looked up in the environment.

    Iteration and length know the given ones only. `found` are those that a device has read,
    wherever they stood, and `asked` all that one looked for.
    """

    def __init__(self, given: Mapping[str, str]) -> None:
        self._given = dict(given)
        self.found: dict[str, str] = {}
        self.asked: set[str] = set()
        self._is_listed = False

    def __getitem__(self, key: str) -> str:
        self.asked.add(key)
        value = self._given.get(key) or environment(key)
        if value is None:
            raise KeyError(key)
        self.found[key] = value
        return value

    def __iter__(self) -> Iterator[str]:
        self._is_listed = True
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def require_known(self, others: Callable[[], Iterable[str]]) -> None:
        """BadCall for a property that no device has looked for, nor is among those of `others`."""
        unknown = [k for k in self._given if k not in self.asked]
        if self._is_listed or not unknown:  # whoever lists them may read any
            return
        known = sorted({k for k in self.asked if not k.startswith(OWN)} | {*others()})
        for key in unknown:
            if key not in known:
                near = suggest(key, known) or ";"
                raise BadCall(
                    f"no device has a property {key!r}{near} there are {', '.join(known)}"
                )


def environment(key: str) -> str | None:
    """A variable of the environment; None where it is not set or empty."""
    return os.environ.get(key) or None


def parse(text: str) -> Properties:
    """Keys and values; BadCall for a part that is not `KEY=value`."""
    found: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in text.split(";"))):
        key, _, value = (p.strip() for p in part.partition("="))
        if not key or not value or part.count("=") != 1:
            raise BadCall(f"property {part!r}: write KEY=value; with a semicolon after each")
        found[key] = value
    return Properties(found)


def integer(properties: Mapping[str, str], key: str) -> int | None:
    """The value of a property that is a whole number; None when it is not given."""
    if key not in properties:
        return None
    try:
        return int(properties[key])
    except ValueError:
        raise BadCall(f"property {key}={properties[key]!r} is not a whole number") from None


def flag(properties: Mapping[str, str], key: str, default: str = "0") -> bool:
    """Whether a property, or the default where it is not given, is neither `0` nor `false`."""
    return properties.get(key, default).lower() not in ("0", "false")
