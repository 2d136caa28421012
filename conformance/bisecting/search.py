"""A walk through the operations of a model with the values that the origin hands to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hal.runtime.program import Program
from nnir.errors import FAILURES
from nnir.evaluate import run_operation
from nnir.extract import extract
from nnir.model import Model, Operation, Value
from nnir.numeric import apply_fuse_code
from nnir.ops import shape
from nnir.progress import follow
from nnir.types import Fuse

from ..judging.compare import Difference, compare, is_float
from ..judging.quantised import rounding_allowance
from ..judging.tolerance import (
    SINGLE,
    depending,
    is_element_wise,
    is_random,
    largest,
    relative_to,
)
from .finding import CONSTANT, CONVERSION, DEVICE, Arrays, Finding
from .intermediate import Known

IMAGES = (3, 4, 5)
"""Ranks of what has channels."""


class Walk:
    """Goes through the operations with the values that the origin hands to them."""

    def __init__(
        self,
        model: Model,
        arrays: Arrays,
        device: str,
        properties: str,
        tolerance: float | None,
        known: Known,
    ) -> None:
        self.model, self.device, self.properties = model, device, properties
        self.tolerance, self.known, self.has_turns = tolerance, known.values, known.has_turns
        self.operations = model.sorted()
        self.random = depending(self.operations)
        self.memory = dict(zip(model.inputs, arrays, strict=True))
        self.is_known: set[Value] = set(self.memory)
        self.ends_at = {_label(o, k): k for k, o in enumerate(self.operations)}
        self.names = self._names(known.by_node)
        self.dead = self._last_readers()
        self.compared = 0
        self.differences: dict[Operation, Difference] = {}
        self.rough: set[Value] = set()
        self.unknown: set[Value] = set()
        self._constants: set[Value] = set()

    def _names(self, by_node: bool) -> dict[Value, str]:
        """What the origin calls values: by their name, or as what a node of the source makes.

        A result with the name of another node took that one in, as RELU is fused into CONV_2D.
        """
        names = {v: v.name for v in self.model.values() if v.name is not None}
        if by_node:
            for label, step in self.ends_at.items():
                outputs = self.operations[step].outputs
                own = names.get(outputs[0], "")
                is_of_node = self.has_turns or own.rpartition("/")[0] == label
                if len(outputs) == 1 and own not in self.known and is_of_node:
                    names[outputs[0]] = label
        return names

    def _last_readers(self) -> list[list[Value]]:
        """The values nobody needs after a step: what a node of the source reads, it may keep."""
        last: dict[Value, int] = {}
        for step, operation in enumerate(self.operations):
            for value in (*operation.inputs, *operation.outputs):
                if value is not None and value.constant is None:
                    end = self.ends_at[_label(operation, step)]
                    last[value] = max(last.get(value, 0), end)
        dead: list[list[Value]] = [[] for _ in self.operations]
        for key, step in last.items():
            dead[step].append(key)
        return dead

    def first(self) -> Finding | None:
        """The first thing that is wrong, in order of execution."""
        for step, operation in enumerate(follow(self.operations, "comparing operations")):
            found = self._constant(step, operation) or self._step(step, operation)
            if found is not None:
                return found
            for key in self.dead[step]:
                self.memory.pop(key, None)
        return None

    def _constant(self, step: int, operation: Operation) -> Finding | None:
        """A constant that the source computes, and that was computed while loading."""
        for value in operation.inputs:
            if value is None or value.constant is None or value in self._constants:
                continue
            self._constants.add(value)
            want = self.origin_of(value, value.constant)
            if want is not None:
                found = self._differs(value, value.constant, want)
                if found.problem is not None:
                    return self._finding(
                        CONSTANT, step, value, found, [operation], [value.constant], [want]
                    )
        return None

    def _step(self, step: int, operation: Operation) -> Finding | None:
        """Run one operation by the reference and on the device; the origin's values go on."""
        arrays = [None if v is None else self._read(v) for v in operation.inputs]
        results = list(run_operation(operation, arrays))
        if is_random(operation) or any(v in self.unknown for v in operation.inputs):
            finding = None
            if not is_random(operation) and self.device != "builtin":
                finding = self._on_device(step, operation, results)
            self._remember(operation, self._take_drawn(operation, results))
            return finding
        truth, wrong = self._truth(operation, results)
        if wrong is not None:
            value, found = wrong
            part = self._source_node(step, operation)
            return self._finding(CONVERSION, step, value, found, part, results, truth)
        finding = None if self.device == "builtin" else self._on_device(step, operation, results)
        self._remember(operation, truth)
        return finding

    def _take_drawn(self, operation: Operation, results: Arrays) -> Arrays:
        """The random numbers that the origin drew, where it names them; what follows has them."""
        truth = []
        for value, mine in zip(operation.outputs, results, strict=True):
            name = self.names.get(value, "")
            want = self.known[name] if is_random(operation) and name in self.known else None
            if (
                want is None
                or want.dtype != mine.dtype
                or _squeeze_shape(want) != _squeeze_shape(mine)
            ):
                self.unknown.add(value)
                truth.append(mine)
            else:
                self.is_known.add(value)
                truth.append(want.reshape(mine.shape))
        return truth

    def _truth(
        self, operation: Operation, results: Arrays
    ) -> tuple[Arrays, tuple[Value, Difference] | None]:
        """The origin's results where it names them, and the first that the reference misses."""
        truth: Arrays = []
        wrong = None
        for value, mine in zip(operation.outputs, results, strict=True):
            want = self.origin_of(value, mine)
            if want is None:
                if not is_element_wise(operation) or self.rough & set(operation.inputs):
                    self.rough.add(value)
                truth.append(mine)
                continue
            self.is_known.add(value)
            truth.append(want)
            found = self._differs(value, mine, want)
            self._note(operation, found)
            if found.problem is not None and wrong is None:
                wrong = value, found
        self.compared += any(v in self.is_known for v in operation.outputs)
        return truth, wrong

    def origin_of(self, value: Value, mine: np.ndarray) -> np.ndarray | None:
        """The origin's array for a value, in our order of axes.

        Where images have channels last in the source, they may be turned, but by no TRANSPOSE.
        """
        name = self.names.get(value)
        if name is None or name not in self.known:
            return None
        want = self.known[name]
        if is_float(want.dtype) != is_float(mine.dtype):
            return None  # the integers that a quantised tensor is, or what they stand for
        made = value.producer
        if want.shape != mine.shape and _squeeze_shape(want) == _squeeze_shape(mine):
            want = want.reshape(mine.shape)
        if made is not None and name == made.origin != value.name:
            want = _activate(want, made)
        if not self.has_turns or (made is not None and made.operator is shape.transpose):
            return want if want.shape == mine.shape or name == value.name else None
        fitting = [turned for turned in turns(want) if turned.shape == mine.shape]
        for turned in fitting:
            if self._differs(value, mine, turned).problem is None:
                return turned
        if name == value.name:
            return want
        return fitting[0] if fitting else None

    def _on_device(self, step: int, operation: Operation, want: Arrays) -> Finding | None:
        """Run the operation alone on the device, against the reference on the same inputs."""
        part, sources = extract([operation], operation.outputs, operation.operator.name)
        inputs = [self._read(v) for v in sources]
        try:
            with Program(part, self.device, self.properties) as program:
                got = list(program(*inputs))
        except FAILURES as error:
            error.add_note(f"in operation {step} of {len(self.operations)}: {operation!r}")
            raise
        for value, mine, ours in zip(operation.outputs, got, want, strict=True):
            found = self._differs(value, mine, ours, is_alone=True)
            self._note(operation, found)
            if found.problem is not None:
                return self._finding(DEVICE, step, value, found, [operation], got, want)
        return None

    def _note(self, operation: Operation, found: Difference) -> None:
        """Keep what differs most of an operation."""
        known = self.differences.get(operation, found)
        is_worse = found.problem is not None or found.share > known.share
        self.differences[operation] = found if is_worse else known

    def _source_node(self, step: int, operation: Operation) -> list[Operation]:
        """The operations before and at `step` that came from the same node of the source."""
        label = _label(operation, step)
        part = {operation}
        for k in range(step, -1, -1):
            made = self.operations[k]
            if made in part:
                for value in made.inputs:
                    producer = None if value is None else value.producer
                    if (
                        producer is not None
                        and value not in self.is_known
                        and producer.origin == label
                    ):
                        part.add(producer)
        return [o for o in self.operations[: step + 1] if o in part]

    def _read(self, value: Value) -> np.ndarray:
        return value.constant if value.constant is not None else self.memory[value]

    def _remember(self, operation: Operation, results: Arrays) -> None:
        for value, result in zip(operation.outputs, results, strict=True):
            self.memory[value] = result

    def _differs(
        self, value: Value, got: np.ndarray, want: np.ndarray, *, is_alone: bool = False
    ) -> Difference:
        """`is_alone`: both from the very same inputs, not after other operations of ours."""
        limit = SINGLE.get(want.dtype.name, 0.0) if self.tolerance is None else self.tolerance
        is_exact = self.tolerance is not None or is_float(want.dtype)  # what rounds makes integers
        quanta = 0 if is_exact else rounding_allowance(value)
        most = self._most(value.producer, is_alone=is_alone)
        return compare(got, want, relative_to(limit, want, quanta, most))

    def _most(self, operation: Operation | None, *, is_alone: bool) -> float:
        """The magnitude whose rounding a result may have; any, where sums were made of it.

        What is ours on the way from the origin's values brings the rounding of its own magnitude.
        """
        if operation is None or not is_element_wise(operation):
            return np.inf
        read = (v for v in operation.inputs if v is not None and v.constant is None)
        ours = [] if is_alone else [v for v in read if v not in self.is_known]
        if any(v in self.rough for v in ours):
            return np.inf
        return max([1.0, *(largest(self._read(v)) for v in ours)])

    def _finding(
        self,
        kind: str,
        step: int,
        value: Value,
        found: Difference,
        part: Sequence[Operation],
        got: Arrays,
        want: Arrays,
    ) -> Finding:
        operation = self.operations[step]
        model, sources = extract(part, operation.outputs, operation.operator.name)
        return Finding(
            kind=kind,
            operation=operation.operator.name,
            origin=operation.origin or "",
            value=value.name or "",
            device=self.device,
            reason=found.problem or "",
            position=step,
            total=len(self.operations),
            difference=found,
            properties=self.properties,
            model=model,
            inputs=[np.array(self._read(v)) for v in sources],
            want=[np.array(a) for a in want],
            got=[np.array(a) for a in got],
        )


def turns(array: np.ndarray) -> Iterator[np.ndarray]:
    """An array as it is, with its channels first, and with its channels last."""
    yield array
    if array.ndim in IMAGES:
        yield np.moveaxis(array, -1, 1)
        yield np.moveaxis(array, 1, -1)


def _activate(array: np.ndarray, operation: Operation) -> np.ndarray:
    """What a node of the source makes after the activation that was fused into it."""
    code = operation.attributes.get("fuse_code", Fuse.NONE)
    return apply_fuse_code(array, code) if is_float(array.dtype) else array


def _squeeze_shape(array: np.ndarray) -> list[int]:
    return [n for n in array.shape if n != 1]


def _label(operation: Operation, step: int) -> str:
    return operation.origin or f"#{step}"
