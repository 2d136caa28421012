"""Rows with sizes that are known only while running: all of them, or some beside known ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from .direct import DirectCase


def by_turns(cases: Iterable[DirectCase]) -> Iterator[DirectCase]:
    """Of each operator's rows, one with all sizes open, one with every second one, one with the
    others, and so on: what one open size hides, another row shows."""
    turns: Counter[str] = Counter()
    for case in cases:
        if not case.can_open:
            continue
        turn, sizes = turns[case.op] % 3, case.sizes
        turns[case.op] += 1
        known = tuple(sizes[turn - 1 :: 2]) if turn and len(sizes) > 1 else ()
        yield replace(case, is_open=True, known=known)
