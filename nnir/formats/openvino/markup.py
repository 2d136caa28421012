"""XML as OpenVINO's own files have it: a tab a level, one element a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO

ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", '"': "&quot;"} | {chr(code): f"&#{code:02};" for code in range(32)}
)


class Markup:
    """Elements that are written as they come."""

    def __init__(self, file: TextIO) -> None:
        self.write = file.write
        self.tabs = ""
        self.write('<?xml version="1.0"?>\n')

    @contextmanager
    def inside(self, name: str, fields: Mapping[str, Any] | None = None) -> Iterator[None]:
        """An element around those that are written meanwhile, of which there is one."""
        self.write(f"{self.tabs}<{name}{spell(fields or {})}>\n")
        self.tabs += "\t"
        yield
        self.tabs = self.tabs[1:]
        self.write(f"{self.tabs}</{name}>\n")

    def add(self, name: str, fields: Mapping[str, Any] | None = None) -> None:
        """An element with nothing inside."""
        self.write(f"{self.tabs}<{name}{spell(fields or {})} />\n")

    def add_port(self, fields: Mapping[str, Any], sizes: list[str]) -> None:
        """A port with the sizes of its tensor."""
        if not sizes:
            self.add("port", fields)
            return
        lines = "".join(f"{self.tabs}\t<dim>{size}</dim>\n" for size in sizes)
        self.write(f"{self.tabs}<port{spell(fields)}>\n{lines}{self.tabs}</port>\n")


def spell(fields: Mapping[str, Any]) -> str:
    """Fields as text; what is no number is escaped."""
    return "".join(
        f' {k}="{v}"' if isinstance(v, int) else f' {k}="{v.translate(ESCAPES)}"'
        for k, v in fields.items()
    )
