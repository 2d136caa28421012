"""The worker's side: a loop that answers messages within limits and ends with who started it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import select
import shutil
import signal
import sys
import threading
import time
from importlib import import_module
from typing import Any, BinaryIO

import numpy as np

from nnir import sandbox

from . import channel, fork_loop
from .worker import FOLDER, LIMIT, REGISTERS

SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux: a signal for this process when the thread that started it ends."""

NO_ROOM = re.compile(
    r"can't allocate memory|OOM when allocating|Unable to allocate|bad_?alloc|"
    r"ResourceExhausted|[Oo]ut of memory|MemoryError"
)
"""What frameworks say when an allocation fails, instead of MemoryError."""


def limit_memory() -> None:
    """In the worker: let allocations beyond its own limit fail, before the system runs short."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    limit = int(os.environ.get(LIMIT) or 0) or most
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def end_with_parent() -> None:
    """In the worker: do not outlive who started it, even in the middle of a message."""
    parent = os.getppid()
    if sys.platform == "linux":  # the system sees to it, whatever this process is busy with
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL)

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        leave()
        os._exit(1)

    threading.Thread(target=look, name="parent", daemon=True).start()


def leave() -> None:
    """In the worker: take away the folder that it shares with who started it."""
    shutil.rmtree(os.environ.get(FOLDER, ""), ignore_errors=True)


def serve(answer: Any, *, idle: float | None = None) -> None:
    """The worker's loop: `answer(head, arrays, blob)` gives arrays, or a dictionary, or raises.

    After `idle` seconds without a message it ends; it is started again when it is needed.
    """
    if fork_loop.SERVER in os.environ:
        fork_loop.fork_when_asked()
    limit_memory()
    end_with_parent()
    sandbox.start_nothing()
    sandbox.collect_garbage()
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what frameworks print must not get between the messages
    for module in filter(None, os.environ.get(REGISTERS, "").split(",")):
        import_module(module)
    while is_asked(idle):
        try:
            head, arrays, blob = channel.receive(sys.stdin.buffer)
        except EOFError:
            break
        except MemoryError:
            channel.send(replies, {"memory": True}, [])
            break
        _answer(answer, (head, arrays, blob), replies)
    leave()


def is_asked(idle: float | None) -> bool:
    """Wait for a message; whether there is one (or the end of them) in time."""
    if idle is None or os.name != "posix":
        return True
    ready, _, _ = select.select([sys.stdin.buffer], [], [], idle)
    return bool(ready)


def _answer(answer: Any, message: tuple[Any, ...], replies: BinaryIO) -> None:
    """Answer one message, or say why not."""
    try:
        found = answer(*message)
        is_data = isinstance(found, dict)
        results = [] if is_data else [np.asarray(r) for r in found]
        data = {"data": found} if is_data else {}
        channel.send(replies, data, results, folder=os.environ.get(FOLDER))
    except MemoryError:
        channel.send(replies, {"memory": True}, [])
    except Exception as error:  # noqa: BLE001  whatever the framework says goes to the caller
        text = " ".join(f"{type(error).__name__}: {error}".split())[:500]
        no_room = NO_ROOM.search(text)
        channel.send(replies, {"memory": True} if no_room else {"error": text}, [])
