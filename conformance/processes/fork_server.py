"""Workers that begin with their framework imported: copies of a process that did nothing else.

Importing a framework takes seconds. Whoever starts a second worker of a module gets it from a fork
server: a process that ran the module up to its loop, saw no file and answered nothing, and forks
(Linux only). A copy then enters its own folder, limits and session, as a worker that is started
afresh does (`fork_loop`); a server can itself write into nothing but the folder that holds those of
its copies.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, BinaryIO

from nnir import isolation
from nnir.progress import note
from nnir.staging import temporary_folder

from . import fork_loop

MOST = 4
"""Servers at a time: each keeps a framework in memory. The one used longest ago makes room."""

READY = 120.0
"""Seconds in which a server must have imported its framework."""

NEVER = -(1 << 60)
"""Workers before the one that a server forks, where none can."""

UNREAD = frozenset({"PYTEST_CURRENT_TEST", "COLUMNS", "LINES", "PWD", "OLDPWD", "_"})
"""Variables that no framework reads while it is imported."""

Start = Callable[..., "subprocess.Popen[bytes]"]
Key = tuple[str, tuple[str, ...], frozenset[tuple[str, str]], tuple[str, ...]]


class Forked:
    """A worker that a server forked; the part of `subprocess.Popen` that workers need."""

    def __init__(self, pid: int, stdin: BinaryIO, stdout: BinaryIO, life: socket.socket) -> None:
        self.pid, self.stdin, self.stdout = pid, stdin, stdout
        self.returncode: int | None = None
        self._life = life
        self._lock = threading.Lock()

    def poll(self) -> int | None:
        """The status, where it has ended."""
        return self._look(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Until it ends; its status. subprocess.TimeoutExpired after `timeout` seconds."""
        status = self._look(timeout)
        if status is None:
            raise subprocess.TimeoutExpired("a forked worker", timeout or 0.0)
        return status

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _look(self, timeout: float | None) -> int | None:
        with self._lock:
            if self.returncode is None and _is_readable(self._life, timeout):
                try:
                    data = self._life.recv(fork_loop.STATUS.size)
                except OSError:
                    data = b""
                whole = len(data) == fork_loop.STATUS.size
                # without a word the server is gone, and its copies with it
                self.returncode = fork_loop.STATUS.unpack(data)[0] if whole else -signal.SIGKILL
                self._life.close()  # the server may forget the process
            return self.returncode


class Server:
    """A process that has a module's framework imported, and forks."""

    def __init__(
        self,
        module: str,
        imports: Sequence[str],
        environment: Callable[[str], dict[str, str]],
        start: Start,
    ) -> None:
        """`environment` of a process by its folder; `start` is `worker.start_process`."""
        self._stack = ExitStack()
        outer = os.environ.get(fork_loop.FOLDER)
        self.folder = self._stack.enter_context(temporary_folder(Path(outer) if outer else None))
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._stack.enter_context(mine)
        with theirs:
            folder = str(self.folder)
            self._process = start(
                isolation.command(module, folders=[folder]),
                cwd=folder,
                stdin=subprocess.PIPE,  # as that of its copies: it can never be rewound
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=[theirs.fileno()],
                env={
                    **environment(folder),
                    fork_loop.SERVER: str(theirs.fileno()),
                    fork_loop.IMPORTS: ",".join(imports),
                },
            )
        note(f"process {self._process.pid} started: it forks workers of {module}")
        self._control = mine
        self._lock = threading.Lock()

    def fork(self, environment: Mapping[str, str], folder: str, log: IO[bytes]) -> Forked | None:
        """A worker whose own folder is `folder`; None where the server does not answer."""
        with ExitStack() as stack:
            ours = [os.pipe(), os.pipe()]
            (read_in, write_in), (read_out, write_out) = ours
            life, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            for descriptor in (read_in, write_out):
                stack.callback(os.close, descriptor)
            stack.enter_context(theirs)
            request = json.dumps({"env": dict(environment), "folder": folder}).encode()
            handed = [read_in, write_out, log.fileno(), theirs.fileno()]
            try:
                with self._lock:
                    socket.send_fds(self._control, [request], handed)
                theirs.close()  # else a server that is gone would not be noticed
                ready = _is_readable(life, READY)
                data = life.recv(fork_loop.STATUS.size) if ready else b""
            except OSError:
                data = b""
            if len(data) != fork_loop.STATUS.size:
                life.close()
                os.close(write_in)
                os.close(read_out)
                return None
            (pid,) = fork_loop.STATUS.unpack(data)
            return Forked(pid, os.fdopen(write_in, "wb"), os.fdopen(read_out, "rb"), life)

    def close(self) -> None:
        """Stop it; its copies end with it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._stack.close()


class Servers:
    """The servers of this process, by what a framework may depend on while it is imported."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._starts: Counter[Key] = Counter()
        self._servers: OrderedDict[Key, Server] = OrderedDict()

    def server_of(
        self,
        module: str,
        imports: tuple[str, ...],
        environment: Callable[[str], dict[str, str]],
        start: Start,
    ) -> Server | None:
        """The server of a module, from its second worker on. `imports`: what it imports beside."""
        if not is_possible():
            return None
        kept = frozenset((k, v) for k, v in os.environ.items() if k not in UNREAD)
        key = module, imports, kept, tuple(isolation.search_path(is_folder_trusted=False))
        with self._lock:
            self._starts[key] += 1
            if self._starts[key] <= 1:
                return None
            server = self._servers.pop(key, None)
            if server is None:
                if len(self._servers) >= MOST:
                    _, oldest = self._servers.popitem(last=False)
                    oldest.close()
                server = Server(module, imports, environment, start)
            self._servers[key] = server
            return server

    def drop(self, server: Server) -> None:
        """Stop a server that does not answer; workers of its kind are started afresh from now."""
        with self._lock:
            for key, known in [*self._servers.items()]:
                if known is server:
                    del self._servers[key]
                    self._starts[key] = NEVER
        server.close()

    def close(self) -> None:
        """Stop all of them."""
        with self._lock:
            servers = [*self._servers.values()]
            self._servers.clear()
            self._starts.clear()
        for server in servers:
            server.close()


SERVERS = Servers()
atexit.register(SERVERS.close)


def is_possible() -> bool:
    """Whether this system has what servers need."""
    return sys.platform == "linux" and hasattr(os, "pidfd_open")


def _is_readable(stream: socket.socket, timeout: float | None) -> bool:
    """Wait until there is something to read, or the end; `timeout` in seconds, None for ever."""
    until = None if timeout is None else time.monotonic() + timeout
    waiting = select.poll()
    waiting.register(stream, select.POLLIN)
    left = None if until is None else max(0.0, until - time.monotonic()) * 1000
    return bool(waiting.poll(left))
