"""A process that can neither write outside its own folders nor reach a network nor start programs.

`python -P sandbox.py FOLDERS MODULE ARGUMENTS` runs a module so; FOLDERS, with the path separator
between, may be written; `-` for FOLDERS sets no limits. It is run as a script, before anything is
imported that has threads, as the rules hold for the thread that makes them and those that it
starts. Linux only: Landlock (see landlock(7)) for files and TCP, a seccomp filter for sockets.
"""

from __future__ import annotations

import ctypes
import gc
import os
import platform
import runpy
import struct
import sys
from collections.abc import Sequence
from typing import NamedTuple

NO_LIMITS = "-"
CONFINED = "NNADAPTER_CONFINED"
"""Set in a process that has entered."""

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
GET_VERSION = 1
RULE_PATH_BENEATH = 1
WRITE_FILE, TRUNCATE = 1 << 1, 1 << 14
WRITING = {1: sum(1 << bit for bit in (1, *range(4, 13))), 2: 1 << 13, 3: TRUNCATE, 5: 1 << 15}
"""Rights by the version of Landlock that began to know them: write, remove, make, link, ..."""

NETWORK = {4: 0b11}
"""TCP: bind and connect."""

SCOPES = {6: 0b11}
"""Abstract sockets and signals, of processes outside."""

LEAST = 3
"""The version of Landlock that knows all ways to change a file."""

NO_NEW_PRIVILEGES, BY_FILTER, EVERY_THREAD = 38, 1, 1
LOAD, JUMP_EQUAL, JUMP_GREATER_EQUAL, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 1
"""Refused calls fail with EPERM."""

OTHER_TABLE = 0x40000000
"""From here on, calls of x86_64 by another table (x32)."""


class Calls(NamedTuple):
    """Numbers of system calls of a machine, and its own in audits."""

    audit: int
    socket: int
    queue: int
    execute: tuple[int, int]
    filter: int


MACHINES = {
    "x86_64": Calls(0xC000003E, 41, 425, (59, 322), 317),
    "aarch64": Calls(0xC00000B7, 198, 425, (221, 281), 277),
}


def enter(folders: Sequence[str]) -> None:
    """Confine this thread and what it starts, as far as the system allows it."""
    version = landlock()
    if version < LEAST and not has_filter():
        return
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if version >= LEAST:
        _restrict(library, version, folders)
    if has_filter():
        numbers = MACHINES[platform.machine()]
        _refuse(numbers, (numbers.socket, numbers.queue))  # no queue of calls round this filter
    os.environ[CONFINED] = "1"


def start_nothing() -> None:
    """Confine all threads further: no other programs. Frameworks start some as they begin."""
    if os.environ.get(CONFINED) and has_filter():
        numbers = MACHINES[platform.machine()]
        _refuse(numbers, numbers.execute)


def state() -> str:
    """What a worker is kept from, or why it is not."""
    version = landlock()
    if not version and not has_filter():
        return f"not available: {platform.system()} on {platform.machine()} has no Landlock"
    parts = []
    if version >= LEAST:
        parts.append("no writes outside")
    if has_filter():
        parts += ["no network", "no programs"]
    if version < LEAST:
        parts.append(f"writes are not kept in: Landlock {LEAST} is needed, {version} is there")
    return ", ".join(parts)


def landlock() -> int:
    """The version of Landlock of this system; 0 without it."""
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        return 0
    found = ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), GET_VERSION)
    return max(int(found), 0)


def has_filter() -> bool:
    """Whether this system filters system calls."""
    return os.path.exists("/proc/sys/kernel/seccomp") and platform.machine() in MACHINES


def _rights_of(rights: dict[int, int], version: int) -> int:
    return sum(bits for since, bits in rights.items() if since <= version)


def _restrict(library: ctypes.CDLL, version: int, folders: Sequence[str]) -> None:
    """No right to write but in the folders."""
    writing = _rights_of(WRITING, version)
    words = [writing, _rights_of(NETWORK, version), _rights_of(SCOPES, version)]
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = struct.pack("<QQQ", *words)[:size]
    rules = library.syscall(CREATE_RULESET, attributes, ctypes.c_size_t(size), 0)
    if rules < 0:
        raise OSError(ctypes.get_errno(), "no ruleset of Landlock can be made")
    to_file = writing & (WRITE_FILE | TRUNCATE)
    for place, rights in [*((f, writing) for f in folders), (os.devnull, to_file)]:
        with_place = os.open(place, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("<Qi", rights, with_place)
        if library.syscall(ADD_RULE, rules, RULE_PATH_BENEATH, rule, 0):
            raise OSError(ctypes.get_errno(), "no rule of Landlock can be made", place)
        os.close(with_place)
    if library.syscall(RESTRICT_SELF, rules, 0):
        raise OSError(ctypes.get_errno(), "Landlock cannot be entered")
    os.close(rules)


def _refuse(numbers: Calls, refused: tuple[int, int]) -> None:
    """Let two calls, and all of other tables than the machine's own, fail in every thread."""
    steps = (
        (LOAD, 0, 0, 4),  # the machine that the call is of
        (JUMP_EQUAL, 1, 0, numbers.audit),
        (RETURN, 0, 0, REFUSE),
        (LOAD, 0, 0, 0),  # the number of the call
        (JUMP_GREATER_EQUAL, 2, 0, OTHER_TABLE),
        (JUMP_EQUAL, 1, 0, refused[0]),
        (JUMP_EQUAL, 0, 1, refused[1]),
        (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    )
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *s) for s in steps))
    program = struct.pack("@HP", len(steps), ctypes.addressof(code))
    library = ctypes.CDLL(None, use_errno=True)
    if library.syscall(numbers.filter, BY_FILTER, EVERY_THREAD, program):
        raise OSError(ctypes.get_errno(), "system calls cannot be filtered")


def collect_garbage() -> None:
    """Look for garbage from here on, in what is made from here on."""
    gc.freeze()
    gc.enable()


if __name__ == "__main__":
    # What a framework makes while it is imported stays: to look for garbage in it takes as long as
    # to import it. The module says when it is done with that.
    gc.disable()
    if sys.argv[1] != NO_LIMITS:
        enter([f for f in sys.argv[1].split(os.pathsep) if f])
    del sys.argv[:2]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
