"""What differs between two models: ends, operations, names, weights, results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, field
from typing import Any, TypeGuard

import numpy as np

from nnir.dim import symbols_of
from nnir.model import Model, Operation, Value
from nnir.records import dataclass
from nnir.specialise import rename_sizes

from .facts import facts
from .matching import Pairs, describe_attributes, match

SAME, CHANGED, REMOVED, ADDED = "same", "changed", "removed", "added"
CHUNK = 1 << 20


@dataclass(frozen=True)
class Row:
    """One operation of the first model, of the second, or of both; `notes` say what differs."""

    state: str
    left: str = ""
    right: str = ""
    left_operator: str = ""
    right_operator: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def is_renamed(self) -> bool:
        return bool(self.left and self.right and self.left != self.right)


@dataclass(frozen=True)
class Weight:
    """One weight in both models, or in one; `largest` is the largest absolute difference."""

    state: str
    name: str
    left_type: str = ""
    right_type: str = ""
    largest: float | None = None
    differing: int | None = None
    renamed: str = ""


@dataclass(frozen=True)
class End:
    """An input or output at one place."""

    kind: str
    left: str
    right: str
    left_type: str
    right_type: str


@dataclass
class Difference:
    """Two models side by side; true where nothing differs, or nothing but names that are ignored.

    `results` are rows of outputs where the models were run.
    """

    left: dict[str, Any]
    right: dict[str, Any]
    ends: list[End]
    rows: list[Row]
    weights: list[Weight]
    results: list[dict[str, Any]] | None = None
    ignores_names: bool = False

    def __bool__(self) -> bool:
        return self.is_equal(ignore_names=self.ignores_names)

    def count(self, state: str) -> int:
        """How many operations there are of a state."""
        return sum(row.state == state for row in self.rows)

    @property
    def renamed(self) -> int:
        """How many things are only called otherwise."""
        ends = sum(bool(e.left and e.right and e.left != e.right) for e in self.ends)
        weights = sum(bool(w.renamed) for w in self.weights)
        return ends + weights + sum(row.is_renamed for row in self.rows)

    def is_equal(self, *, ignore_names: bool = False) -> bool:
        """Whether nothing differs, or nothing but names."""
        structure = all(row.state == SAME for row in self.rows)
        ends = all(e.left_type == e.right_type for e in self.ends)
        weights = all(w.state == SAME for w in self.weights)
        results = all(row["agrees"] for row in self.results or ())
        return structure and ends and weights and results and (ignore_names or not self.renamed)

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it; operations that are the same are only counted."""
        states = (SAME, CHANGED, REMOVED, ADDED)
        shown = [r for r in self.rows if r.state != SAME or r.is_renamed]
        unequal = [w for w in self.weights if w.state != SAME or w.renamed]
        return {
            "equal": self.is_equal(),
            "equal_but_names": self.is_equal(ignore_names=True),
            "left": self.left,
            "right": self.right,
            "ends": [asdict(e) for e in self.ends],
            "counts": {state: self.count(state) for state in states} | {"renamed": self.renamed},
            "operations": [asdict(row) for row in shown],
            "weights": {s: sum(w.state == s for w in self.weights) for s in states},
            "differing_weights": [asdict(w) for w in unequal],
            "results": self.results,
        }


def compare(a: Model, b: Model, *, ignore_names: bool = False) -> Difference:
    """The differences of two models, without running them.

    `ignore_names`: what is only called otherwise is equal, open sizes too.
    """
    if ignore_names:
        b = _with_sizes_like(a, b)
    pairs = match(a, b)
    return Difference(
        _overview(a),
        _overview(b),
        [*_ends(a, b)],
        [*_rows(a, b, pairs)],
        [*_weights(a, b, pairs)],
        ignores_names=ignore_names,
    )


def _with_sizes_like(a: Model, b: Model) -> Model:
    """`b` with the names of open sizes that `a` has at the same places of its inputs."""
    names: dict[str, str] = {}
    for x, y in zip(a.inputs, b.inputs, strict=False):
        for mine, other in zip(x.shape, y.shape, strict=False):
            if {str(mine)} == symbols_of(mine) and {str(other)} == symbols_of(other):
                names.setdefault(str(other), str(mine))
    names = {old: new for old, new in names.items() if old != new}
    kept = b.symbols.keys() - names.keys()
    is_clear = len({*names.values()}) == len(names) and kept.isdisjoint(names.values())
    return rename_sizes(b, names) if names and is_clear else b


def _overview(model: Model) -> dict[str, Any]:
    """What stands above each of two models."""
    found = facts(model)
    names = ("name", "producer", "opset", "parameters", "bytes", "operations")
    return {n: found[n] for n in names} | {"flops": found["flops"]["total"]}


def _ends(a: Model, b: Model) -> Iterator[End]:
    sides = [
        ("input", [(v.name or "", v) for v in a.inputs], [(v.name or "", v) for v in b.inputs]),
        ("output", a.named_outputs(), b.named_outputs()),
    ]
    for kind, left, right in sides:
        for place in range(max(len(left), len(right))):
            name, type = _end(left, place)
            other, other_type = _end(right, place)
            yield End(kind, name, other, type, other_type)


def _end(ends: list[tuple[str, Value]], place: int) -> tuple[str, str]:
    return (ends[place][0], str(ends[place][1].type)) if place < len(ends) else ("", "")


def _rows(a: Model, b: Model, pairs: Pairs) -> Iterator[Row]:
    """The first model in its order, with what only the second has where it stands there."""
    order = {o: place for place, o in enumerate(b.sorted())}
    matched = set(pairs.values())
    added = [o for o in order if o not in matched]
    place = 0
    for operation in a.sorted():
        other = pairs.get(operation)
        if other is None:
            yield Row(REMOVED, left=operation.label, left_operator=operation.operator.name)
            continue
        while place < len(added) and order[added[place]] < order[other]:
            yield _added_row(added[place])
            place += 1
        yield _paired_row(operation, other, pairs)
    yield from map(_added_row, added[place:])


def _added_row(operation: Operation) -> Row:
    return Row(ADDED, right=operation.label, right_operator=operation.operator.name)


def _paired_row(a: Operation, b: Operation, pairs: Pairs) -> Row:
    notes = [*_notes(a, b, pairs)]
    names = (a.label, b.label, a.operator.name, b.operator.name)
    return Row(CHANGED if notes else SAME, *names, notes)


def _notes(a: Operation, b: Operation, pairs: Pairs) -> Iterator[str]:
    """What differs between two operations, in words."""
    if a.operator is not b.operator:
        yield f"operator {a.operator.name} -> {b.operator.name}"
    else:
        left, right = describe_attributes(a), describe_attributes(b)
        yield from (f"{k}: {left[k]} -> {right[k]}" for k in left if left[k] != right[k])
    types = [", ".join(str(v.type) for v in o.outputs) for o in (a, b)]
    if types[0] != types[1]:
        yield f"result {types[0]} -> {types[1]}"
    if len(a.inputs) != len(b.inputs):
        yield f"{len(a.inputs)} operands -> {len(b.inputs)}"
    for place, (x, y) in enumerate(zip(a.inputs, b.inputs, strict=False)):
        if note := _operand_note(x, y, pairs):
            yield f"operand {place}: {note}"


def _operand_note(x: Value | None, y: Value | None, pairs: Pairs) -> str:
    if x is None or y is None:
        return "" if x is y else f"{_source(x)} -> {_source(y)}"
    if x.constant is not None and y.constant is not None:
        return ""  # weights are compared by themselves
    if x.producer is not None and y.producer is not None:
        is_same = pairs.get(x.producer) is y.producer and x.index == y.index
    else:
        is_same = _place(x) == _place(y) is not None
    return "" if is_same else f"{_source(x)} -> {_source(y)}"


def _place(value: Value) -> int | None:
    """The place of an input of the model."""
    inputs = value.model.inputs
    return next((k for k, v in enumerate(inputs) if v is value), None)


def _source(value: Value | None) -> str:
    if value is None:
        return "none"
    if value.constant is not None:
        return f"the weight {value.name or value.type}"
    return f"the input {value.name}" if value.producer is None else value.producer.label


def _weights(a: Model, b: Model, pairs: Pairs) -> Iterator[Weight]:
    """Weights at the same operands of operations that belong together, then those of one model."""
    together: dict[tuple[Value, Value], None] = {}
    for left, right in pairs.items():
        for x, y in zip(left.inputs, right.inputs, strict=False):
            if _is_constant(x) and _is_constant(y):
                together[x, y] = None
    seen: set[Value] = set()
    for x, y in together:
        seen.update((x, y))
        yield compare_weights(x, y)
    for model, state in ((a, REMOVED), (b, ADDED)):
        for value in model.values():
            if value.constant is not None and value not in seen:
                type = str(value.type)
                types = (type, "") if state == REMOVED else ("", type)
                yield Weight(state, value.name or "", *types)


def _is_constant(value: Value | None) -> TypeGuard[Value]:
    return value is not None and value.constant is not None


def compare_weights(x: Value, y: Value) -> Weight:
    """Two weights, by their bytes and then by numbers; the files' own memory is read once."""
    a, b = x.constant, y.constant
    if a is None or b is None:
        raise TypeError("compare_weights takes two values with constants")
    name, types = x.name or "", (str(x.type), str(y.type))
    renamed = (y.name or "") if (x.name or "") != (y.name or "") else ""
    if a.shape != b.shape or a.dtype != b.dtype:
        return Weight(CHANGED, name, *types, renamed=renamed)
    largest, differing = measure(a, b)
    state = CHANGED if differing or types[0] != types[1] else SAME
    return Weight(state, name, *types, largest, differing, renamed)


def measure(a: np.ndarray, b: np.ndarray) -> tuple[float, int]:
    """The largest difference of two arrays of one type, and how many elements differ in bytes."""
    if a is b:
        return 0.0, 0
    left, right = a.reshape(-1), b.reshape(-1)
    largest, differing = 0.0, 0
    for start in range(0, left.size, CHUNK):
        x, y = left[start : start + CHUNK], right[start : start + CHUNK]
        if x.tobytes() != y.tobytes():
            unequal = _unequal(x, y)
            differing += int(unequal.sum())
            largest = max(largest, _farthest(x[unequal], y[unequal]))
    return largest, differing


def _unequal(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Where bytes differ."""
    size = x.dtype.itemsize
    pairs = (np.frombuffer(each.tobytes(), np.uint8).reshape(-1, size) for each in (x, y))
    left, right = pairs
    found: np.ndarray = (left != right).any(axis=1)
    return found


def _farthest(x: np.ndarray, y: np.ndarray) -> float:
    """The largest distance of numbers; infinite where one is not finite."""
    wide = np.complex128 if x.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        away = np.abs(x.astype(wide) - y.astype(wide))
    return float(np.where(np.isnan(away), np.inf, away).max(initial=0))
