"""What a question is about: read off its numbers and answers, and off the words of its title."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .ask import Heard

KINDS = {
    "NaN": "a NaN goes in or comes out",
    "infinity": "an infinity goes in or comes out",
    "empty": "a tensor without elements goes in or comes out",
    "overflow": "numbers at the ends of their type",
    "ties": "equal elements, or what lies exactly between two",
    "rounding": "how results are rounded",
    "zero": "the sign of zero, or a division by it",
    "default": "what holds where nothing is said",
    "refusal": "some refuse what others compute",
    "types": "the precision of results",
    "meaning": "the same name for another computation",
}
"""Every kind, and what it says."""

WORDS = {
    "overflow": r"least int|wrap|overflow|saturat|out of range|largest int|too large|beyond",
    "ties": r"\bhalf\b|\bhalves\b|\btie|equal|twice|exactly|duplicate|same element",
    "rounding": r"\bround|truncat|floor|digits|trunc|epsilon",
    "zero": r"-0|zero",
    "default": r"\bdefault",
    "types": r"type|precision|dtype|promot",
}


def kinds_of(heard: Heard) -> tuple[str, ...]:
    """The kinds of a question, in the order of `KINDS`; `meaning` where it has no other."""
    question, found = heard.question, set[str]()
    given = list(arrays_in((question.inputs, *(c.inputs for c in question.cases.values()))))
    answers = [a for reply in heard.replies.values() for a in reply.arrays]
    for array in (*given, *answers):
        found |= set(_of_numbers(array))
    if any(is_at_limits(a) for a in given):
        found.add("overflow")
    found |= {kind for kind, words in WORDS.items() if re.search(words, question.title)}
    if len({bool(r.refusal) for r in heard.replies.values()}) > 1:
        found.add("refusal")
    return tuple(k for k in KINDS if k in found) or ("meaning",)


def _of_numbers(array: np.ndarray) -> Iterator[str]:
    if not array.size:
        yield "empty"
    if array.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            if np.isnan(array).any():
                yield "NaN"
            if np.isinf(array).any():
                yield "infinity"


def is_at_limits(array: np.ndarray) -> bool:
    """Whether an integer of at least 32 bits is the least or the largest of its type."""
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 4 or not array.size:
        return False
    limits = np.iinfo(array.dtype)
    return bool(array.max() == limits.max or (limits.min and array.min() == limits.min))


def arrays_in(given: Any) -> Iterator[np.ndarray]:
    """Every array in nested arguments."""
    array = getattr(given, "array", given)
    if isinstance(array, np.ndarray):
        yield array
    elif isinstance(given, (list, tuple)):
        for part in given:
            yield from arrays_in(part)


def differing_pairs(heard: Heard) -> list[str]:
    """Pairs of voices with other answers, `a b` in the order of their names."""
    place = {voice: k for k, group in enumerate(heard.groups) for voice in group.voices}
    return [f"{a} {b}" for a, b in pairs(place) if place[a] != place[b]]


def pairs(voices: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each two of some voices once."""
    names = sorted(voices)
    return ((a, b) for k, a in enumerate(names) for b in names[k + 1 :])
