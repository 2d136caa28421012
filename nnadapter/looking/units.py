"""Numbers with the units that people read."""

from __future__ import annotations

from collections.abc import Mapping

THOUSAND, KILO = 1000, 1024


def scale(number: float, base: int, units: str) -> str:
    """A number of three digits with the unit that fits: `1.23 M`."""
    place = 0
    while abs(number) >= base and place < len(units):
        number, place = number / base, place + 1
    if not place:
        return f"{number:,.0f}"
    digits = 2 if number < 10 else 1 if number < 100 else 0
    return f"{number:.{digits}f} {units[place - 1]}"


def say_count(number: float | None) -> str:
    """A count in thousands: k, M, G, T, P."""
    return "?" if number is None else scale(number, THOUSAND, "kMGTP")


def say_bytes(number: float | None) -> str:
    """Bytes in KiB, MiB, ..."""
    if number is None:
        return "?"
    text = scale(number, KILO, "KMGTP")
    return f"{text}iB" if text[-1].isalpha() else f"{text} B"


def say_at(sizes: Mapping[str, int]) -> str:
    """The sizes that a number holds for."""
    return "at " + ", ".join(f"{n}={k}" for n, k in sizes.items()) if sizes else ""
