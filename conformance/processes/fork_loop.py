"""The side of a fork server: it waits with a framework imported, and forks a worker when asked.

A worker module reaches this through `worker_loop.serve`, behind its imports. It returns in the
copies only, each of which then is what a worker is that has just imported its framework: with the
environment, folder, pipes and session of its own, confined to that folder.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import struct
import tempfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from nnir import sandbox

SERVER = "NNADAPTER_FORK_SERVER"
"""Names the descriptor on which a server is asked; set in servers alone."""

IMPORTS = "NNADAPTER_FORK_IMPORTS"
"""Modules that a server imports beside those of the worker's module."""

FOLDER = "NNADAPTER_WORKER_FOLDER"
"""Where large arrays are put."""

THREADS = (b"OPENBLAS_NUM_THREADS", b"GOTO_NUM_THREADS", b"OMP_NUM_THREADS")
"""Variables that say how many threads OpenBLAS has."""

STATUS = struct.Struct("<q")
"""What a server says of a copy: its number, and when it has ended its status."""

PIPES = 3
"""Input, output and errors of a worker."""

MOST_BYTES = 1 << 18
IDLE = 120.0
"""Seconds without a copy and a question after which a server ends."""


class Copy(NamedTuple):
    """A worker that was forked: its number, a descriptor of the process, and the socket that ends
    with whoever asked for it."""

    pid: int
    process: int
    life: socket.socket


class Copies:
    """The workers that a server forked, and what it waits for."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._running: dict[int, Copy] = {}
        self._ended: dict[int, Copy] = {}
        self._waiting = select.poll()
        self._waiting.register(control, select.POLLIN)

    def wait(self) -> bool:
        """Until there is a request. False where nobody asks any more."""
        while True:
            ready = self._waiting.poll(IDLE * 1000)
            if not ready and not self._running:
                return False
            for descriptor, _ in ready:
                if descriptor in self._running:
                    self._tell(self._running.pop(descriptor))
                elif descriptor in self._ended:
                    self._forget(self._ended.pop(descriptor))
            if any(descriptor == self._control.fileno() for descriptor, _ in ready):
                return True

    def add(self, pid: int, life: socket.socket) -> None:
        """Say of a copy which process it is, and wait for its end."""
        copy = Copy(pid, os.pidfd_open(pid), life)
        self._running[copy.process] = copy
        self._waiting.register(copy.process, select.POLLIN)
        with suppress(OSError):
            life.send(STATUS.pack(pid))

    def close(self) -> None:
        """In a copy: leave nothing open of the server's and of the others."""
        self._control.close()
        for other in (*self._running.values(), *self._ended.values()):
            other.life.close()
            os.close(other.process)

    def _tell(self, copy: Copy) -> None:
        """Say that a copy has ended. Its number stays taken until that is read."""
        self._waiting.unregister(copy.process)
        ended = os.waitid(os.P_PIDFD, copy.process, os.WEXITED | os.WNOWAIT)
        status = 0 if ended is None else ended.si_status
        is_killed = ended is not None and ended.si_code != os.CLD_EXITED
        with suppress(OSError):
            copy.life.send(STATUS.pack(-status if is_killed else status))
        self._ended[copy.life.fileno()] = copy
        self._waiting.register(copy.life, 0)  # its end is always told

    def _forget(self, copy: Copy) -> None:
        self._waiting.unregister(copy.life)
        os.waitpid(copy.pid, 0)
        copy.life.close()
        os.close(copy.process)


def fork_when_asked() -> None:
    """In a server: fork for each request, until nobody asks any more. Returns in the copies."""
    control = socket.socket(fileno=int(os.environ.pop(SERVER)))
    for module in filter(None, os.environ.pop(IMPORTS, "").split(",")):
        with suppress(ImportError):  # the copy that needs it says so
            import_module(module)
    if has_threads():
        _end()
    copies = Copies(control)
    while copies.wait():
        try:
            request, handed, _, _ = socket.recv_fds(control, MOST_BYTES, PIPES + 1)
        except OSError:
            break
        if len(handed) <= PIPES:
            break
        life = socket.socket(fileno=handed[PIPES])
        pid = os.fork()
        if not pid:
            copies.close()
            life.close()
            _become(json.loads(request), handed[:PIPES])
            return
        for pipe in handed[:PIPES]:
            os.close(pipe)
        copies.add(pid, life)
    _end()


def has_threads() -> bool:
    """Whether there are threads, which a copy would not have, beside those of OpenBLAS, which sees
    to it. ONNX Runtime may start one as it is imported."""
    maps = Path("/proc/self/maps").read_text()
    pools = {line.split()[-1] for line in maps.splitlines() if "openblas" in line}
    return len(os.listdir("/proc/self/task")) - 1 > (_threads_of_a_pool() - 1) * len(pools)


def _threads_of_a_pool() -> int:
    """How many threads OpenBLAS has at most: as the variables said when this process began, which
    frameworks change as they are imported."""
    begun = [v.partition(b"=") for v in Path("/proc/self/environ").read_bytes().split(b"\0")]
    given = [value for name, _, value in begun if name in THREADS and value]
    allowed = [int(value) if value.isdigit() else 1 for value in given]
    return max(1, min([len(os.sched_getaffinity(0)), *allowed]))


def _become(request: dict[str, object], pipes: list[int]) -> None:
    """In a copy: a session, pipes, environment and folder of its own, and no way out of it."""
    os.setsid()
    for place, pipe in enumerate(pipes):
        os.dup2(pipe, place)
        os.close(pipe)
    os.environ.clear()
    os.environ.update(request["env"])  # type: ignore[call-overload]
    folder = str(request["folder"])
    os.chdir(folder)
    tempfile.tempdir = None  # to be looked up again
    sandbox.enter([folder])


def _end() -> None:
    """End with all copies, which the system kills as it does whatever their starter is."""
    shutil.rmtree(os.environ.get(FOLDER, ""), ignore_errors=True)
    os.kill(os.getpid(), signal.SIGKILL)
