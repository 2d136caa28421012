"""What somebody may have meant by a name that is not there."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 3


def suggest(name: str, known: Iterable[str]) -> str:
    """`: did you mean a, b?` for the names that are near, else nothing."""
    import difflib  # only where a name is not there

    by_letters = {k.casefold(): k for k in known}
    near = difflib.get_close_matches(name.casefold(), by_letters, MOST)
    return f": did you mean {', '.join(by_letters[n] for n in near)}?" if near else ""
