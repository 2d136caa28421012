"""The framework of a source, asked several times about one model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from hal.runtime.program import Program
from nnir.model import Model
from nnir.passes import ends
from nnir.passes.orders import Perm, inverse

from .origins import Session, session_of

Arrays = list[np.ndarray]
BUILTIN = "builtin"


class Origin:
    """Runs `source` in its own framework; what a model means is in the NumPy references.

    Arrays are in the order of axes of `model`, which may differ from the origin's own. A context
    manager: entering it starts the framework.
    """

    def __init__(self, source: Any, model: Model) -> None:
        self.source, self.model = source, model
        self._session: Session | None = None
        self._stack = ExitStack()
        self._outputs = ends.orders(model, ends.OUTPUTS)

    def __enter__(self) -> Origin:
        if not isinstance(self.source, Model):
            self._session = self._stack.enter_context(session_of(self.source, self.model))
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def name(self) -> str:
        """The framework that answered last."""
        return BUILTIN if self._session is None else self._session.name

    def run(self, arrays: Sequence[np.ndarray]) -> Arrays:
        """The outputs of the origin, in the model's order; Refused where it refuses."""
        if self._session is None:
            with Program(self.source, BUILTIN) as program:
                return list(program(*arrays))
        return self._ordered(self._session.run(as_in_origin(self.model, arrays)))

    def others(self, arrays: Sequence[np.ndarray]) -> Iterator[tuple[str, Arrays]]:
        """What other kernels of the same framework give, by their names."""
        if self._session is not None:
            for name, found in self._session.run_others(as_in_origin(self.model, arrays)):
                yield name, self._ordered(found)

    def _ordered(self, found: Arrays) -> Arrays:
        outputs = [name for name, _ in self.model.named_outputs()]
        return [ordered(a, self._outputs.get(n)) for n, a in zip(outputs, found, strict=True)]


def as_in_origin(model: Model, arrays: Sequence[np.ndarray]) -> Arrays:
    """The inputs in the order of axes that the origin has."""
    names = [v.name or "" for v in model.inputs]
    own = {n: inverse(p) for n, p in ends.orders(model, ends.INPUTS).items()}
    return [ordered(a, own.get(n)) for n, a in zip(names, arrays, strict=True)]


def ordered(array: np.ndarray, perm: Perm | None) -> np.ndarray:
    """An array with its axes in another order."""
    return array if perm is None else array.transpose(perm)
