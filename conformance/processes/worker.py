"""A process of its own for what may crash, hang or eat the memory; it is replaced when it does."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import numpy as np

from nnir import isolation
from nnir.errors import DeviceError
from nnir.plugins import REGISTRY
from nnir.progress import note
from nnir.staging import temporary_folder

from ..judging.result import CRASH, MEMORY, TIMEOUT
from . import channel, fork_loop
from .fork_server import SERVERS, Forked, Server

LIMIT = "NNADAPTER_WORKER_MEMORY"
"""How a worker learns its limit, in bytes."""

FOLDER = fork_loop.FOLDER

REGISTERS = "NNADAPTER_WORKER_REGISTERS"
"""Modules that a worker imports before its first message."""

LIBRARIES = "NNADAPTER_WORKER_LIBRARIES"
"""Shared libraries with kernels of plug-ins that sessions of ONNX Runtime load in a worker."""

Process = subprocess.Popen[bytes] | Forked
GIGABYTE = 1 << 30
TICK = 0.05
SAID = {CRASH: "died", TIMEOUT: "hangs", MEMORY: "needs more memory than allowed"}


class Lost(DeviceError):
    """The worker did not answer; `kind` is the verdict: crash, timeout or memory."""

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(what)
        self.kind = kind


class Worker:
    """A process that runs `python -m module` and answers messages; see `channel` and `serve`.

    `timeout` in seconds for one message, `memory` in bytes for the process; on Linux the process
    is stopped when it really uses more, elsewhere only the time is watched. `python` is another
    interpreter, for a framework in an environment of its own. `idle`: after so many seconds
    without a message the process ends by itself. It runs in a folder of its own and imports
    nothing from the current one, unless `is_folder_trusted`, as for modules under development.
    `writes`: folders, beside its own, in which alone it can write; it then has no network either
    (`nnir.sandbox`). None sets no such limit. `imports`: modules that it will import when it is
    asked, which a process that is copied for it has imported before (`fork_server`). `cores`:
    those that it and what it starts keep to.
    """

    def __init__(
        self,
        module: str,
        *,
        timeout: float = 60.0,
        memory: int | None = None,
        python: str = sys.executable,
        idle: float | None = None,
        is_folder_trusted: bool = False,
        writes: Sequence[str] | None = None,
        imports: Sequence[str] = (),
        cores: Sequence[int] | None = None,
    ) -> None:
        self.imports, self.cores = tuple(imports), cores
        self.module, self.timeout, self.memory, self.python = module, timeout, memory, python
        self.idle, self.is_folder_trusted, self.writes = idle, is_folder_trusted, writes
        self._called = 0.0
        self._is_retired = False
        self._process: Process | None = None
        self._log: IO[bytes] | None = None
        self._folder: Path | None = None
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int | None:
        """The process, where one runs."""
        return None if self._process is None else self._process.pid

    def call(
        self, head: dict[str, Any], arrays: list[np.ndarray], blob: bytes = b""
    ) -> tuple[dict[str, Any], list[np.ndarray]]:
        """One message and its answer. Lost when there is none; the next call starts afresh."""
        if self.idle and time.monotonic() - self._called > self.idle / 2:
            self.close()  # it may be about to end
        process = self._start()
        self._called = time.monotonic()
        questions, answers = cast(BinaryIO, process.stdin), cast(BinaryIO, process.stdout)
        with _Watch(process, self.timeout, self.memory) as watch:
            try:
                folder = None if self._folder is None else str(self._folder)
                channel.send(questions, head, arrays, blob, folder)
                reply, results, _ = channel.receive(answers)
            except (EOFError, OSError):
                process.wait()
                raise self._lost(watch.killed or CRASH, process.returncode) from None
            except BaseException:  # an answer that nobody took would be that of the next question
                self.close()
                raise
        if reply.get("memory"):
            raise self._lost(MEMORY, None)
        return reply, results

    def _lost(self, kind: str, status: int | None) -> Lost:
        told = self._tail()
        if kind == CRASH and status is not None and status < 0:
            told = f"{signal.Signals(-status).name}; {told}"
        self.close()
        return Lost(kind, f"the worker of {self.module} {SAID[kind]}: {told}")

    def _start(self) -> Process:
        process = self._process
        if process is None or process.poll() is not None:
            self.close()
            self._require_wanted()
            process = self._process = self._fork() or self._start_afresh()
            if self.cores is not None:
                with contextlib.suppress(OSError):  # it ended, which the first question tells
                    os.sched_setaffinity(process.pid, self.cores)
            note(f"process {process.pid} started: {self.module}")
            self._require_wanted()  # starting takes a while
        return process

    def _require_wanted(self) -> None:
        """Lost where nobody wants an answer any more."""
        if self._is_retired:
            self.close()
            raise Lost(CRASH, f"the worker of {self.module} was stopped")

    def _start_afresh(self) -> subprocess.Popen[bytes]:
        outer = os.environ.get(FOLDER)  # of a worker in that of who started it: gone with it
        folder, log = self._make_place(Path(outer) if outer else None)
        folders = None if self.writes is None else [folder, *self.writes]
        return start_process(
            isolation.command(self.module, python=self.python, folders=folders),
            cwd=None if self.is_folder_trusted else folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,  # so that what it starts itself is killed with it
            env=self._whole_environment(folder),
        )

    def _fork(self) -> Forked | None:
        """A copy of a process that has the framework imported, where there is such a process."""
        server = self._server()
        if server is None:
            return None
        folder, log = self._make_place(server.folder)
        process = server.fork(self._whole_environment(folder), folder, log)
        if process is None:
            self._remove_place()
            SERVERS.drop(server)
        return process

    def _server(self) -> Server | None:
        """Who forks this worker: one that begins as all others of its module."""
        is_own = self.python != sys.executable or self.is_folder_trusted or self.idle is not None
        if is_own or self.writes is None or self.writes or self._registers() or _libraries():
            return None
        return SERVERS.server_of(self.module, self.imports, self._whole_environment, start_process)

    def _make_place(self, parent: Path | None) -> tuple[str, IO[bytes]]:
        """A folder for a process, and a file for what it prints."""
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the process
        self._folder = self._stack.enter_context(temporary_folder(parent))
        return str(self._folder), self._log

    def _remove_place(self) -> None:
        if self._log is not None:
            self._log.close()
        self._stack.close()
        self._log = self._folder = None

    def _whole_environment(self, folder: str) -> dict[str, str]:
        return {
            **self._environment(folder),
            "TF_CPP_MIN_LOG_LEVEL": "3",
            LIMIT: str(self.memory or 0),
            REGISTERS: ",".join(self._registers()),
            LIBRARIES: _libraries(),
            FOLDER: folder,
        }

    def _registers(self) -> list[str]:
        """The modules of plug-ins that make their operators known to the worker's framework."""
        framework = self.module.rpartition(".")[2]
        return [m for _, modules in REGISTRY.of("registers", framework) for m in modules]

    def _environment(self, folder: str) -> dict[str, str]:
        if not self.is_folder_trusted:
            return isolation.environment(folder, self.python)
        path = os.pathsep.join(isolation.search_path(is_folder_trusted=True))
        return {**os.environ, "PYTHONPATH": path}

    def _tail(self) -> str:
        if self._log is None:
            return "no message"
        self._log.seek(0)
        lines = self._log.read()[-2000:].decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else "no message"

    def finish(self) -> None:
        """Let the process end by itself; Lost where it dies of that, or does not end in time."""
        process = self._process
        if process is None:
            return
        with contextlib.suppress(OSError):
            cast(BinaryIO, process.stdin).close()
        try:
            status = process.wait(self.timeout)
        except subprocess.TimeoutExpired:
            raise self._lost(TIMEOUT, None) from None
        if status:
            raise self._lost(CRASH, status)
        self.close()

    def close(self) -> None:
        """Stop the process and what it started."""
        process, self._process = self._process, None  # two threads may stop it: one does
        if process is None:
            return
        _kill(process)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._remove_place()

    def retire(self) -> None:
        """Stop it for good, whatever another thread does with it: that gets Lost."""
        self._is_retired = True
        self.close()


def _libraries() -> str:
    return os.pathsep.join(REGISTRY.libraries_of("onnxruntime"))


def start_process(command: Sequence[str], **how: Any) -> subprocess.Popen[bytes]:
    """Start a worker from a thread that does not end: on Linux a worker ends with the thread that
    started it (`worker_loop.end_with_parent`)."""

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(command, text=False, **how)

    if threading.current_thread() is threading.main_thread():
        return start()
    return _STARTER.submit(start).result()


_STARTER = ThreadPoolExecutor(1, thread_name_prefix="starter")


class _Watch:
    """Kills a process that takes too long or too much while it works on one message."""

    def __init__(self, process: Process, timeout: float, memory: int | None) -> None:
        self.killed: str | None = None
        self._ended = False
        self._lock = threading.Lock()
        self._process, self._memory = process, memory
        self._deadline = time.monotonic() + timeout

    def __enter__(self) -> _Watch:
        _WATCHES.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        _WATCHES.discard(self)
        with self._lock:
            self._ended = True

    def look(self) -> None:
        """Kill the process where it is beyond a limit, unless it has answered meanwhile."""
        kind = None
        if time.monotonic() > self._deadline:
            kind = TIMEOUT
        elif self._memory and resident(self._process.pid) > self._memory:
            kind = MEMORY
        with self._lock:
            if kind is not None and not self._ended:
                self.killed = kind
                _kill(self._process)


class _Guard:
    """One thread for all watches of this process: starting a thread for each message is slow."""

    def __init__(self) -> None:
        self._watches: set[_Watch] = set()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None

    def add(self, watch: _Watch) -> None:
        with self._lock:
            self._watches.add(watch)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
                self._thread.start()
        self._wake.set()

    def discard(self, watch: _Watch) -> None:
        with self._lock:
            self._watches.discard(watch)

    def _run(self) -> None:
        while True:
            time.sleep(TICK)
            with self._lock:
                watches = list(self._watches)
                if not watches:
                    self._wake.clear()
            for watch in watches:
                watch.look()
            self._wake.wait()


_WATCHES = _Guard()


def available() -> int:
    """Bytes that this process can still ask for, as far as the system says; else very many."""
    found = [sys.maxsize]
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found.append(next(int(n.split()[1]) for n in lines if n.startswith("MemAvailable")) << 10)
    with contextlib.suppress(ImportError):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
        found += [] if limit == resource.RLIM_INFINITY else [limit]
    return min(found)


def resident(pid: int) -> int:
    """Bytes of memory that a process really uses; 0 where the system does not say."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError, ValueError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _kill(process: Process) -> None:
    """Kill a process with its group; it leads one of its own."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        process.kill()
