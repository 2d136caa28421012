"""Elements of XML, written as OpenVINO's own files are: a tab a level."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    | {chr(code): f"&#{code:02};" for code in range(32)}
)
DASHED = frozenset({"from_layer", "from_port", "to_layer", "to_port"})
"""Fields that have `-` for `_` in files."""


class Element:
    """An element with its fields, and its children or a text."""

    def __init__(self, name: str, /, **fields: Any) -> None:
        self.name = name
        self.fields: dict[str, Any] = fields
        self.children: list[Element] = []
        self.text = ""

    def add(self, name: str, /, **fields: Any) -> Element:
        """A new child."""
        made = Element(name, **fields)
        self.children.append(made)
        return made

    def lines(self, level: int = 0) -> Iterator[str]:
        """The element as text, line by line."""
        head = "".join(f' {_spelt(k)}="{escape(str(v))}"' for k, v in self.fields.items())
        tab = "\t" * level
        if self.text:
            yield f"{tab}<{self.name}{head}>{self.text}</{self.name}>\n"
        elif not self.children:
            yield f"{tab}<{self.name}{head} />\n"
        else:
            yield f"{tab}<{self.name}{head}>\n"
            for child in self.children:
                yield from child.lines(level + 1)
            yield f"{tab}</{self.name}>\n"


def _spelt(name: str) -> str:
    return name.replace("_", "-") if name in DASHED else name


def escape(text: str) -> str:
    """A text as a field may hold it."""
    return text.translate(ESCAPES)
