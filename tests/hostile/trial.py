"""One damaged file and what comes of it, and forks that try many of them under limits.

A fork says which file it is at, so that a crash or a hang is seen and known.
"""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import random
import resource
import shutil
import signal
import struct
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from .starts import FORMATS, Format

SECONDS = 5.0
"""Of the processor, for one file."""

HANGS = 30.0
"""By the clock."""

MEMORY = 1 << 30
"""Of its own, for one file."""

FINDINGS = ("not ours", "not loadable again", "slow", "memory", "crash", "hang")
SLOT = struct.Struct("<QdQQ")
"""What a fork says of itself: the number it is at, since when, and how many were refused and
loaded."""

IN_MEMORY = Path("/dev/shm")


class TimeLimitError(BaseException):
    """Raised by the alarm; no handler of errors catches it."""


class NotSameError(Exception):
    """A model that was saved and loaded is another one."""


@dataclass
class Outcome:
    """What came of the files of one format."""

    format: str
    refused: int = 0
    loaded: int = 0
    seconds: float = 0.0
    findings: dict[int, tuple[str, str]] = field(default_factory=dict)

    @property
    def tried(self) -> int:
        return self.refused + self.loaded + len(self.findings)


def generator(format: str, seed: int, number: int) -> random.Random:
    """The random numbers of one file: the same whatever ran before."""
    return random.Random(f"{format}:{seed}:{number}")


def own_memory() -> int:
    """Bytes of data that this process has already: a fork begins with all of its parent's."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next((int(x.split()[1]) << 10 for x in status if x.startswith("VmData:")), 0)


def scratch() -> str | None:
    """Where damaged files are written: memory, where there is such a place."""
    return str(IN_MEMORY) if os.access(IN_MEMORY, os.W_OK) else None


def try_one(format: Format, folder: Path, r: random.Random) -> bool:
    """Load one damaged file; whether it is a model. Raises what is a finding."""
    from nnir import archive
    from nnir.check import check
    from nnir.errors import NNAdapterError

    source = format.damaged(folder, r)
    try:
        model = format.load(source)
        if model is None:
            return True
        check(model)
    except NNAdapterError as error:
        if "MemoryError" in str(error) or "not enough memory" in str(error):
            raise MemoryError(str(error)) from error
        return False
    shown = str(model)
    try:
        data = archive.dumps(model)
        again = archive.loads(data)
    except Exception as error:
        raise NotSameError(f"{type(error).__name__}: {error}") from error
    if archive.dumps(again) != data:
        raise NotSameError("the bytes are others")
    if str(again) != shown:
        raise NotSameError("the text is another one")
    return True


def _ring(number: int, frame: FrameType | None) -> None:
    raise TimeLimitError


def _kind(error: BaseException) -> str:
    if isinstance(error, TimeLimitError):
        return "slow"
    if isinstance(error, NotSameError):
        return "not loadable again"
    return "memory" if isinstance(error, MemoryError) else "not ours"


def _where(error: BaseException) -> str:
    """The error on one line, with the innermost place of ours."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.name != _ring.__name__]
    root = str(Path(__file__).parents[2])
    ours = [f for f in frames if f.filename.startswith(root) and "/.venv/" not in f.filename]
    place = ours[-1] if ours else frames[-1] if frames else None
    at = "" if place is None else f" at {os.path.relpath(place.filename, root)}:{place.lineno}"
    return f"{type(error).__name__}: {ascii(' '.join(str(error).split()))[1:300]}{at}"


class Trial:
    """A fork that tries numbered files of one format, and what it has said so far."""

    def __init__(self, format: str, seed: int, numbers: range, end: float) -> None:
        self.format, self.numbers = format, numbers
        self.started = time.monotonic()
        self.shared = mmap.mmap(-1, mmap.PAGESIZE)
        self.shared[: SLOT.size] = SLOT.pack(numbers.start, self.started, 0, 0)
        self.hears, tells = os.pipe()
        self.hung = False
        self.findings: dict[int, tuple[str, str]] = {}
        self._heard = b""
        self.child = os.fork()
        if not self.child:
            status = 1
            try:
                os.close(self.hears)
                self._try(seed, tells, end)
                status = 0
            finally:
                os._exit(status)
        os.close(tells)
        os.set_blocking(self.hears, False)

    def _try(self, seed: int, tells: int, end: float) -> None:
        """In the fork: load one file after the other and say what happens."""
        gc.freeze()
        most = own_memory() + MEMORY
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGPROF, _ring)
        warnings.simplefilter("ignore")
        folder = Path(tempfile.mkdtemp(prefix="mutate", dir=scratch()))
        format = FORMATS[self.format]
        refused = loaded = 0
        try:
            for number in self.numbers:
                if time.monotonic() > end:
                    break
                self.shared[: SLOT.size] = SLOT.pack(number, time.monotonic(), refused, loaded)
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                try:
                    if try_one(format, folder, generator(format.name, seed, number)):
                        loaded += 1
                    else:
                        refused += 1
                except KeyboardInterrupt:
                    break
                except BaseException as error:  # noqa: BLE001  this is what is looked for
                    signal.setitimer(signal.ITIMER_PROF, 0)
                    os.write(tells, f"{number}\t{_kind(error)}\t{_where(error)}\n".encode())
                signal.setitimer(signal.ITIMER_PROF, 0)
            else:
                number = self.numbers.stop
            self.shared[: SLOT.size] = SLOT.pack(number, time.monotonic(), refused, loaded)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def counts(self) -> tuple[int, int]:
        """How many files were refused and loaded so far."""
        _, _, refused, loaded = SLOT.unpack(self.shared[: SLOT.size])
        return refused, loaded

    def poll(self) -> range | None:
        """The numbers that are left when the fork has ended; None while it runs."""
        ended = os.waitid(os.P_PID, self.child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        self._hear()
        at, since, _, _ = SLOT.unpack(self.shared[: SLOT.size])
        if ended is None:
            if time.monotonic() - since > HANGS:
                self.hung = True
                os.kill(self.child, signal.SIGKILL)
            return None
        self._hear()
        os.waitpid(self.child, 0)
        os.close(self.hears)
        if ended.si_status == 0 and ended.si_code == os.CLD_EXITED:
            return range(int(at), self.numbers.stop)
        self.findings[int(at)] = ("hang", "") if self.hung else ("crash", f"{ended.si_status}")
        return range(int(at) + 1, self.numbers.stop)

    def _hear(self) -> None:
        """Read what the fork has said so far."""
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self.hears, 1 << 16):
                self._heard += piece
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            number, kind, what = line.decode(errors="replace").split("\t", 2)
            self.findings[int(number)] = (kind, what)
