"""Sizes to try a model with where it leaves them open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .dim import Expr, evaluate, symbols_of
from .errors import BadInput
from .model import Model
from .stateful import user_inputs

FEW = 2
"""So many samples of what is long."""


def open_sizes(model: Model) -> set[str]:
    """The names of the dynamic dimensions of the inputs."""
    return {n for v in user_inputs(model) for d in v.shape for n in symbols_of(d)}


def nearest_sizes(model: Model, chosen: Mapping[str, int]) -> dict[str, int]:
    """Of what is chosen the nearest that the model says is possible."""
    sizes = {}
    for name in sorted(open_sizes(model)):
        low, high = model.symbols.get(name, (0, None))
        wanted = max(low, chosen[name])
        sizes[name] = wanted if high is None else min(wanted, high)
    return sizes


def long_sizes(model: Model, size: int) -> dict[str, int]:
    """A size for all but the first axes of inputs, which count samples: sound and text are long."""
    names = open_sizes(model)
    samples = {n for v in user_inputs(model) if v.rank > 1 for n in symbols_of(v.shape[0])}
    return nearest_sizes(model, {name: FEW if name in samples else size for name in names})


def find_small(model: Model, least: int = 1) -> Callable[[Mapping[str, int]], bool]:
    """Whether with some open sizes one that the model makes is known to be below `least`, such as
    what a window makes of an image that is smaller."""
    made = {d for o in model.operations for v in o.outputs for d in v.shape if isinstance(d, Expr)}

    def is_small(sizes: Mapping[str, int]) -> bool:
        try:
            found = [evaluate(d, sizes) for d in made]
        except BadInput:
            return True
        return any(isinstance(size, int) and size < least for size in found)

    return is_small
