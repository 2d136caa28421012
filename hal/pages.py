"""The pages of memory: what a process has mapped, and huge pages where Linux waits to be asked.

A processor finds memory by a table of pages, of which it remembers some rows. Weights that engines
have packed take hundreds of megabytes, so that with pages of 4 KB each call looks rows up again, in
a virtual machine in two tables. Source: madvise(2), proc(5) and the kernel's transhuge.rst.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

PAGE = mmap.PAGESIZE
COLLAPSE = 25
"""Linux's number, which Python does not name: pages are copied into a huge one, in the same place;
systems before 6.1 refuse it."""

FAILURES = 8
"""After so many refusals, of which most pass by, the system has no more huge pages, or none."""

SETTINGS = Path("/sys/kernel/mm/transparent_hugepage")
MAPS, PAGEMAP = Path("/proc/self/maps"), Path("/proc/self/pagemap")
OWN = b" rw-p 00000000 00:00 0 "
"""In a row of the map: memory that no file is behind and that no other process has."""

UNNAMED = frozenset({b"", b"[heap]"})

Span = tuple[int, int]
"""Addresses: the first, and the one behind the last."""


@functools.cache
def advise() -> Callable[[int, int, int], int]:
    """The system's own `madvise`, which others need not wait for."""
    function = ctypes.CDLL(None).madvise
    function.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return function


@functools.cache
def waits_to_be_asked() -> bool:
    """Whether this system makes huge pages only where a program asks for them."""
    try:
        return "[madvise]" in (SETTINGS / "enabled").read_text()
    except OSError:
        return False


@functools.cache
def huge_size() -> int:
    """The bytes of a huge page."""
    return int((SETTINGS / "hpage_pmd_size").read_text())


def own_spans() -> list[Span]:
    """The memory that this process has for itself, in order; nothing where no system says it."""
    try:
        text = MAPS.read_bytes()
    except OSError:
        return []
    found = []
    for row, rest in pairwise(text.split(OWN)):
        if rest.partition(b"\n")[0].strip() in UNNAMED:
            first, _, end = row.rpartition(b"\n")[2].partition(b"-")
            found.append((int(first, 16), int(end, 16)))
    return found


def without(spans: Iterable[Span], others: Iterable[Span]) -> list[Span]:
    """The parts of spans in order that none of the others, in order too, covers."""
    found: list[Span] = []
    left = iter(others)
    other = next(left, None)
    for start, end in spans:
        while other is not None and start < end:
            if other[1] <= start:
                other = next(left, None)
                continue
            if other[0] >= end:
                break
            if other[0] > start:
                found.append((start, other[0]))
            start = other[1]
        if start < end:
            found.append((start, end))
    return found


def collapse(spans: Iterable[Span], longest: float) -> int:
    """Move memory into huge pages where it fills them, for at most so many seconds; the bytes that
    were moved. What lies there stays as it is and where it is, and others may use it meanwhile.
    """
    size, moved, failures = huge_size(), 0, 0
    end = time.monotonic() + longest
    for address in _full(spans, size):
        if not advise()(address, size, COLLAPSE):
            moved += size
        else:
            failures += 1
        if failures == FAILURES or time.monotonic() > end:
            break
    return moved


def _full(spans: Iterable[Span], size: int) -> Iterator[int]:
    """Where huge pages may begin, all of whose pages are in memory."""
    try:
        table = os.open(PAGEMAP, os.O_RDONLY)
    except OSError:
        return
    try:
        for start, end in spans:
            first = -(-start // size) * size
            count = (end - first) // size
            if count < 1:
                continue
            rows = os.pread(table, count * size // PAGE * 8, first // PAGE * 8)
            is_there = np.frombuffer(rows, np.uint64)[: len(rows) // 8] >> np.uint64(63)
            whole = is_there[: len(is_there) // (size // PAGE) * (size // PAGE)]
            for place in np.flatnonzero(whole.reshape(-1, size // PAGE).all(axis=1)):
                yield first + int(place) * size
    finally:
        os.close(table)
