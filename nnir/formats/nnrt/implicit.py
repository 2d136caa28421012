"""The reverse of `explicit`: casts around an operation become scales of its own tensors.

An operation whose real inputs all come from integers, and whose results all become integers, is one
on these integers: NNRt's integer operations. What `explicit` writes out of it is what was there.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from .enums import DataType
from .explicit import CAST, PRODUCTS
from .model import ABSENT, Model, Operation, Tensor, arguments_of

BYTES = frozenset({DataType.INT8, DataType.UINT8})
"""Integers that a cast there and back leaves as they are."""


def take_in(model: Model) -> Model:
    """The same model with casts taken into the operations that they surround."""
    if not any(t.is_quantized for t in model.tensors):
        return model
    return _Taker(model).run()


class _Taker:
    """Which tensor of integers stands behind a real one, and before."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.tensors = list(model.tensors)
        self.readers = Counter(k for o in model.operations for k in o.inputs if k != ABSENT)
        self.readers.update(model.outputs)
        self.behind: dict[int, int] = {}
        self.before: dict[int, int] = {}
        for operation in model.operations:
            if operation.definition.name == CAST.name:
                self.note(operation)

    def note(self, operation: Operation) -> None:
        """A cast from or to integers, by one scale or by those of the first axis."""
        (source,), (target,) = operation.inputs, operation.outputs
        given, made = self.tensors[source], self.tensors[target]
        how = given.quantization if given.is_quantized else made.quantization
        axis = arguments_of(self.model, operation).get("axis", 0)
        if how is None or (len(how.scales) > 1 and axis):
            return
        if given.is_quantized and made.data_type == DataType.FLOAT32:
            self.before[target] = source
        elif given.data_type == DataType.FLOAT32 and made.data_type in BYTES:
            self.behind[source] = target

    def run(self) -> Model:
        """The operations that are left, and the tensors that they use."""
        taken = {}
        for operation in self.model.operations:
            if operation.definition.name != CAST.name:
                found = self.take(operation)
                if found is not None:
                    taken[operation] = found
        made = {k for o in taken.values() for k in o.outputs}
        operations = [taken.get(o, o) for o in self.model.operations]
        kept = [
            o for o, old in zip(operations, self.model.operations, strict=True)
            if old in taken or made.isdisjoint(o.outputs)
        ]  # fmt: skip
        return compact(replace(self.model, tensors=tuple(self.tensors)), kept)

    def take(self, operation: Operation) -> Operation | None:
        """The operation on integers; None where some of its ends are real."""
        is_product = operation.definition.name in PRODUCTS
        inputs = list(operation.inputs)
        for place, number in enumerate(inputs):
            if number == ABSENT or not self.tensors[number].data_type.is_float:
                continue
            source = self.before.get(number)
            if source is None:
                return None
            if place == 2 and is_product:
                plain = self.bias(source, inputs)
                if plain is None:
                    return None
                inputs[place] = plain
            elif self.tensors[source].data_type in BYTES:
                inputs[place] = source
            else:
                return None
        outputs = [self.behind.get(k, k) for k in operation.outputs]
        for number, end in zip(operation.outputs, outputs, strict=True):
            is_real = self.tensors[number].data_type.is_float
            if is_real and (end == number or self.readers[number] != 1):
                return None
        if inputs == list(operation.inputs):
            return None
        return replace(operation, inputs=tuple(inputs), outputs=tuple(outputs))

    def bias(self, source: int, inputs: list[int]) -> int | None:
        """A bias without a scale, where its own is that of the products."""
        tensor = self.tensors[source]
        hows = [self.tensors[k].quantization for k in (*inputs[:2], source)]
        if None in hows or tensor.data_type != DataType.INT32 or tensor.data is None:
            return None
        first, second, own = (np.array(h.scales, np.float32) for h in hows if h is not None)
        zeros = hows[2].zero_points if hows[2] is not None else ()
        if len(first) > 1 or any(zeros) or not np.array_equal(first * second, own):
            return None
        self.tensors.append(replace(tensor, quantization=None))
        return len(self.tensors) - 1


def compact(model: Model, operations: list[Operation]) -> Model:
    """A model of the operations that its outputs need, and of the tensors that these use."""
    needed = set(model.outputs)
    kept: list[Operation] = []
    for operation in reversed(operations):
        if not needed.isdisjoint(operation.outputs):
            kept.append(operation)
            needed.update(operation.inputs)
    kept.reverse()
    numbers: dict[int, int] = {ABSENT: ABSENT}
    tensors: list[Tensor] = []

    def renumber(given: tuple[int, ...]) -> tuple[int, ...]:
        for number in given:
            if number not in numbers:
                numbers[number] = len(tensors)
                tensors.append(model.tensors[number])
        return tuple(numbers[k] for k in given)

    inputs = renumber(model.inputs)
    made = [
        Operation(o.code, renumber(o.parameters), renumber(o.inputs), renumber(o.outputs))
        for o in kept
    ]
    return Model(tuple(tensors), tuple(made), inputs, renumber(model.outputs), model.name)
