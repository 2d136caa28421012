"""A program some of whose inputs and outputs are lists of tensors, or may be left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nnir.errors import BadInput
from nnir.lists import sides_of
from nnir.model import Model

from .program import NOTHING, Program


class ListProgram(Program):
    """Takes and gives lists of arrays, and None for what is left out, where the model says so.

    `inputs` and `outputs` are the tensors that these are made of; see `nnir.lists`. Who hands in
    those tensors, by name or to `call_tensors`, gets tensors.
    """

    def __init__(self, model: Model, *arguments: Any, **options: Any) -> None:
        super().__init__(model, *arguments, **options)
        self._given, self._made = sides_of(model)

    def __call__(self, *values: Any, outputs: Sequence[np.ndarray | None] = NOTHING) -> list[Any]:
        """The outputs in the model's order, for one array, list or None per input."""
        if outputs is not NOTHING:
            raise BadInput("outputs: a model whose ends are lists makes its own")
        return self._made.unpack(self.call_tensors(*self._given.pack(values)))

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """As a call, by name."""
        tensors = [name for name, _ in self.inputs]
        if self._given.has_lists and set(inputs) == set(tensors):
            return super().run(inputs)
        names = self._given.names
        if set(inputs) != set(names):
            raise BadInput(f"inputs are {', '.join(names)}, not {', '.join(inputs)}")
        results = self(*(inputs[n] for n in names))
        return dict(zip(self._made.names, results, strict=True))


def program_of(model: Model | None, *arguments: Any, **options: Any) -> Program:
    """A program that takes and gives what users of the model know."""
    if model is None or not any(side.has_lists for side in sides_of(model)):
        return Program(model, *arguments, **options)
    return ListProgram(model, *arguments, **options)
