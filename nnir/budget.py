"""What a file may cost: the one place that says what is opened, how much is made of it, and how
far it reaches.

Honest models are far below these numbers whatever their size, because weights are views into the
map of the file; what exceeds them is a small file that asks for much.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import numpy as np

from .errors import BadFile, Unsupported

SPARE = 1 << 26
REPEATS = 16
"""The arrays of a file may have so many times its bytes, and `SPARE` more: several names may share
a weight, and a weight may be stretched over an axis."""

LISTED = 1 << 20
"""Elements of a constant that become Python numbers: sizes, axes, positions, scales."""

DOCUMENT = 1 << 28
"""Bytes of a document that is read as a whole, such as a program in JSON."""

CONFIG = 1 << 24
"""Bytes of a text that a person writes."""

STEPS = 1 << 26
"""Elementary steps that one constant may cost when it is computed while converting (a tenth of a
second), and `MOST_STEPS` all of them."""

MOST_STEPS = 1 << 29
KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_file(path: Path) -> int:
    """A descriptor of a regular file; BadFile for pipes, devices and folders, without waiting."""
    flags = os.O_RDONLY
    for name in ("O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_BINARY"):
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        raise BadFile(f"cannot read {str(path)!r}: {error.strerror}") from None
    except ValueError as error:  # a NUL
        raise BadFile(f"cannot read {str(path)!r}: {error}") from None
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        kind = next((word for test, word in KINDS if test(mode)), "no file")
        raise BadFile(f"cannot read {str(path)!r}: it is {kind}, not a file")
    return descriptor


def read_head(path: Path, size: int) -> bytes:
    """The first bytes of a regular file; none of anything else."""
    try:
        descriptor = open_file(path)
    except BadFile:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        return file.read(size)


def read_file(path: Path, most: int = CONFIG) -> bytes:
    """The bytes of a small regular file."""
    with os.fdopen(open_file(path), "rb") as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise BadFile(f"{str(path)!r} has more than {most} bytes")
    return found


def require_document(size: int, what: str) -> None:
    """BadFile for a document that is too large to be read as a whole."""
    if size > DOCUMENT:
        raise BadFile(f"{what} has {size} bytes, {DOCUMENT} are read")


def beside(folder: Path, name: str | Path) -> Path:
    """A file of a model that lies in several; BadFile for one outside the folder, by links too."""
    root = Path(os.path.realpath(folder))
    if "\0" in str(name):
        raise BadFile(f"{str(name)!r} is no path: a NUL is in it")
    path = Path(os.path.realpath(root / name))
    if not path.is_relative_to(root):
        raise BadFile(f"{str(name)!r} lies outside the model's folder")
    return path


def numbers_of(array: np.ndarray) -> list[Any]:
    """The elements of a constant as Python numbers, flattened; Unsupported for too many."""
    if array.size > LISTED:
        raise Unsupported(f"a list made of a constant of {array.size} elements, {LISTED} are taken")
    found: list[Any] = array.reshape(-1).tolist()
    return found


class Arrays:
    """How many bytes the arrays of one file have together, counted where they are made."""

    def __init__(self, size: int) -> None:
        self._left = SPARE + REPEATS * size

    def spend(self, array: np.ndarray) -> np.ndarray:
        """The array; BadFile when all of them are much larger than the file."""
        self._left -= array.nbytes
        if self._left < 0:
            raise BadFile(
                f"a weight of {list(array.shape)}: the weights are much larger than the file"
            )
        return array
