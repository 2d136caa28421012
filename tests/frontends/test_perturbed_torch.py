"""Every PyTorch converter on damaged cases: an error of ours, or a result of the inferred type.

Each row takes a good case and drops, replaces or alters arguments: other element types, ranks,
sizes, axes and numbers, None for tensors and floats for integers; makes sizes dynamic and constants
run-time inputs. A row's number is its seed.
"""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance.case import Case, Const, has_several
from conformance.cases.torch import CASES
from conformance.engines import torch as torch_engine
from frontends import torch as frontend
from hal.runtime.program import Program
from nnir.check import check
from nnir.dim import Expr, symbol
from nnir.errors import NNAdapterError
from nnir.passes import CLEAN, apply
from nnir.types import PRECISIONS, Precision, TensorType

PLAIN = [replace(case, is_open=False) for case in CASES if not has_several(case)]
ROWS = 2000
PARTS = 8
SECONDS = 10.0
NUMBERS: list[Any] = [
    *(0, 1, -1, 2, 3, 7, -9, 64, 2**40, 2**62, -(2**63), 0.0, -0.5, 1.5, 1e30, True),
    *(float("nan"), float("inf"), complex(1, -2)),
]
OTHERS: list[Any] = [
    *(None, "", "foo", "mean", "reflect", Precision.FLOAT16, Precision.INT64, Precision.BOOL8),
    *([], [0], [1], [-1], [0, 0], [2, 3], [-1, -1], [3, 1, 1, 3, 5], [2**62] * 2, [2**40]),
    *([1.5], ["a"], [None], [True], np.zeros(2, np.int64), np.ones((2, 3), np.float32)),
]
DTYPES = [p.dtype for p in PRECISIONS.values() if p.dtype.itemsize and p.dtype.kind in "fciubV"]


class Row:
    """One case that becomes worse with every call of `damage`."""

    def __init__(self, case: Case, seed: int) -> None:
        self.r = random.Random(seed)
        self.case = case
        self.args: dict[Any, Any] = dict(enumerate(case.inputs)) | dict(case.attrs)
        self.is_dynamic = False

    def damage(self) -> None:
        if not self.args:
            return
        if self.r.random() < 0.05:
            self.is_dynamic = True
            return
        key = self.r.choice(list(self.args))
        match self.r.randrange(12):
            case 0 if isinstance(key, str):
                del self.args[key]
            case 1:
                self.args[key] = self.r.choice(OTHERS + NUMBERS)
            case _:
                self.args[key] = self.worse(self.args[key])

    def worse(self, value: Any) -> Any:
        """Something near a value."""
        match value:
            case Const() | np.ndarray():
                return self.array(value)
            case [*items] if items and self.r.random() < 0.8:
                place = self.r.randrange(len(items))
                kept = [items[:place], items[place + 1 :]]
                new = [
                    [],
                    [self.worse(items[place])],
                    [self.worse(items[place])],
                    [items[place]] * 2,
                ]
                return [*kept[0], *self.r.choice(new), *kept[1]]
            case bool():
                return self.r.choice([not value, *NUMBERS, *OTHERS])
            case int() if self.r.random() < 0.5:
                return self.r.choice([value + 1, value - 1, -value, value * 2, float(value)])
            case float() if self.r.random() < 0.5:
                return self.r.choice([-value, value + 1, value / 2, 0, 3, 0.0, float("nan")])
        return self.r.choice([*NUMBERS, *NUMBERS, *OTHERS])

    def array(self, given: Any) -> Any:
        ways: list[Callable[[np.ndarray], Any]] = [self.rank, self.rank, self.dtype, self.dtype]
        ways += [self.element, self.element, lambda a: None, lambda a: a.flat[0] if a.size else 1]
        array = given.array if isinstance(given, Const) else given
        if self.r.random() < 0.15:
            return array if isinstance(given, Const) else Const(array)
        made = self.r.choice(ways)(array)
        if isinstance(made, np.generic):
            return made.item() if made.dtype.kind in "fiubc" else 1.5
        is_const = isinstance(given, Const) and isinstance(made, np.ndarray)
        return Const(made) if is_const else made

    def rank(self, array: np.ndarray) -> np.ndarray:
        sizes = list(array.shape)
        if sizes:
            sizes[self.r.randrange(len(sizes))] = self.r.choice([0, 0, 1, 2, 4])
        nine = array.reshape((1,) * max(9 - array.ndim, 0) + array.shape)
        other = [
            array[None],
            array[..., None],
            np.resize(array, sizes),
            nine,
            array[..., :0] if sizes else array,
        ]
        return self.r.choice([*other, *(np.zeros(s, array.dtype) for s in ((), 2, sizes))])

    def dtype(self, array: np.ndarray) -> np.ndarray:
        return np.ones(array.shape, np.float32).astype(self.r.choice(DTYPES))

    def element(self, array: np.ndarray) -> np.ndarray:
        array = array.copy()
        extremes = {"f": [np.nan, np.inf, -np.inf, 1e38, -0.0, -1], "b": [True, False]}
        if array.size and array.dtype.kind in "iufb":
            small = [k % 128 for k in (0, 1, 100, 1000)] + [-1, -100] * (array.dtype.kind == "i")
            values = extremes.get(array.dtype.kind, small)
            with np.errstate(over="ignore"):
                array.reshape(-1)[self.r.randrange(array.size)] = self.r.choice(values)
        return array

    def source(self) -> Any:
        inputs = tuple(v for k, v in self.args.items() if isinstance(k, int))
        attrs = {k: v for k, v in self.args.items() if isinstance(k, str)}
        case = replace(self.case, inputs=inputs, attrs=attrs)
        source = torch_engine.source(case, [None] * self.case.outputs)
        if self.is_dynamic:
            for declared in source.graph.inputs:
                assert declared.type is not None
                shape = (
                    self.opened(f"{declared.name}_{k}", d)
                    for k, d in enumerate(declared.type.shape)
                )
                declared.type = TensorType(declared.type.precision, tuple(shape))
        return source, torch_engine.run_inputs(case)

    def opened(self, name: str, size: Any) -> Any:
        return symbol(name) if self.r.random() < 0.6 else size


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


def damaged(seed: int) -> Row:
    """The row of a seed."""
    row = Row(PLAIN[seed * 7919 % len(PLAIN)], seed)
    for _ in range(1 + seed % 3):
        row.damage()
    return row


@pytest.mark.parametrize("part", range(PARTS))
def test_perturbed_cases(part: int) -> None:
    outcomes = []
    for seed in range(part, ROWS, PARTS):
        started = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy's, about nan and overflow in the inputs
            outcomes.append(outcome(damaged(seed)))
        assert time.process_time() - started < SECONDS, f"row {seed} took too long"
    assert set(outcomes) == {"refused", "accepted"}
