"""What two models give for the same random inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from conformance.verifying.inputs import random_inputs
from conformance.verifying.verify import rows_of
from hal.runtime.program import Program
from nnir.check import compatible
from nnir.dim import symbols_of
from nnir.errors import BadInput
from nnir.model import Model
from nnir.stateful import user_inputs, user_outputs


def run_both(
    a: Model,
    b: Model,
    device: str,
    *,
    seed: int = 0,
    sizes: Mapping[str, int] | None = None,
    tolerance: float | None = None,
) -> list[dict[str, Any]]:
    """A row for each output: how far the second model's is from the first one's.

    Inputs belong together by name where all names are the same, else by place. The tolerance is
    that of `verify`. BadInput where the models do not take or give the same.
    """
    if len(user_outputs(a)) != len(user_outputs(b)):
        raise BadInput(
            f"{len(user_outputs(a))} and {len(user_outputs(b))} outputs: results are compared one "
            "by one; leave --run away"
        )
    order = pair_inputs(a, b)
    arrays = random_inputs(a, seed, find_sizes(a, b, order) | dict(sizes or {}))
    wanted = Program(a, device)(*arrays)
    got = Program(b, device)(*_in_order(arrays, order))
    return [asdict(row) for row in rows_of(a, got, wanted, tolerance)]


def _in_order(arrays: list[np.ndarray], order: list[int]) -> list[np.ndarray]:
    return [arrays[place] for place in order]


def find_sizes(a: Model, b: Model, order: list[int]) -> dict[str, int]:
    """The sizes that are open in the first model and numbers in the second one."""
    found = {}
    for place, value in zip(order, user_inputs(b), strict=True):
        for open_dim, dim in zip(a.inputs[place].shape, value.shape, strict=True):
            if isinstance(dim, int) and {str(open_dim)} == symbols_of(open_dim):
                found[str(open_dim)] = dim
    return found


def pair_inputs(a: Model, b: Model) -> list[int]:
    """For each input of `b`, the place of the one of `a` that it gets."""
    mine, theirs = user_inputs(a), user_inputs(b)
    names = {v.name: place for place, v in enumerate(mine)}
    is_named = len(names) == len(mine) and names.keys() == {v.name for v in theirs}
    order = [names[v.name] if is_named else place for place, v in enumerate(theirs)]
    types = [mine[place].type if place < len(mine) else None for place in order]
    fit = len(mine) == len(theirs) and all(
        t is not None and compatible(t, v.type) for t, v in zip(types, theirs, strict=True)
    )
    if not fit:
        left, right = (", ".join(f"{v.name}: {v.type}" for v in m) for m in (mine, theirs))
        raise BadInput(f"inputs ({left}) and ({right}) are not the same; leave --run away")
    return order
