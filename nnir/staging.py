"""Folders for a while, and outputs that take their names together.

A folder is locked while its owner lives. One whose owner was killed is swept by the next run that
makes a folder in the same place: what was proved already takes its name, the rest is removed.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .errors import BadFile

LOCKS = sys.platform != "win32"
"""Whether folders can be locked; elsewhere age alone tells what is stale."""

if LOCKS:
    import fcntl

PREFIX = "nnadapter-"
STALE = re.compile(r"\.?nnadapter-[0-9a-f]{16}")
DAY = 24 * 3600.0
"""Seconds after which a folder is stale where the system knows no locks."""

COMMIT = "commit.json"
"""In a staging folder: the names that are moved, in order, each with the identity of the file that
it replaces. It exists once all are proved."""

ATTEMPTS = 100


@contextmanager
def temporary_folder(parent: Path | None = None, *, hidden: bool = False) -> Iterator[Path]:
    """A new folder in `parent` (the system's temporary folder), gone when the block ends.

    Raises BadFile where none can be made.
    """
    import shutil  # as tempfile, whoever writes nothing does without
    import tempfile

    place = Path(tempfile.gettempdir()) if parent is None else parent
    _sweep_once(place)
    folder, lock = _make(place, f".{PREFIX}" if hidden else PREFIX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _make(place: Path, prefix: str) -> tuple[Path, int | None]:
    """A folder and the descriptor that holds its lock."""
    for _ in range(ATTEMPTS):
        folder = place / f"{prefix}{os.urandom(8).hex()}"
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            continue
        except (OSError, ValueError) as error:
            raise _write_error(place, error) from None
        lock = _lock(folder) if LOCKS else None
        if not LOCKS or (lock is not None and folder.exists()):  # else a sweep took it
            return folder, lock
    raise BadFile(f"cannot make a folder in {str(place)!r}")


def _lock(folder: Path) -> int | None:
    """A descriptor that holds the lock of a folder; None where another process holds it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def sweep(place: Path) -> None:
    """Remove folders whose owners are gone; finish what they had proved."""
    with contextlib.suppress(OSError, ValueError):
        for entry in os.scandir(place):
            if STALE.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                _sweep_one(Path(entry.path))


@functools.cache
def _sweep_once(place: Path) -> None:
    """A process sweeps a place when it first makes a folder there."""
    sweep(place)


def _sweep_one(folder: Path) -> None:
    import json  # there is seldom anything to sweep
    import shutil

    with contextlib.suppress(OSError):
        about = folder.stat()
        if hasattr(os, "getuid") and about.st_uid != os.getuid():
            return
        lock = None
        if not LOCKS and time.time() - about.st_mtime < DAY:
            return
        if LOCKS and (lock := _lock(folder)) is None:
            return
        try:
            with contextlib.suppress(ValueError, TypeError, AttributeError):
                _move(folder, json.loads((folder / COMMIT).read_text(encoding="utf-8")))
        except FileNotFoundError:
            pass
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            if lock is not None:
                os.close(lock)


def _move(folder: Path, replaced: dict[str, list[int] | None]) -> None:
    """Give files of a staging folder their names beside it, but those that have them already.

    Nothing happens where one would replace a file that is not the one it was written for: the
    folder may come from elsewhere, or something else has been put there since.
    """
    names = [n for n in replaced if os.path.basename(n) == n and (folder / n).is_file()]
    found = [_identity(folder.parent / n) for n in names]
    if all(f is None or f == replaced[n] for n, f in zip(names, found, strict=True)):
        for name in names:
            os.replace(folder / name, folder.parent / name)


def _identity(path: Path) -> list[int] | None:
    """What tells a file from every other one; None where there is none."""
    try:
        about = path.lstat()
    except FileNotFoundError:
        return None
    return [about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns]


def require_place(target: Path) -> None:
    """BadFile where no file can be written at a path, as far as looking tells."""
    require_replaceable(target)
    if not os.access(target.parent, os.W_OK | os.X_OK):
        missing = "No such file or directory"
        why = "Permission denied" if target.parent.is_dir() else missing
        raise BadFile(f"cannot write {str(target)!r}: {why}")


def require_replaceable(target: Path) -> None:
    """BadFile where something has the name of a file to write that is no file, such as a device: a
    file is written beside it and would take its place for everybody."""
    if target.is_dir():
        raise BadFile(f"cannot write {str(target)!r}: it is a folder")
    if target.exists() and not target.is_file():
        raise BadFile(f"cannot write {str(target)!r}: it is a device or a pipe; name a file")


class Staging:
    """Files that are written aside, proved there, and then take their names together.

    `path` has the name of `target`, in a folder beside it, as do the files that a format puts
    beside its main one. Without `commit` nothing of all that is left. A context manager.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Staging:
        require_replaceable(self.target)
        try:
            parent = self.target.parent
            self.folder = self._stack.enter_context(temporary_folder(parent, hidden=True))
        except BadFile as error:
            raise BadFile(f"cannot write {str(self.target)!r}: {error}") from None
        self.path = self.folder / self.target.name
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def outputs(self) -> list[Path]:
        """Where the files that were written will lie, the main one last."""
        names = sorted(p.name for p in self.folder.iterdir())
        names.sort(key=lambda name: name == self.target.name)
        return [self.target.with_name(name) for name in names]

    def commit(self) -> list[Path]:
        """Give all files their names, replacing what has them; what there is now.

        Several files cannot take their names in one step: the old main file goes first and the new
        one comes last, so that no main file ever stands beside parts of another one. A process
        that is killed in between is finished by the next one (`sweep`).
        """
        import json  # few stage several files

        outputs = self.outputs()
        try:
            if len(outputs) > 1:
                text = json.dumps({path.name: _identity(path) for path in outputs})
                (self.folder / "commit").write_text(text, encoding="utf-8")
                os.replace(self.folder / "commit", self.folder / COMMIT)
                self.target.unlink(missing_ok=True)
            for path in outputs:
                os.replace(self.folder / path.name, path)
        except OSError as error:
            raise _write_error(self.target, error) from None
        return outputs


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the name `path` when the block ends without an error."""
    with Staging(path) as staging:
        try:
            file = staging.path.open("xb")
        except (OSError, ValueError) as error:
            raise _write_error(path, error) from None
        with file:
            yield file
        staging.commit()


def _write_error(path: Path, error: Exception) -> BadFile:
    return BadFile(f"cannot write {str(path)!r}: {getattr(error, 'strerror', None) or error}")
