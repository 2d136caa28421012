"""The files that a language model is exported as, and what their ends mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .networks import PLACES

Arrays = dict[str, np.ndarray]
Run = Callable[[Arrays], Arrays]


@dataclass(frozen=True)
class Part:
    """A file or an object, and what each of its inputs and outputs is, in its order.

    Names: words, mask, places, heard, hidden, logits; `past.0.key` and so on for the caches, of
    which the output of the same name is the next one; count (of words before), beams and origins
    (the beam that each word comes from) where several words share a buffer.
    """

    source: Any
    inputs: Sequence[str]
    outputs: Sequence[str]
    loading: Mapping[str, Any] = field(default_factory=dict)
    """What `nnadapter.load` is told beside the source."""
    words: str = "int64"
    """The type of words."""


@dataclass(frozen=True)
class Layout:
    """The parts of a model: "first" and "step", the same where one does, and maybe "encoder".

    `empty` is the cache before the first word; a cache of fixed size is as long as `places`.
    `word_by_word`: a call takes one word.
    """

    parts: Mapping[str, Part]
    empty: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    word_by_word: bool = False


def caches(layers: int, *, crossed: bool = False) -> list[str]:
    """Names of caches, layer by layer."""
    rooms = ("decoder.", "encoder.") if crossed else ("",)
    kinds = ("key", "value")
    return [f"past.{n}.{room}{kind}" for n in range(layers) for room in rooms for kind in kinds]


def decode(
    runs: Mapping[str, Run], layout: Layout, prompt: np.ndarray, start: np.ndarray, words: int
) -> list[int]:
    """The likeliest word behind those before it, again and again.

    `prompt` goes to the encoder where there is one, and `start` are the decoder's first words.
    """
    known: Arrays = {name: np.zeros(size, np.float32) for name, size in layout.empty.items()}
    if "encoder" in runs:
        known |= runs["encoder"]({"heard": prompt})
    now = start if "encoder" in runs else prompt
    known |= {"beams": np.ones(1, np.int32), "origins": np.zeros((1, 1, PLACES), np.int32)}
    written: list[int] = []
    count = 0
    for number in range(words):
        for some in np.split(now, now.shape[1], axis=1) if layout.word_by_word else [now]:
            places = np.arange(count, count + some.shape[1])[None]
            known |= {"words": some, "places": places, "count": np.array([count], np.int32)}
            count += some.shape[1]
            known |= {"mask": np.ones((1, count), np.int64)}
            known |= runs["step" if number else "first"](known)
        written.append(int(known["logits"][0, -1].argmax()))
        now = np.array([[written[-1]]])
    return written
