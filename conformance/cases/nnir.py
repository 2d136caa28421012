"""Cases of operators that no ONNX operator reaches: called directly, against plain NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnir.model import Model
from nnir.operator import Operator
from nnir.types import TensorType, precision_of

from ..case import EXACT, Tolerance
from ..compare import compare


@dataclass(frozen=True)
class DirectCase:
    """An operator on arrays. `expected` computes the results another way, in NumPy."""

    operator: Operator
    inputs: tuple[np.ndarray, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    expected: Callable[..., Any] | None = None
    tol: Tolerance = EXACT
    why: str = ""

    def __str__(self) -> str:
        return f"{self.operator.name}-{self.why or 'plain'}"

    def model(self) -> Model:
        """A model of the one operation."""
        model = Model(self.operator.name)
        values = [
            model.input(f"x{k}", TensorType(precision_of(a.dtype), a.shape))
            for k, a in enumerate(self.inputs)
        ]
        model.outputs = list(self.operator.append(tuple(values), self.attrs))
        return model

    def compare(self, got: Sequence[np.ndarray]) -> None:
        """AssertionError where the results are not the expected ones."""
        if self.expected is None:
            return
        want = self.expected(*self.inputs)
        for mine, theirs in zip(got, want if isinstance(want, list) else [want], strict=True):
            problem = compare(mine, np.asarray(theirs), self.tol).problem
            if problem is not None:
                raise AssertionError(problem)


CASES: list[DirectCase] = []
