"""What installed packages say of themselves: entry points and versions.

`importlib.metadata` says both. It imports parsers of mail, archives and sockets first, which takes
longer than everything that is read: so entry points in folders are read here.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder

OURS = "nnadapter."
"""How the groups begin that are read."""

ABOUT = re.compile(r"([^-]+)(-.*)?\.(dist|egg)-info")
"""A folder in which an installed package tells of itself."""


@dataclass(frozen=True, order=True)
class EntryPoint:
    """An object that a package names for a group, as `importlib.metadata.EntryPoint`."""

    name: str
    value: str
    group: str

    @property
    def module(self) -> str:
        """The name of the module that has the object."""
        return self.value.partition("[")[0].partition(":")[0].strip()

    def load(self) -> object:
        """Import the object."""
        attributes = self.value.partition("[")[0].partition(":")[2]
        names = filter(None, attributes.strip().split("."))
        return functools.reduce(getattr, names, import_module(self.module))


def points(group: str) -> list[EntryPoint]:
    """The entry points of a group, one that begins with "nnadapter."; the files of all installed
    packages are read once."""
    return [p for p in _all_points(tuple(sys.path)) if p.group == group]


@cache
def _all_points(path: tuple[str, ...]) -> list[EntryPoint]:
    others = [f for f in sys.meta_path if f is not PathFinder and hasattr(f, "find_distributions")]
    if others or any(os.path.isfile(place) for place in path):
        from importlib.metadata import entry_points  # which knows archives and other finders

        return [
            EntryPoint(p.name, p.value, p.group)
            for group in entry_points().groups
            if group.startswith(OURS)
            for p in entry_points(group=group)
        ]
    return list(_points_in_folders(path))


def _points_in_folders(path: tuple[str, ...]) -> Iterator[EntryPoint]:
    """Of packages that are installed twice the first one counts, as for `importlib.metadata`."""
    seen = set()
    for place in path:
        try:
            names = os.listdir(place or ".")
        except OSError:
            continue
        for found in filter(None, map(ABOUT.fullmatch, names)):
            package = re.sub(r"[-_.]+", "_", found[1]).lower()
            if package not in seen:
                seen.add(package)
                yield from _points_of(os.path.join(place or ".", found[0], "entry_points.txt"))


def _points_of(path: str) -> Iterator[EntryPoint]:
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line.strip() for line in file]
    except OSError:
        return
    group = ""
    for line in lines:
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group.startswith(OURS) and "=" in line and line[0] not in "#;":
            name, _, value = line.partition("=")
            yield EntryPoint(name.strip(), value.strip(), group)


@cache
def version_of(package: str) -> str | None:
    """The version of an installed package, None where it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # only caches ask

    try:
        return version(package)
    except PackageNotFoundError:
        return None
