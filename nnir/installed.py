"""What installed packages say of themselves: entry points and versions.

`importlib.metadata` says both. It imports parsers of mail, archives and sockets first, which takes
longer than everything that is read: so what lies in folders is read here.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder

from .collector import import_paused
from .records import dataclass

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
        return functools.reduce(getattr, names, import_paused(self.module))


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
    for folder in _packages(path).values():
        yield from _points_of(os.path.join(folder, "entry_points.txt"))


@cache
def _packages(path: tuple[str, ...]) -> dict[str, str]:
    """Where each package tells of itself. Of one that is installed twice the first one counts, as
    for `importlib.metadata`."""
    found: dict[str, str] = {}
    for place in path:
        try:
            names = os.listdir(place or ".")
        except OSError:
            continue
        for about in filter(None, map(ABOUT.fullmatch, names)):
            found.setdefault(_as_package(about[1]), os.path.join(place or ".", about[0]))
    return found


def _as_package(name: str) -> str:
    """The same for every spelling of a package."""
    return re.sub(r"[-_.]+", "_", name).lower()


def _points_of(path: str) -> Iterator[EntryPoint]:
    group = ""
    for line in map(str.strip, _lines_of(path)):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group.startswith(OURS) and "=" in line and line[0] not in "#;":
            name, _, value = line.partition("=")
            yield EntryPoint(name.strip(), value.strip(), group)


def _lines_of(path: str) -> list[str]:
    """The lines of a file, none where there is no such file."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().splitlines()
    except OSError:
        return []


@cache
def version_of(package: str) -> str | None:
    """The version of an installed package, None where it is not installed."""
    folder = _packages(tuple(sys.path)).get(_as_package(package), "")
    for name in ("METADATA", "PKG-INFO"):
        for line in _lines_of(os.path.join(folder, name)) if folder else ():
            if not line:
                break  # behind the head is what the package says in prose
            key, _, value = line.partition(":")
            if key.lower() == "version":
                return value.strip()
    from importlib.metadata import PackageNotFoundError, version  # which knows other places too

    try:
        return version(package)
    except PackageNotFoundError:
        return None


@cache
def version_of_provider(package: str) -> str | None:
    """The version of a package, or the names and versions of others that bring its module, as
    onnxruntime-gpu does that of onnxruntime; None where nothing does."""
    found = version_of(package)
    if found is not None:
        return found
    from importlib.metadata import packages_distributions

    owners = sorted({*packages_distributions().get(_as_package(package), ())})
    return " ".join(f"{owner} {version_of(owner)}" for owner in owners) or None
