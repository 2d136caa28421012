"""Every converter on damaged cases: an error of ours, or a result of the type that was inferred.

Each row takes a good case and drops, adds or alters inputs, attributes, ranks, sizes, element
types and opsets; makes sizes dynamic and constants run-time inputs. A row's number is its seed.
"""

from __future__ import annotations

import random
import resource
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance.case import Case, Const, array_of
from conformance.cases.onnx import CASES
from conformance.engines.onnx import NEWEST, NEWESTS
from frontends import onnx as frontend
from frontends.onnx.reading.reader import Strings
from frontends.source import SourceGraph, SourceModel, SourceNode, SourceValue
from hal.runtime.program import Program
from nnir.check import check
from nnir.dim import Expr, symbol
from nnir.errors import NNAdapterError
from nnir.formats.onnx import CODES
from nnir.passes import CLEAN, apply
from nnir.types import TensorType, precision_of

ROWS = 1200
PARTS = 8
SECONDS = 10.0
MEMORY = 4 << 30
LISTS: list[Any] = [[], [0], [1], [-1], [0, 0], [2, 3], [3, 1, 1, 3, 5], [2**62] * 2, [1.5], ["a"]]
VALUES: list[Any] = [
    *(0, 1, -1, 2, 7, 64, 2**31, 2**62, -(2**63), 0.0, -0.5, 1.5, 1e30),
    *(float("nan"), float("inf"), "", "foo", "linear", "SAME_UPPER", SourceGraph(), Strings(2)),
    *(np.zeros((), np.float32), np.zeros((2, 2), np.int64), np.zeros(0, np.bool_), *LISTS),
]


class Row:
    """One case that becomes worse with every call of `damage`."""

    def __init__(self, case: Case, seed: int) -> None:
        self.r = random.Random(seed)
        self.case = case
        self.inputs = list(case.inputs)
        self.attrs = dict(case.attrs)
        self.outputs = case.outputs
        self.opset = case.opset or NEWEST
        self.dynamic: set[int] = set()

    def damage(self) -> None:
        live = [k for k, a in enumerate(self.inputs) if a is not None]
        ways = [self._opset, self._outputs, self._new_attribute]
        if self.attrs:
            ways += [self._attribute, self._attribute, self._no_attribute]
        self.place = self.r.choice(live) if live else 0
        if live:
            ways += [self._drop, self._repeat, self._rank, self._rank, self._type, self._type]
            ways += [self._dynamic, self._constant, self._element]
        self.r.choice(ways)()

    def change(self, array: np.ndarray) -> None:
        given = self.inputs[self.place]
        self.inputs[self.place] = Const(array) if isinstance(given, Const) else array

    @property
    def array(self) -> np.ndarray:
        found = array_of(self.inputs[self.place])
        return np.zeros(()) if found is None else found

    def _opset(self) -> None:
        self.opset = self.r.choice([1, 5, 6, 9, 11, 13, 18, 20, 23])

    def _outputs(self) -> None:
        self.outputs = max(1, self.outputs + self.r.choice([-1, 1, 2]))

    def _new_attribute(self) -> None:
        found = frontend.TABLE.find(self.case.op, self.opset)
        if found is not None and found.keywords:
            self.attrs[self.r.choice(sorted(found.keywords))] = self.r.choice(VALUES)

    def _attribute(self) -> None:
        name = self.r.choice(sorted(self.attrs))
        value = self.attrs[name]
        if isinstance(value, int) and self.r.random() < 0.5:
            self.attrs[name] = self.r.choice([value + 1, value - 1, -value, value * 2, 2**40])
        elif isinstance(value, (list, tuple)) and value and self.r.random() < 0.5:
            place = self.r.randrange(len(value) + 1)
            self.attrs[name] = [*value[:place], self.r.choice([0, -1, 2**40]), *value[place + 1 :]]
        else:
            self.attrs[name] = self.r.choice(VALUES)

    def _no_attribute(self) -> None:
        del self.attrs[self.r.choice(sorted(self.attrs))]

    def _drop(self) -> None:
        self.inputs[self.place] = None

    def _repeat(self) -> None:
        self.inputs.append(self.inputs[self.place])

    def _rank(self) -> None:
        array, shape = self.array, list(self.array.shape)
        if shape:
            shape[self.r.randrange(len(shape))] = self.r.choice([0, 1, 2, 4])
        nine = array.reshape((1,) * max(9 - array.ndim, 0) + array.shape)
        other = [array[None], array[..., None], np.zeros(shape, array.dtype), nine]
        self.change(self.r.choice([*other, np.zeros((), array.dtype), np.zeros(2, array.dtype)]))

    def _type(self) -> None:
        dtype = self.r.choice([p.dtype for p in CODES])
        self.change(np.ones(self.array.shape, np.float32).astype(dtype))

    def _dynamic(self) -> None:
        self.dynamic.add(self.place)

    def _constant(self) -> None:
        given = self.inputs[self.place]
        self.inputs[self.place] = given.array if isinstance(given, Const) else Const(given)

    def _element(self) -> None:
        array = self.array.copy()
        if array.size and array.dtype.kind in "if":
            extremes = [0, -1, 1, 100, -100, 1000]
            array.reshape(-1)[self.r.randrange(array.size)] = self.r.choice(extremes) % 128
        self.change(array)

    def source(self) -> tuple[SourceModel, list[np.ndarray]]:
        names = ["" if a is None else f"x{k}" for k, a in enumerate(self.inputs)]
        results = [f"y{k}" for k in range(self.outputs)]
        graph = SourceGraph("case", outputs=[SourceValue(n) for n in results])
        arrays = []
        for k, given in enumerate(self.inputs):
            if isinstance(given, Const):
                graph.weights[names[k]] = given.array
            elif given is not None:
                shape = self._sizes(k, given.shape)
                type = TensorType(precision_of(given.dtype), shape)
                graph.inputs.append(SourceValue(names[k], type))
                arrays.append(given)
        domain = self.case.domain
        op = f"{domain}::{self.case.op}" if domain else self.case.op
        attrs = {k: list(v) if isinstance(v, tuple) else v for k, v in self.attrs.items()}
        graph.nodes.append(SourceNode(op, names, results, attrs))
        versions = {domain: NEWESTS.get(domain, 1), "": self.opset}
        return SourceModel("onnx", graph, versions), arrays

    def _sizes(self, place: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
        if place not in self.dynamic:
            return shape
        names = (symbol(f"s{place}_{k}") for k in range(len(shape)))
        return tuple(s if self.r.random() < 0.6 else d for s, d in zip(names, shape, strict=True))


def outcome(row: Row) -> str:
    """Load, check, compile and run; what happened."""
    try:
        source, arrays = row.source()
        model = frontend.translate(source)
        apply(model, CLEAN)
        check(model)
        results = Program(model, "builtin")(*arrays)
    except NNAdapterError:
        return "refused"
    for value, array in zip(model.outputs, results, strict=True):
        assert value.dtype == array.dtype
        assert value.rank == array.ndim
        sizes = zip(value.shape, array.shape, strict=True)
        assert all(isinstance(d, Expr) or d == n for d, n in sizes), f"{value.type}: {array.shape}"
    return "accepted"


@pytest.fixture
def limited_memory() -> Iterator[None]:
    """A model may ask for 2**31 random numbers: no more memory than for some of them."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.usefixtures("limited_memory")
@pytest.mark.parametrize("part", range(PARTS))
def test_perturbed_cases(part: int) -> None:
    outcomes = []
    for seed in range(part, ROWS, PARTS):
        row = Row(CASES[seed * 7919 % len(CASES)], seed)
        for _ in range(1 + seed % 3):
            row.damage()
        started = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy's, about nan and overflow in the inputs
            outcomes.append(outcome(row))
        assert time.process_time() - started < SECONDS, f"row {seed} took too long"
    assert set(outcomes) == {"refused", "accepted"}
