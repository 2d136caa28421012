"""Pages of files that are to stay in memory while LiteRT packs what is on them.

Where kernels write packed weights to a file, they tell the system to take the pages that they read
away: from the files as well, which the next process then reads from the disk again. The system
leaves pages that are mapped twice.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from ...pages import PAGE, advise

STEP = 1 << 23
"""So many bytes are mapped at a time: others who change the map wait meanwhile."""

POPULATE_READ = 22
"""Linux's number, which Python does not name: pages of a file are mapped, those in memory at once;
systems before 5.14 refuse it."""

DONTNEED = 4


@contextmanager
def holding(weights: Sequence[np.ndarray]) -> Iterator[None]:
    """Map the pages of arrays that are views of files, the first at once and others beside what
    goes on inside of the block, and no longer."""
    places = [_pages_of(w) for w in weights]
    steps, is_over = [*_steps_of(places)], threading.Event()
    thread = threading.Thread(target=_map, args=(steps[1:], is_over), daemon=True)
    if _map(steps[:1], is_over) and steps[1:]:
        thread.start()
    try:
        yield
    finally:
        is_over.set()
        if thread.ident is not None:
            thread.join()
        for address, size in places:
            advise()(address, size, DONTNEED)


def _steps_of(places: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for address, size in places:
        for start in range(0, size, STEP):
            yield address + start, min(STEP, size - start)


def _map(steps: Iterable[tuple[int, int]], is_over: threading.Event) -> bool:
    """Map pages until it is over, or the system refuses it; whether it did not."""
    for address, size in steps:
        if is_over.is_set() or advise()(address, size, POPULATE_READ):
            return False
    return True


def _pages_of(array: np.ndarray) -> tuple[int, int]:
    """Where the pages begin that an array lies on, and how many bytes they are."""
    start: int = array.__array_interface__["data"][0]
    first = start - start % PAGE
    return first, -(-(start + array.nbytes - first) // PAGE) * PAGE
