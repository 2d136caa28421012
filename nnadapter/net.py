"""The outer net: what the system refuses (files, memory, text) becomes an error of ours.

Only what no mistake of ours can cause: an AttributeError or a TypeError is one, and stays what it
is.
"""

from __future__ import annotations

import errno
import functools
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from nnir.errors import BadFile, NNAdapterError, OutOfMemory

P = ParamSpec("P")
R = TypeVar("R")
GONE = (errno.EPIPE, errno.ESHUTDOWN)
"""Whoever read what we print has left: that is no error of a file."""


@contextmanager
def caught(what: str = "") -> Iterator[None]:
    """Errors of the system as errors of ours; `what` is the file where the error names none."""
    try:
        yield
    except NNAdapterError:
        raise
    except OSError as error:
        if error.errno in GONE or isinstance(error, (ChildProcessError, TimeoutError)):
            raise
        name = error.filename if isinstance(error.filename, (str, bytes)) else what
        if error.filename2 is not None:
            name = error.filename2
        raise BadFile(f"{_name_prefix(name)}{error.strerror or error}") from error
    except MemoryError as error:
        raise OutOfMemory(f"{_name_prefix(what)}there is not enough memory") from error
    except UnicodeError as error:
        raise BadFile(f"{_name_prefix(what)}a text that is no text: {error}") from error
    except RecursionError as error:
        raise BadFile(f"{_name_prefix(what)}nested too deeply") from error


def _name_prefix(name: Any) -> str:
    return f"{os.fsdecode(name)!r}: " if name else ""


def guard(*paths: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: a function of the Python face; `paths` are its parameters that may be paths."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = functools.cache(lambda: inspect.signature(function))  # if it is called

        @functools.wraps(function)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
            given = signature().bind_partial(*args, **kwargs).arguments
            named = [os.fspath(given[n]) for n in paths if isinstance(given.get(n), (str, Path))]
            for path in named:
                if "\0" in path:
                    raise BadFile(f"{path!r} is no path: a NUL is in it")
            with caught(named[0] if named else ""):
                return function(*args, **kwargs)

        return wrapped

    return decorate
