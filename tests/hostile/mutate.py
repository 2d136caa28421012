"""Damage small good files at length, and load what comes of it, under limits of time and memory.

    python -m tests.hostile.mutate --format onnx --count 50000 --seed 7
    python -m tests.hostile.mutate --format onnx --seed 7 --show 1234

A file is refused with an error of ours, or it loads: then it is checked, printed, saved in memory,
loaded again and must be the same. Files are loaded in forks that say which one they are at, so that
a crash is seen and known. The exit status is 1 when anything else happened.
"""

from __future__ import annotations

import argparse
import contextlib
import mmap
import os
import random
import resource
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import click

from .starts import FORMATS, Format

SECONDS = 5.0
HANGS = 20.0
MEMORY = 1 << 30
BATCH = 20_000
FINDINGS = ("not ours", "not loadable again", "slow", "memory", "crash", "hang")
SLOT = struct.Struct("<QdQQ")
"""What a fork says of itself: the number it is at, since when, and how many were refused and
loaded."""


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
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}{at}"


def _child(
    format: Format, seed: int, numbers: range, shared: mmap.mmap, tells: int, end: float
) -> None:
    """Load one file after the other and say what happens."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, _ring)
    warnings.simplefilter("ignore")
    folder = Path(tempfile.mkdtemp(prefix="mutate"))
    refused = loaded = 0
    try:
        for number in numbers:
            if time.monotonic() > end:
                break
            shared[: SLOT.size] = SLOT.pack(number, time.monotonic(), refused, loaded)
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            try:
                if try_one(format, folder, generator(format.name, seed, number)):
                    loaded += 1
                else:
                    refused += 1
            except BaseException as error:  # noqa: BLE001  this is what is looked for
                signal.setitimer(signal.ITIMER_REAL, 0)
                os.write(tells, f"{number}\t{_kind(error)}\t{_where(error)}\n".encode())
            signal.setitimer(signal.ITIMER_REAL, 0)
        shared[: SLOT.size] = SLOT.pack(numbers.stop, time.monotonic(), refused, loaded)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(name: str, count: int, seed: int, seconds: float = 1e9, first: int = 0) -> Outcome:
    """Damage `count` files of a format, or as many as fit into the time."""
    format = FORMATS[name]
    format.warm()
    outcome = Outcome(name)
    started = time.monotonic()
    end, number = started + seconds, first
    last = first + count
    while number < last and time.monotonic() < end:
        number = _batch(format, seed, range(number, min(number + BATCH, last)), end, outcome)
    outcome.seconds = time.monotonic() - started
    return outcome


def _batch(format: Format, seed: int, numbers: range, end: float, outcome: Outcome) -> int:
    """One fork; the number to go on with."""
    shared = mmap.mmap(-1, mmap.PAGESIZE)
    shared[: SLOT.size] = SLOT.pack(numbers.start, time.monotonic(), 0, 0)
    hears, tells = os.pipe()
    child = os.fork()
    if not child:
        os.close(hears)
        status = 1
        try:
            _child(format, seed, numbers, shared, tells, end)
            status = 0
        finally:
            os._exit(status)
    os.close(tells)
    hung = False
    while not (ended := os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)):
        _, since, _, _ = SLOT.unpack(shared[: SLOT.size])
        if time.monotonic() - since > HANGS:
            hung = True
            os.kill(child, signal.SIGKILL)
        time.sleep(0.02)
        _hear(hears, outcome)
    os.waitpid(child, 0)
    _hear(hears, outcome)
    os.close(hears)
    at, _, refused, loaded = SLOT.unpack(shared[: SLOT.size])
    outcome.refused += refused
    outcome.loaded += loaded
    if ended.si_status == 0 and ended.si_code == os.CLD_EXITED:
        return int(at)
    outcome.findings[int(at)] = ("hang", "") if hung else ("crash", f"status {ended.si_status}")
    return int(at) + 1


def _hear(pipe: int, outcome: Outcome) -> None:
    """Read what the fork has said so far."""
    os.set_blocking(pipe, False)
    text = b""
    with contextlib.suppress(BlockingIOError):
        while piece := os.read(pipe, 1 << 16):
            text += piece
    for line in text.decode(errors="replace").splitlines():
        number, kind, what = line.split("\t", 2)
        outcome.findings[int(number)] = (kind, what)


def table(outcomes: list[Outcome]) -> Iterator[str]:
    """The rows for people."""
    columns = ("refused", "loaded", *FINDINGS)
    yield f"{'format':<14}{'files':>9}{'a second':>9}" + "".join(f"{c:>19}" for c in columns)
    for o in outcomes:
        kinds = Counter(kind for kind, _ in o.findings.values())
        numbers = (o.refused, o.loaded, *(kinds[c] for c in FINDINGS))
        speed = o.tried / o.seconds if o.seconds else 0
        yield f"{o.format:<14}{o.tried:>9}{speed:>9.0f}" + "".join(f"{n:>19}" for n in numbers)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--format", action="append", choices=[*FORMATS], help="all by default")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9, help="for each format")
    parser.add_argument("--first", type=int, default=0, help="the number to begin with")
    parser.add_argument("--show", type=int, help="load this one alone, with its traceback")
    given = parser.parse_args()
    names = given.format or [*FORMATS]
    if given.show is not None:
        with tempfile.TemporaryDirectory() as folder:
            r = generator(names[0], given.seed, given.show)
            click.echo("a model" if try_one(FORMATS[names[0]], Path(folder), r) else "refused")
        return 0
    outcomes = [run(n, given.count, given.seed, given.seconds, given.first) for n in names]
    click.echo("\n".join(table(outcomes)))
    for outcome in outcomes:
        seen: Counter[str] = Counter()
        for number, (kind, what) in sorted(outcome.findings.items()):
            label = what.rpartition(" at ")[2] or kind
            seen[label] += 1
            if seen[label] <= 2:
                click.echo(f"{outcome.format} --seed {given.seed} --show {number}: {kind}: {what}")
    return int(any(o.findings for o in outcomes))


if __name__ == "__main__":
    sys.exit(main())
