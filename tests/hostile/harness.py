"""What an attack is, and how it is tried: every command, under limits, with its surroundings
watched.

An attack is a file that is built, and what it says when it wins: the `marker`, a file that its code
would create. All that a command may touch (its folder, its HOME, its TMPDIR) lies beside the
attack's folder below one root, so that one look at the root before and after shows whatever was
written, `../` included.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Any

from .server import OPTIONS

MEMORY = 1 << 30
"""Bytes of memory of its own (RLIMIT_DATA). What is mapped from a file is no such memory: the
kernel drops it at will, and honest models are larger than this."""

SECONDS = 5
"""Of the processor for what is refused; on a busy machine it may take longer by the clock."""

PATIENCE = 20
"""Seconds by the clock after which a command that is refused hangs."""

LONG = 300
"""Seconds for a command that starts a framework."""

HASHED = 1 << 20
ENGINES = ("home/.cache", "tmp/.ses")
"""What ONNX Runtime writes of its own accord when it is imported (its telemetry)."""

CONTROL = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What no terminal may see: all control characters but line ends, and what reorders a line."""


class Ends(Enum):
    """How the commands end."""

    REFUSED = auto()
    HARMLESS = auto()


REFUSED, HARMLESS = Ends.REFUSED, Ends.HARMLESS

COMMANDS: dict[str, tuple[str, ...]] = {
    "load": ("load", "FILE"),
    "check": ("check", "FILE"),
    "inspect": ("inspect", "FILE", "--text"),
    "run": ("run", "FILE", "--device", "builtin"),
    "nnir": ("convert", "FILE", "out.nnir"),
    "onnx": ("convert", "FILE", "out.onnx"),
    "verify": ("verify", "FILE", "--device", "builtin"),
    "bisect": ("bisect", "FILE", "--device", "builtin"),
}
"""The commands by the names that `Attack.commands` has; `FILE` stands for the attack."""

OTHERS: dict[str, tuple[str, ...]] = {
    "dot": ("inspect", "FILE", "--dot", "graph.dot"),
    "save": ("convert", "FILE", "saved.nnir", "--no-verify"),
    "again": ("check", "saved.nnir"),
    "write": ("convert", "FILE", "written.onnx", "--no-verify"),
    "reread": ("inspect", "written.onnx"),
}
"""More commands, for files that load; the later ones read what the earlier ones wrote."""

SEEN = ("load", "check", "inspect", "run")
QUICK = (*SEEN, *OTHERS)
"""Those that start no framework."""


@dataclass(frozen=True)
class Attack:
    """A file that does harm where it is trusted.

    `build` writes it into a folder and returns the path for the commands; code in it that would
    run creates the file `marker`. `commands`: which are tried, all by default. `extra`: more
    arguments of some commands, as in {"run": ("--input", "x=bad.npy")}, relative to the attack's
    folder where they begin with `./`. `writes`: what may be written besides, below the root.
    """

    name: str
    build: Callable[[Path, Path], Path]
    why: str
    format: str
    ends: Ends = REFUSED
    commands: tuple[str, ...] = tuple(COMMANDS)
    extra: dict[str, tuple[str, ...]] = field(default_factory=dict)
    writes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.format}: {self.name}"


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    command: str
    status: int
    stdout: str
    stderr: str
    seconds: float
    cpu: float
    timed_out: bool
    peak: int


class Server:
    """The warm process; a context manager."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **OPTIONS},
        )
        self.loaded: list[str] = self._answer()["frameworks"]

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        self.process.wait(10)

    def _answer(self) -> dict[str, Any]:
        line = self.process.stdout.readline() if self.process.stdout else ""
        if not line:
            raise RuntimeError(f"the server ended with {self.process.wait()}")
        found: dict[str, Any] = json.loads(line)
        return found

    def run(self, arguments: list[str], places: Places, ends: Ends = REFUSED) -> Outcome:
        """Run one command line."""
        limits = {"CORE": 0, "NOFILE": 1024}
        if ends is REFUSED:
            limits |= {"DATA": MEMORY, "CPU": SECONDS + 1}
        request = {
            "arguments": arguments,
            "cwd": str(places.cwd),
            "environment": {"HOME": str(places.home), "TMPDIR": str(places.temporary)},
            "limits": limits,
            "seconds": PATIENCE if ends is REFUSED else LONG,
        }
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return Outcome(" ".join(arguments), **self._answer())


class Places:
    """The folders of one attack, below one root."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder, self.cwd = root / "attack", root / "cwd"
        self.home, self.temporary = root / "home", root / "tmp"
        for place in (self.folder, self.cwd, self.home, self.temporary):
            place.mkdir(parents=True)
        self.marker = root / "marker"

    def look(self) -> dict[str, tuple[object, ...]]:
        """Everything below the root: kind, size, time and, of small files, content."""
        found = {str(p.relative_to(self.root)): _facts(p) for p in _walk(self.root)}
        return {name: facts for name, facts in found.items() if not name.startswith(ENGINES)}


def _walk(folder: Path) -> Iterator[Path]:
    for entry in os.scandir(folder):
        path = Path(entry.path)
        yield path
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path)


def _facts(path: Path) -> tuple[object, ...]:
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode):
        return "link", os.readlink(path)
    if stat.S_ISDIR(found.st_mode):
        return ("folder",)
    digest = ""
    if stat.S_ISREG(found.st_mode) and found.st_size <= HASHED:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return found.st_mode, found.st_size, found.st_mtime_ns, digest


def problems(attack: Attack, server: Server, root: Path) -> list[str]:
    """Try an attack with all its commands; everything that is not as it should be."""
    places = Places(root)
    file = attack.build(places.folder, places.marker)
    found: list[str] = []
    for name in attack.commands:
        before = places.look()
        done = server.run(command_line(attack, name, file, places), places, attack.ends)
        found += (f"{name}: {text}" for text in _wrong(attack, done))
        if places.marker.exists():
            found.append(f"{name}: code of the file ran")
            places.marker.unlink()
        after = places.look()
        wanted = _written(attack, name)
        changed = [p for p in before.keys() | after.keys() if before.get(p) != after.get(p)]
        found += (f"{name}: touched {p}" for p in sorted(changed) if p not in wanted)
    return found


def command_line(attack: Attack, name: str, file: Path, places: Places) -> list[str]:
    """The arguments of a command for an attack."""
    parts = COMMANDS[name] if name in COMMANDS else OTHERS[name]
    line = [str(file) if part == "FILE" else part for part in parts]
    extra = attack.extra.get(name, ())
    return [*line, *(part.replace("./", f"{places.folder}/", 1) for part in extra)]


def _written(attack: Attack, name: str) -> frozenset[str]:
    """What a command may write."""
    if attack.ends is REFUSED:
        return frozenset(attack.writes)
    parts = COMMANDS[name] if name in COMMANDS else OTHERS[name]
    targets = [p for p in parts if "." in p]
    return frozenset(f"cwd/{t}{end}" for t in targets for end in ("", ".data")) | {*attack.writes}


def _wrong(attack: Attack, done: Outcome) -> Iterator[str]:
    """What is wrong with how a command ended."""
    shown = done.stdout + done.stderr
    if done.timed_out:
        yield f"hangs: no end after {done.seconds:.0f} s"
        return
    if control := CONTROL.search(shown):
        yield f"a terminal saw {control.group()!r}"
    if "Traceback (most recent call last)" in shown or "internal error" in shown:
        yield f"an error that is not ours: {shown[-600:]}"
        return
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    if attack.ends is HARMLESS:
        if done.status:
            yield f"exit status {done.status}: {done.stderr[-600:]}"
        return
    if done.status != 1:
        yield f"exit status {done.status}, not 1: {shown[-600:]}"
    elif len(lines) != 1 or not lines[0].startswith("error: "):
        yield f"{len(lines)} lines on stderr: {done.stderr[-600:]}"
    if done.cpu > SECONDS:
        yield f"{done.cpu:.1f} s, {SECONDS} are allowed"
