"""The properties text of the standard: `KEY=value;KEY=value;`."""

from __future__ import annotations

from collections.abc import Mapping

from nnir.errors import BadInput


def parse(text: str) -> dict[str, str]:
    """Keys and values; BadInput for a part that is not `KEY=value`."""
    found: dict[str, str] = {}
    for part in filter(None, (p.strip() for p in text.split(";"))):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise BadInput(f"property {part!r}: write KEY=value; with a semicolon after each")
        found[key.strip()] = value.strip()
    return found


def integer(properties: Mapping[str, str], key: str) -> int | None:
    """The value of a property that is a whole number; None when it is not given."""
    if key not in properties:
        return None
    try:
        return int(properties[key])
    except ValueError:
        raise BadInput(f"property {key}={properties[key]!r} is not a whole number") from None
