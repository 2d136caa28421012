"""A model that grows by operations, each evaluated at once: what proves nothing is taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from nnir.errors import BadType, NNAdapterError
from nnir.model import Model, Operator, Value
from nnir.types import TensorType, precision_of

from . import noise
from .validity import require_stable, require_tame, require_valid

MOST_ELEMENTS = 4096
RECENT = 4
NEW = 0.6
"""How often an operand is one of the values that were made last: so models become deep."""


class Growth:
    """A model, the samples of its values, and those of them that further operations may read."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator
        self.model = Model("random")
        self.samples: dict[Value, noise.Samples] = {}
        self.readable: list[Value] = []
        self.arrays: list[np.ndarray] = []

    def input(self, shape: Sequence[Any], array: np.ndarray) -> Value:
        """One more input of the model."""
        kind = TensorType(precision_of(array.dtype), tuple(shape))
        value = self.model.input(f"x{len(self.arrays)}", kind)
        self.arrays.append(array)
        self.samples[value] = noise.samples_of(array)
        self.readable.append(value)
        return value

    def constant(self, data: Any, dtype: Any = np.float32) -> Value:
        """A constant of the model."""
        return self.model.constant(np.array(data, dtype, order="C"))

    def weights(self, *shape: int, inner: int = 1) -> Value:
        """Random weights of which `inner` are added up for an element."""
        scale = 1.5 / np.sqrt(max(inner, 1))
        return self.constant(self.generator.uniform(-scale, scale, shape))

    def apply(self, operator: Operator[Any], *inputs: Any, **attributes: Any) -> Value:
        """The first result of one more operation; BadType where it proves nothing."""
        return self.apply_all(operator, *inputs, **attributes)[0]

    def apply_all(
        self, operator: Operator[Any], *inputs: Any, **attributes: Any
    ) -> tuple[Value, ...]:
        """All results of one more operation."""
        outputs = operator.append(inputs, attributes)
        operation = self.model.operations[-1]
        operands = [None if v is None else self.read(v) for v in operation.inputs]
        require_valid(operation, operands, self.generator)
        made = noise.run_samples(operation, operands, self.generator)
        for value, samples in zip(outputs, made, strict=True):
            if samples[0].size > MOST_ELEMENTS:
                raise BadType(f"{samples[0].size} elements")
            require_tame(samples[0])
            require_stable(value, samples)
            self.samples[value] = samples
        return outputs

    def read(self, value: Value) -> noise.Samples:
        """The samples of a value."""
        return self.samples.get(value) or noise.samples_of(_data(value))

    def array(self, value: Value) -> np.ndarray:
        """What a value is for the arrays of the model."""
        return self.read(value)[0]

    def attempt(self, make: Callable[[Growth], Iterable[Value]]) -> bool:
        """Grow by what a function makes, whose values become readable; whether that is valid."""
        before, symbols = len(self.model.operations), dict(self.model.symbols)
        try:
            made = list(make(self))
        except NNAdapterError:  # also one that the numbers refuse, such as sizes that do not fit
            self._take_back(before)
            self.model.symbols = symbols
            return False
        self.readable += [v for v in made if v not in self.readable]
        return True

    def _take_back(self, count: int) -> None:
        """Remove all operations but the first `count`."""
        late = self.model.operations[count:]
        for operation in late:
            for value in operation.outputs:
                self.samples.pop(value, None)
        self.model.remove(late)

    def pick(self, fits: Callable[[Value], bool] = lambda v: True) -> Value:
        """A readable value that fits; BadType where there is none."""
        found = [v for v in self.readable if fits(v)]
        if not found:
            raise BadType("no value fits")
        recent = found[-RECENT:] if self.chance(NEW) else found
        return recent[self.generator.integers(len(recent))]

    def pick_float(self, *ranks: int) -> Value:
        """A readable float value, of one of some ranks where they are named."""
        return self.pick(lambda v: v.is_float and (not ranks or v.rank in ranks))

    def choose(self, options: Sequence[Any]) -> Any:
        """One of some things."""
        return options[int(self.generator.integers(len(options)))]

    def chance(self, rate: float) -> bool:
        """True so often."""
        return bool(self.generator.random() < rate)

    def between(self, low: int, high: int) -> int:
        """An integer from `low` to `high`, both included."""
        return int(self.generator.integers(low, high, endpoint=True))

    def number(self, low: float = 0.2, high: float = 2.0) -> float:
        """A number with few digits."""
        return float(np.float32(round(float(self.generator.uniform(low, high)), 2)))

    def axis(self, value: Value) -> int:
        """An axis of a value, sometimes counted from the end."""
        found = self.between(0, max(value.rank - 1, 0))
        return found - value.rank if self.chance(0.3) else found


def _data(value: Value) -> np.ndarray:
    if value.constant is None:
        raise BadType(f"{value!r} has no samples")
    return value.constant
