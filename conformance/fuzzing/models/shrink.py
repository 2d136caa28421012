"""The fewest operations of a model that still fail in the same way."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nnir.errors import NNAdapterError
from nnir.extract import extract
from nnir.model import Model, Operation, Value
from nnir.passes.rewrite import sweep
from nnir.specialise import specialise

from . import noise
from .rows import SEEDS, random_array
from .trial import copy_of
from .validity import require_stable

Arrays = list[np.ndarray]
Fails = Callable[[Model, Arrays], bool]


@dataclass
class Shrinker:
    """A model that fails, and what becomes of it: `model` and `arrays` are the smallest so far."""

    model: Model
    arrays: Arrays
    fails: Fails
    deadline: float
    tried: int = 0

    def run(self) -> None:
        """Make the model smaller in every way, until none is left or the time is over."""
        while self._is_early():
            before = self._size()
            for way in (self._one_output, self._fewer_operations, self._without_one):
                way()
            if self._size() == before:
                break
        for way in (self._plain_attributes, self._known_sizes, self._plain_numbers):
            way()

    def _is_early(self) -> bool:
        return time.monotonic() < self.deadline

    def _size(self) -> tuple[int, int]:
        return len(self.model.operations), len(self.model.outputs)

    def _take(self, model: Model, arrays: Arrays) -> bool:
        """Go on with a smaller model where it is valid and fails."""
        if not self._is_early() or not model.operations or not is_valid(model, arrays):
            return False
        self.tried += 1
        if not self.fails(model, arrays):
            return False
        self.model, self.arrays = model, arrays
        return True

    def _one_output(self) -> None:
        """Keep one output."""
        for place in range(len(self.model.outputs)):
            if len(self.model.outputs) == 1:
                return
            model = copy_of(self.model)
            model.outputs = [model.outputs[place]]
            model.output_names = []
            if self._take(*_without_unread(model, self.arrays)):
                return

    def _fewer_operations(self) -> None:
        """Cut parts of the model away: what they made becomes an input."""
        size = max(len(self.model.operations) // 2, 1)
        while size and self._is_early():
            start, shrunk = 0, False
            while start < len(self.model.operations) and self._is_early():
                kept = self.model.sorted()
                left = kept[:start] + kept[start + size :]
                if left and self._take(*_part(self.model, self.arrays, left)):
                    shrunk = True
                else:
                    start += size
            size = size if shrunk and size == 1 else size // 2

    def _without_one(self) -> None:
        """Let readers of an operation read its operand, where both have one type."""
        for place in range(len(self.model.operations) - 1, -1, -1):
            if place < len(self.model.operations):
                self._bypass(place)

    def _bypass(self, place: int) -> None:
        """Let readers of one operation read one of its operands."""
        for number in _like(self.model.operations[place]):
            model = copy_of(self.model)
            operation = model.operations[place]
            source = operation.inputs[number]
            if source is not None:
                model.replace(operation.outputs[0], source)
                if self._take(*_without_unread(model, self.arrays)):
                    return

    def _plain_attributes(self) -> None:
        """Give attributes their defaults."""
        for place, operation in enumerate(self.model.operations):
            for name, default in operation.operator.attributes.items():
                plain = _plain_attribute(operation.attributes[name], default)
                if operation.attributes[name] == plain:
                    continue
                changed = copy_of(self.model)
                attributes = changed.operations[place].attributes
                changed.operations[place].attributes = {**attributes, name: plain}
                if has_its_types(changed):
                    self._take(changed, self.arrays)

    def _known_sizes(self) -> None:
        """Give open sizes the numbers that they have."""
        if any(not v.is_static for v in self.model.inputs):
            try:
                model = specialise(self.model, [a.shape for a in self.arrays])
            except NNAdapterError:
                return
            self._take(model, self.arrays)

    def _plain_numbers(self) -> None:
        """Take random numbers from a seed, or rounded ones, for arrays and constants."""
        for place in range(len(self.arrays)):
            for array in _plainer(self.arrays[place]):
                arrays = [*self.arrays[:place], array, *self.arrays[place + 1 :]]
                if self._take(self.model, arrays):
                    break
        count = sum(1 for _ in _constants(self.model))
        for place in range(count):
            known = list(_constants(self.model))[place].constant
            for array in () if known is None else _plainer(known):
                model = copy_of(self.model)
                list(_constants(model))[place].constant = array
                if self._take(model, self.arrays):
                    break


def is_valid(model: Model, arrays: Arrays) -> bool:
    """Whether rounding leaves every result where it is."""
    try:
        for value, samples in noise.all_samples(model, arrays).items():
            if not all(np.isfinite(s.astype(np.float64)).all() for s in samples):
                return False
            require_stable(value, samples)
    except NNAdapterError:
        return False
    return True


def has_its_types(model: Model) -> bool:
    """Whether every operation still has a type, which its results are given."""
    try:
        for operation in model.sorted():
            types = operation.infer()
            if len(types) != len(operation.outputs):
                return False
            for value, type in zip(operation.outputs, types, strict=True):
                value.type = type
    except NNAdapterError:
        return False
    return True


def _part(model: Model, arrays: Arrays, operations: Sequence[Operation]) -> tuple[Model, Arrays]:
    """A model of some operations; what they read of others is an input, with what it was."""
    chosen = set(operations)
    made = [v for o in operations for v in o.outputs]
    wanted = set(model.outputs)
    ends = [v for v in made if v in wanted or not any(u in chosen for u in v.uses)]
    read = [v for v in ends if v in wanted] or ends[-1:]
    memory = noise.all_samples(model, arrays)
    part, inputs = extract(operations, read)
    for place, (value, source) in enumerate(zip(part.inputs, inputs, strict=True)):
        value.name = f"x{place}"
        if source.producer is not None and not source.is_static:
            array = memory[source][0]
            value.type = value.type.with_shape(array.shape)
    if not has_its_types(part):
        part.operations = []
    return _without_unread(part, [memory[v][0] for v in inputs])


def _without_unread(model: Model, arrays: Arrays) -> tuple[Model, Arrays]:
    """The model without what no output depends on."""
    sweep(model)
    pairs = [(v, a) for v, a in zip(model.inputs, arrays, strict=True) if v.uses]
    model.inputs = [v for v, _ in pairs]
    return model, [a for _, a in pairs]


def _like(operation: Operation) -> list[int]:
    """The places of operands that have the type of the only result."""
    if len(operation.outputs) != 1:
        return []
    type = operation.outputs[0].type
    read = enumerate(operation.inputs)
    return [k for k, v in read if v is not None and v.constant is None and v.type == type]


def _plain_attribute(value: Any, default: Any) -> Any:
    """The default, or ones where there is none."""
    if default is not inspect.Parameter.empty:
        return default
    is_sizes = isinstance(value, tuple) and all(isinstance(v, int) for v in value)
    return (1,) * len(value) if is_sizes else value


def _constants(model: Model) -> Iterator[Value]:
    """Every constant once, in order."""
    return (v for v in model.values() if v.constant is not None)


def _plainer(array: np.ndarray) -> Iterator[np.ndarray]:
    """Arrays that are easier to write, and to read."""
    if array.size < 2 or array.dtype.kind not in "fiu":
        return
    if array.dtype.kind == "f":
        yield np.ones_like(array)
    for seed in range(min(SEEDS, 3)):
        yield random_array(array, seed)
    if array.dtype.kind == "f":
        yield np.round(array, 1)
