"""The first operation of a model that is wrong on a device, or that was translated wrongly.

Every operation is run by itself on what its origin hands it, so that errors neither add up nor
hide. What goes in is, for each value, the origin's own where the origin can be asked for it by
name, else what the standard's reference makes of what the origin handed to it.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from hal.runtime.program import Program
from nnir.errors import FAILURES, Unsupported
from nnir.evaluate import run_operation
from nnir.extract import extract
from nnir.model import Model, Operation, Value
from nnir.passes import ends

from .case import Tolerance
from .compare import Difference, compare, is_float
from .inputs import random_inputs
from .intermediate import Known, intermediates
from .origins import run_origin
from .verify import QUANTA, TOLERANCES, handed, is_quantized
from .worker import available

CONVERSION, DEVICE, CONSTANT, TOGETHER = "conversion", "device", "constant", "together"
SOMEWHERE = "somewhere"
KINDS = {
    CONVERSION: "the model differs from its origin: the standard's reference gives something else",
    DEVICE: "the device differs from the standard's reference",
    CONSTANT: "a value that was computed while loading differs from the origin's",
    TOGETHER: "every operation agrees by itself, but not all together",
    SOMEWHERE: "the device agrees with the reference, the whole model not with its origin, whose "
    "inner values cannot be asked for",
}
SINGLE = {"float64": 1e-9, "float32": 2e-5, "float16": 4e-3, "bfloat16": 3e-2}
"""Largest error of one operation relative to the largest magnitude of its output."""

COPIES = 2
MOST_AXES = 5
Arrays = list[np.ndarray]


@dataclass(frozen=True)
class Finding:
    """What is wrong and what shows it: a model of the operation, its inputs and both results.

    `operation` is its name in the standard, `origin` the node of the source that it came from,
    `value` the name of the output that differs.
    """

    kind: str
    operation: str
    origin: str
    value: str
    device: str
    reason: str
    position: int
    total: int
    difference: Difference
    model: Model | None = None
    inputs: Arrays = field(default_factory=list)
    want: Arrays = field(default_factory=list)
    got: Arrays = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        names = ("kind", "operation", "origin", "value", "device", "reason", "position", "total")
        worst = self.difference
        numbers = {"max_absolute": worst.max_absolute, "max_ulp": worst.max_ulp}
        index = None if worst.index is None else list(worst.index)
        return {n: getattr(self, n) for n in names} | numbers | {"index": index}


@dataclass(frozen=True)
class Bisection:
    """What was looked at: `known` of `total` operations were compared with the origin's values.

    `finding` is None where everything agrees. `note` says what could not be done, and why.
    """

    finding: Finding | None
    known: int
    total: int
    note: str = ""

    @property
    def agrees(self) -> bool:
        return self.finding is None

    def __bool__(self) -> bool:
        return self.agrees


def bisect(
    source: Any,
    model: Model,
    device: str,
    inputs: Sequence[np.ndarray] | None = None,
    properties: str = "",
    *,
    tolerance: float | None = None,
    seed: int = 0,
) -> Bisection:
    """Find the first operation of `model` whose result leaves the tolerance.

    `tolerance`: of one operation, relative to the largest magnitude of its output; by precision
    when None. The origin runs first and ends before the device begins, and the device holds one
    operation at a time, so that of a model only one copy is in memory.
    """
    arrays = random_inputs(model, seed) if inputs is None else [np.asarray(a) for a in inputs]
    theirs = handed(model, arrays)
    with tempfile.TemporaryDirectory(prefix="bisect") as folder:
        known = intermediates(source, model, theirs, Path(folder))
        walk = _Walk(model, arrays, device, properties, tolerance, known)
        finding, note = walk.first(), known.note
        if finding is None and not fits(model):
            note = "; ".join(
                [*filter(None, [note]), "the whole model does not fit in memory at once"]
            )
        elif finding is None:
            kind = TOGETHER if walk.compared else SOMEWHERE
            finding = _together(source, model, device, properties, arrays, theirs, tolerance, kind)
        return Bisection(finding, walk.compared, len(walk.operations), note)


def fits(model: Model) -> bool:
    """Whether there is room for the weights as a device lays them out, beside as they are."""
    weights = {id(v): v.constant.nbytes for v in model.values() if v.constant is not None}
    return COPIES * sum(weights.values()) < available()


class _Walk:
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
        self.tolerance, self.known = tolerance, known.values
        self.operations = model.sorted()
        self.memory = {id(v): a for v, a in zip(model.inputs, arrays, strict=True)}
        self.is_known: set[int] = set(self.memory)
        self.ends_at = {_label(o, k): k for k, o in enumerate(self.operations)}
        self.names = self._names(known.by_node)
        self.dead = self._last_readers()
        self.compared = 0
        self._constants: set[int] = set()

    def _names(self, by_node: bool) -> dict[int, str]:
        """What the origin calls values: by their name, or as what a node of the source makes."""
        names = {id(v): v.name for v in self.model.values() if v.name is not None}
        if by_node:
            for label, step in self.ends_at.items():
                outputs = self.operations[step].outputs
                if len(outputs) == 1 and names.get(id(outputs[0])) not in self.known:
                    names[id(outputs[0])] = label
        return names

    def _last_readers(self) -> list[list[int]]:
        """The values nobody needs after a step: what a node of the source reads, it may keep."""
        last: dict[int, int] = {}
        for step, operation in enumerate(self.operations):
            for value in (*operation.inputs, *operation.outputs):
                if value is not None and value.constant is None:
                    end = self.ends_at[_label(operation, step)]
                    last[id(value)] = max(last.get(id(value), 0), end)
        dead: list[list[int]] = [[] for _ in self.operations]
        for key, step in last.items():
            dead[step].append(key)
        return dead

    def first(self) -> Finding | None:
        """The first thing that is wrong, in order of execution."""
        for step, operation in enumerate(self.operations):
            found = self._constant(step, operation) or self._step(step, operation)
            if found is not None:
                return found
            for key in self.dead[step]:
                self.memory.pop(key, None)
        return None

    def _constant(self, step: int, operation: Operation) -> Finding | None:
        """A constant that the source computes, and that was computed while loading."""
        for value in operation.inputs:
            if value is None or value.constant is None or id(value) in self._constants:
                continue
            self._constants.add(id(value))
            want = self._origin_of(value, value.constant)
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
        if operation.operator.is_random:
            self._remember(operation, results)
            return None
        truth, wrong = self._truth(operation, results)
        if wrong is not None:
            value, found = wrong
            part = self._source_node(step, operation)
            return self._finding(CONVERSION, step, value, found, part, results, truth)
        finding = None if self.device == "builtin" else self._on_device(step, operation, results)
        self._remember(operation, truth)
        return finding

    def _truth(
        self, operation: Operation, results: Arrays
    ) -> tuple[Arrays, tuple[Value, Difference] | None]:
        """The origin's results where it names them, and the first that the reference misses."""
        truth: Arrays = []
        wrong = None
        for value, mine in zip(operation.outputs, results, strict=True):
            want = self._origin_of(value, mine)
            if want is None:
                truth.append(mine)
                continue
            self.is_known.add(id(value))
            self.compared += 1
            truth.append(want)
            found = self._differs(value, mine, want)
            if found.problem is not None and wrong is None:
                wrong = value, found
        return truth, wrong

    def _origin_of(self, value: Value, mine: np.ndarray) -> np.ndarray | None:
        """The origin's array for a value, in our order of axes."""
        name = self.names.get(id(value))
        if name is None or name not in self.known:
            return None
        want = self.known[name]
        if is_float(want.dtype) != is_float(mine.dtype):
            return None  # the integers that a quantised tensor is, or what they stand for
        if want.shape != mine.shape and _squeezed(want) == _squeezed(mine):
            want = want.reshape(mine.shape)
        fitting = [turned for turned in _turns(want) if turned.shape == mine.shape]
        for turned in fitting:  # the order of axes may be another one than in the source
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
            found = self._differs(value, mine, ours)
            if found.problem is not None:
                return self._finding(DEVICE, step, value, found, [operation], got, want)
        return None

    def _source_node(self, step: int, operation: Operation) -> list[Operation]:
        """The operations before and at `step` that came from the same node of the source."""
        label = _label(operation, step)
        part = {id(operation)}
        for k in range(step, -1, -1):
            made = self.operations[k]
            if id(made) in part:
                for value in made.inputs:
                    producer = None if value is None else value.producer
                    if (
                        producer is not None
                        and id(value) not in self.is_known
                        and producer.origin == label
                    ):
                        part.add(id(producer))
        return [o for o in self.operations[: step + 1] if id(o) in part]

    def _read(self, value: Value) -> np.ndarray:
        return value.constant if value.constant is not None else self.memory[id(value)]

    def _remember(self, operation: Operation, results: Arrays) -> None:
        for value, result in zip(operation.outputs, results, strict=True):
            self.memory[id(value)] = result

    def _differs(self, value: Value, got: np.ndarray, want: np.ndarray) -> Difference:
        limit = SINGLE.get(want.dtype.name, 0.0) if self.tolerance is None else self.tolerance
        quanta = QUANTA if self.tolerance is None and is_quantized(value) else 0
        return compare(got, want, _relative(limit, want, quanta))

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
            model=model,
            inputs=[np.array(self._read(v)) for v in sources],
            want=[np.array(a) for a in want],
            got=[np.array(a) for a in got],
        )


def _turns(array: np.ndarray) -> Iterator[np.ndarray]:
    """An array with its axes in every order, its own first."""
    yield array
    if array.ndim <= MOST_AXES:
        yield from map(array.transpose, itertools.permutations(range(array.ndim)))


def _squeezed(array: np.ndarray) -> list[int]:
    return [n for n in array.shape if n != 1]


def _label(operation: Operation, step: int) -> str:
    return operation.origin or f"#{step}"


def _relative(limit: float, want: np.ndarray, quanta: int = 0) -> Tolerance:
    """A tolerance of so much of the largest magnitude."""
    if not limit or not want.size or not (is_float(want.dtype) or want.dtype.kind == "c"):
        return Tolerance(absolute=quanta)
    wide = np.abs(want.astype(np.complex128 if want.dtype.kind == "c" else np.float64))
    return Tolerance(absolute=limit * float(wide[np.isfinite(wide)].max(initial=0.0)))


def _together(
    source: Any,
    model: Model,
    device: str,
    properties: str,
    arrays: Arrays,
    theirs: Arrays,
    tolerance: float | None,
    kind: str,
) -> Finding | None:
    """The whole model on the device against the origin, after every operation agreed by itself."""
    try:
        origin, found = run_origin(source, model, theirs)
    except Unsupported:
        return None
    perms = ends.orders(model, ends.OUTPUTS)
    with Program(model, device, properties) as program:
        got = list(program(*arrays))
    for (name, value), mine, given in zip(model.named_outputs(), got, found, strict=True):
        want = given if name not in perms else given.transpose(perms[name])
        limit = TOLERANCES.get(want.dtype.name, 0.0) if tolerance is None else tolerance
        quanta = QUANTA if tolerance is None and is_quantized(value) else 0
        worst = compare(mine, want, _relative(limit, want, quanta))
        if worst.problem is not None:
            reason = f"output {name!r} differs from {origin}'s: {worst.problem}"
            count = len(model.operations)
            return Finding(kind, "", "", name, device, reason, count, count, worst)
    return None
