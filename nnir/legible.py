"""Text that is safe to show: names and messages come from files."""

from __future__ import annotations

import re

COMMANDS = (
    "[\x00-\x1f\x7f-\x9f"  # control characters: escape sequences begin with one of them
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what reorders the text around it
    "\u2028\u2029"  # ends of lines that are none to whoever counts lines
    "\ud800-\udfff]"  # halves of characters, which no file or terminal takes
)
"""What text for people never holds."""


def legible(text: str) -> str:
    """Text with what commands a terminal written out: `\\x1b`, `\\n`, `\\u202e`, `\\udc80`.

    What is legible stays as it is, so that doing it twice changes nothing.
    """
    return text if text.isprintable() else re.sub(COMMANDS, _written_out, text)


def _written_out(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode("ascii")
