"""Random inputs for a model, from a seed."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from nnir.dim import evaluate
from nnir.errors import BadInput
from nnir.guesses import find_small, long_sizes, nearest_sizes, open_sizes
from nnir.lists import sides_of
from nnir.model import Model, Value
from nnir.stateful import user_inputs
from nnir.types import Precision

from .demands import count_broken, demands_of, known_sizes
from .input_ranges import range_of

SIZES = (2, 3, 4, 8, 16, 32, 64, 128, 224, 1)
"""What open dimensions may be; many models take small ones only from a certain size on. 1 proves
least: it is where nothing else is taken."""

LONG = (512, 4096, 16384)
"""The same for sound and text of few samples: some models take none that are shorter."""

LARGEST = 1 << 28
MANY = 1 << 24
"""Elements of all inputs, beyond which no size is tried that need not be."""


def random_inputs(
    model: Model,
    seed: int = 0,
    sizes: Mapping[str, int] | None = None,
    most: int | None = None,
) -> list[np.ndarray]:
    """One array per input of the caller; those that are a list of tensors belong together.

    Floats are uniform in [-1, 1), bools even, integers as `range_of` says. `sizes` gives dynamic
    dimensions by name; the others get the first of `rank_sizes`. `most`: integers lie between 0
    and it.
    """
    given = dict(sizes or {})
    names = open_sizes(model)
    if unknown := set(given) - names:
        raise BadInput(f"no dimension {', '.join(sorted(unknown))}; there are {sorted(names)}")
    if names - given.keys():
        given = rank_sizes(model)[0] | given
    generator = np.random.default_rng(seed)
    arrays = [np.asarray(_random(v, given, generator, most)) for v in user_inputs(model)]
    side, _ = sides_of(model)
    return side.sample(arrays, generator) if side.has_lists else arrays


def choose_sizes(
    model: Model, size: int, step: int = 0, known: Mapping[str, int] | None = None
) -> dict[str, int]:
    """Open dimensions of one size, or each larger than the one before by `step`, within what the
    model says of them; those that are `known` as they are."""
    names = sorted(open_sizes(model))
    chosen = {name: size + step * position for position, name in enumerate(names)}
    return nearest_sizes(model, chosen | dict(known or {}))


def rank_sizes(model: Model) -> list[dict[str, int]]:
    """Sizes of open dimensions to try, each choice once, those first that break the fewest demands
    of operations and with which nothing is empty: equal ones, then different ones."""
    demands = demands_of(model)
    known = known_sizes(demands)
    choices: list[dict[str, int]] = []
    for size in SIZES:
        for step in (0, 1):
            sizes = choose_sizes(model, size, step, known)
            if sizes not in choices:
                choices.append(sizes)
    for size in LONG:
        sizes = nearest_sizes(model, long_sizes(model, size) | known)
        if sizes not in choices and count_elements(model, sizes) <= MANY:
            choices.append(sizes)

    makes_nothing = find_small(model)

    def rank(sizes: Mapping[str, int]) -> tuple[int, bool]:
        return count_broken(demands, sizes), makes_nothing(sizes)

    return sorted(choices, key=rank)


def count_elements(model: Model, sizes: Mapping[str, int]) -> int:
    """How many elements the inputs have with these sizes, or more than are tried."""
    try:
        found = [[evaluate(d, sizes) for d in v.shape] for v in user_inputs(model)]
    except BadInput:
        return MANY + 1
    return sum(math.prod(d if isinstance(d, int) else MANY + 1 for d in shape) for shape in found)


def _random(
    value: Value, sizes: Mapping[str, int], generator: np.random.Generator, most: int | None
) -> np.ndarray:
    shape = []
    for dim in value.shape:
        size = evaluate(dim, sizes)
        if not isinstance(size, int):
            raise BadInput(f"input {value.name!r} {value.type}: the size of {size} is not known")
        shape.append(size)
    if any(not 0 <= size <= LARGEST for size in shape) or math.prod(shape) > LARGEST:
        raise BadInput(f"input {value.name!r} {value.type} has no size for random numbers: {shape}")
    if value.precision == Precision.BOOL8:
        return generator.random(shape) < 0.5
    if value.is_integer:
        low, high = range_of(value, sizes) if most is None else (0, most)
        kind = np.uint64 if high > np.iinfo(np.int64).max else np.int64
        return generator.integers(low, high, shape, kind, endpoint=True).astype(value.dtype)
    return generator.uniform(-1, 1, shape).astype(value.dtype)
