"""Inputs to compare a model with its origin on: of several sizes, which the origin takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from nnir.model import Model
from nnir.progress import advance, stage

from ..judging.compare import is_float
from ..judging.result import CRASH
from ..oracles.oracle import Refused
from ..processes.worker import Lost
from .inputs import MANY, random_inputs, rank_sizes

Arrays = list[np.ndarray]

COUNT = 2
"""So many trials, each of other numbers, and of other sizes where those are open."""

CALLS = 3
"""So many where a program keeps state: what was lost shows from the second call on."""

SMALL = (1, 0)
"""What integers are at most where the origin takes no larger ones."""

NEARLY = 1e-6
"""How far floats may lie apart, relative to them, to be the same for a person."""


@dataclass(frozen=True)
class Trial:
    """Inputs, what the origin makes of them, and the sizes of open dimensions.

    `most`: what integers were at most, where the origin takes no larger ones.
    """

    arrays: Arrays
    wanted: Arrays
    sizes: Mapping[str, int]
    most: int | None = None


Failed = Refused | Lost
"""What an origin says of sizes that it does not take: no, or a crash, as by a division by 0."""


class Run(Protocol):
    """Gives the outputs of an origin; `is_first`: without what earlier calls left in it."""

    def __call__(self, arrays: Arrays, /, *, is_first: bool = False) -> Arrays:
        """Refused where the origin refuses."""
        raise NotImplementedError


def trials(model: Model, run: Run, seed: int = 0, count: int | None = None) -> list[Trial]:
    """Trials on random inputs; `run` gives the origin's outputs.

    Those of a model that keeps states are calls one after the other, all of the same sizes.

    Where the origin takes none of the sizes, integers are small: they may be positions in something
    that is smaller than what they were thought to be for. Refused, with what the origin says first,
    where it takes none of these either.
    """
    count = count or (CALLS if model.states else COUNT)
    with stage("asking the origin", count):
        make = _make_sequence if model.states else _make_trials
        refusal: Failed | None = None
        for most in (None, *SMALL) if any(v.is_integer for v in model.inputs) else (None,):
            try:
                return make(model, run, seed, count, most)
            except (Refused, Lost) as error:
                refusal = refusal or _require_crash(error)
        raise refusal or Refused("no inputs to try")


def _require_crash(error: Failed) -> Failed:
    """An answer to sizes; what took too long or too much memory is raised, as more of it would."""
    if isinstance(error, Lost) and error.kind != CRASH:
        raise error
    return error


def _make_sequence(model: Model, run: Run, seed: int, count: int, most: int | None) -> list[Trial]:
    """Calls one after the other, all of which the origin takes."""
    refusal: Failed | None = None
    for sizes in rank_sizes(model):
        found: list[Trial] = []
        try:
            while len(found) < count:
                arrays = random_inputs(model, seed + len(found), sizes, most)
                wanted = run(arrays, is_first=not found)
                found.append(Trial(arrays, wanted, sizes, most))
                advance()
        except (Refused, Lost) as error:
            refusal = refusal or _require_crash(error)
        else:
            return found
    raise refusal or Refused("no inputs to try")


def _make_trials(model: Model, run: Run, seed: int, count: int, most: int | None) -> list[Trial]:
    """Trials of different sizes, as far as the origin takes these."""
    found: list[Trial] = []
    refusal: Failed | None = None
    for sizes in rank_sizes(model):
        arrays = random_inputs(model, seed + len(found), sizes, most)
        if found and sum(a.size for a in arrays) > MANY:
            break
        try:
            found.append(Trial(arrays, run(arrays), sizes, most))
            advance()
        except (Refused, Lost) as error:
            refusal = refusal or _require_crash(error)
        if len(found) == count:
            return found
    if not found:
        raise refusal or Refused("no inputs to try")
    while len(found) < count:
        last = found[-1]
        arrays = random_inputs(model, seed + len(found), last.sizes, most)
        found.append(replace(last, arrays=arrays, wanted=run(arrays)))
        advance()
    return found


def weaknesses(names: list[str], found: list[Trial]) -> list[str]:
    """Why the trials prove little: outputs that do not depend on the inputs, one size only."""
    notes = []
    for place, name in enumerate(names):
        results = [t.wanted[place] for t in found]
        if not all(r.size for r in results):
            notes.append(f"output {name!r} has no elements")
        elif max(r.size for r in results) > 1 and all(map(_is_constant, results)):
            value = results[0].reshape(-1)[0]
            notes.append(f"output {name!r} is {value} everywhere, for every input tried")
        elif len(results) > 1 and _are_same(results) and _differ(found):
            notes.append(f"output {name!r} is the same for every input tried")
    if found[0].sizes and all(t.sizes == found[0].sizes for t in found):
        shown = ", ".join(f"{name}={size}" for name, size in found[0].sizes.items())
        notes.append(f"only one choice of open sizes was tried: {shown}")
    if (most := found[0].most) is not None:
        notes.append(f"the integers tried are {'0 and 1' if most else '0'}: no others are taken")
    return notes


def _is_constant(array: np.ndarray) -> bool:
    """Whether all elements are the same number, or nearly so for floats."""
    flat = array.reshape(-1)
    if not is_float(array.dtype):
        return bool((flat == flat[0]).all())
    numbers = flat.astype(np.float64)
    if not np.isfinite(numbers).all():
        return bool(np.isnan(numbers).all() or (numbers == numbers[0]).all())
    return float(np.ptp(numbers)) <= NEARLY * abs(float(numbers[0]))


def _are_same(results: Arrays) -> bool:
    first = results[0]
    return all(r.shape == first.shape and r.tobytes() == first.tobytes() for r in results[1:])


def _differ(found: list[Trial]) -> bool:
    """Whether the inputs of the trials differ, so that the outputs might."""
    sides = zip(found[0].arrays, found[1].arrays, strict=True)
    return any(a.tobytes() != b.tobytes() for a, b in sides)
