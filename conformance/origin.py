"""The framework of a source, asked several times about one model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hal.runtime.program import Program
from nnir.model import Model
from nnir.passes import ends
from nnir.passes.orders import Perm, inverse

from .origins import run_origin

Arrays = list[np.ndarray]


class Origin:
    """Runs `source` in its own framework; what a model means is in the NumPy references.

    Arrays are in the order of axes of `model`, which may differ from the origin's own. `name` is
    the framework's, known after the first run. A context manager.
    """

    def __init__(self, source: Any, model: Model) -> None:
        self.source, self.model = source, model
        self.name = "builtin"
        self._outputs = ends.orders(model, ends.OUTPUTS)

    def __enter__(self) -> Origin:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, arrays: Sequence[np.ndarray]) -> Arrays:
        """The outputs of the origin, in the model's order."""
        if isinstance(self.source, Model):
            return list(Program(self.source, "builtin")(*arrays))
        given = as_in_origin(self.model, arrays)
        self.name, found = run_origin(self.source, self.model, given)
        outputs = [name for name, _ in self.model.named_outputs()]
        return [ordered(a, self._outputs.get(n)) for n, a in zip(outputs, found, strict=True)]

    def others(self, arrays: Sequence[np.ndarray]) -> Iterator[tuple[str, Arrays]]:
        """What other kernels of the same framework give, by their names."""
        return iter(())


def as_in_origin(model: Model, arrays: Sequence[np.ndarray]) -> Arrays:
    """The inputs in the order of axes that the origin has."""
    names = [v.name or "" for v in model.inputs]
    own = {n: inverse(p) for n, p in ends.orders(model, ends.INPUTS).items()}
    return [ordered(a, own.get(n)) for n, a in zip(names, arrays, strict=True)]


def ordered(array: np.ndarray, perm: Perm | None) -> np.ndarray:
    """An array with its axes in another order."""
    return array if perm is None else array.transpose(perm)
