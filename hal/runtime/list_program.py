"""A program some of whose inputs and outputs are lists of tensors, or may be left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from nnir.errors import BadInput
from nnir.lists import sides_of
from nnir.model import Model

from .program import NOTHING, Program

End: TypeAlias = np.ndarray | Sequence[np.ndarray] | None
"""What an input or an output may be: an array, a list, or nothing where it may be left out."""


class ListProgram(Program):
    """Takes and gives lists of arrays, and None for what is left out, where the model says so.

    `inputs` and `outputs` are the tensors that these are made of; see `nnir.lists`. Who hands in
    those tensors, by name or to `call_tensors`, gets tensors.
    """

    def __init__(self, model: Model, *arguments: Any, **options: Any) -> None:
        super().__init__(model, *arguments, **options)
        self._given, self._made = sides_of(model)

    def __call__(  # type: ignore[override]  # a list is no array
        self, *values: End, outputs: Sequence[np.ndarray | None] = NOTHING
    ) -> list[End]:
        """The outputs in the model's order, for one array, list or None per input."""
        if outputs is not NOTHING:
            raise BadInput("outputs: a model whose ends are lists makes its own")
        return self._made.unpack(self.call_tensors(*self._given.pack(values)))

    def run(  # type: ignore[override]  # a list is no array
        self, inputs: Mapping[str, End]
    ) -> Mapping[str, End]:
        """As a call, by name; by the names of tensors it gives tensors."""
        tensors = {name: v for name, v in inputs.items() if isinstance(v, np.ndarray)}
        if self._given.has_lists and list(tensors) == list(inputs) and self._are_tensors(tensors):
            return super().run(tensors)
        names = self._given.names
        if set(inputs) != set(names):
            raise BadInput(f"inputs are {', '.join(names)}, not {', '.join(inputs)}")
        results = self(*(inputs[n] for n in names))
        return dict(zip(self._made.names, results, strict=True))

    def _are_tensors(self, inputs: Mapping[str, np.ndarray]) -> bool:
        return set(inputs) == {name for name, _ in self.inputs}
