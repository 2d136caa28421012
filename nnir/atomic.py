"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .errors import BadFile


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the name `path` when the block ends without an error."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    try:
        temporary = path.with_name(f".{path.name[:100]}.{os.urandom(8).hex()}")
        handle = os.open(temporary, flags | getattr(os, "O_BINARY", 0), 0o666)
    except (OSError, ValueError) as error:
        raise _refused(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        try:
            os.replace(temporary, path)
        except OSError as error:
            raise _refused(path, error) from None
    except BaseException:
        os.unlink(temporary)
        raise


def _refused(path: Path, error: Exception) -> BadFile:
    return BadFile(f"cannot write {str(path)!r}: {getattr(error, 'strerror', None) or error}")
