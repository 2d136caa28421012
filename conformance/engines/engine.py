"""Engines: how a case of a framework is asked of its origin, converted, run and compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np

from nnir.dim import Dim, Expr, evaluate, symbols_of
from nnir.errors import NNAdapterError
from nnir.model import Model
from nnir.stateful import user_outputs

from ..case import Case, Const, ModelCase
from ..judging.compare import Difference, compare, first_problem
from ..judging.distribution import compare_drawn
from ..oracles.oracle import Oracle
from .runs import run

Row = TypeVar("Row", bound=Case | ModelCase)
Convert = Callable[[], Model]
"""Gives the model of a case, where it is not to be converted anew."""

WIDE = {"float16": "float64", "bfloat16": "float64", "float32": "float64"}


@dataclass(frozen=True)
class Answer:
    """What the origin says to a case: its results, and the files it wrote where we read those.

    Only the first `compared` results are looked at; `made` says how many the operator has.
    """

    results: list[np.ndarray]
    files: tuple[bytes, ...] = ()
    compared: int | None = None
    made: int = 0


@dataclass(frozen=True)
class Outcome:
    """Our results, the origin's, and how each differs."""

    got: list[np.ndarray] = field(default_factory=list)
    want: list[np.ndarray] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    problem: str | None = None


class Engine(ABC, Generic[Row]):
    """One framework. `worker` is the module of its oracle."""

    worker: str

    @abstractmethod
    def ask(self, case: Row, oracle: Oracle) -> Answer:
        """What the origin framework gives."""

    @abstractmethod
    def model(self, case: Row, answer: Answer) -> Model:
        """The case through the frontend."""

    @abstractmethod
    def inputs(self, case: Row, model: Model) -> list[np.ndarray]:
        """The arrays that go in at run time, in the order of the model's inputs."""

    def translations(self, case: Row, model: Model) -> Iterator[Model]:
        """What is written down of how a case is translated: its model, as it is converted."""
        yield model

    def may_wait(self, case: Row) -> bool:
        """Whether the programs of a case may run later, beside those of other cases; no threads of
        its own may call them."""
        return True

    def refused(self, case: Row, device: str, oracle: Oracle) -> list[np.ndarray]:
        """Convert and run a case that must fail, without needing the origin's results."""
        return self.results(case, device, self.ask(case, oracle))

    def results(self, case: Row, device: str, answer: Answer) -> list[np.ndarray]:
        """What we give."""
        model = self.model(case, answer)
        return run(model, device, self.inputs(case, model))

    def outcome(
        self, case: Row, device: str, answer: Answer, convert: Convert | None = None
    ) -> Outcome:
        """Convert, infer, run and compare; see STYLE for the order of checks."""
        model, want = self.model(case, answer) if convert is None else convert(), answer.results
        inputs = self.inputs(case, model)
        problem = _types_problem(model, inputs, want)
        if problem:
            return Outcome(want=want, problem=problem)
        got = run(model, device, inputs)
        if len(got) != len(want):
            return Outcome(got, want, problem=f"{len(got)} results, not {len(want)}")
        differences = []
        for mine, theirs in list(zip(got, want, strict=True))[: answer.compared]:
            if _is_random(case) and is_alike(mine, theirs):
                differences.append(compare_drawn(mine, theirs))
            else:
                differences.append(compare(mine, theirs, case.tolerance(theirs.dtype)))
        return Outcome(got, want, differences, first_problem(differences))

    def truth(self, case: Row, oracle: Oracle, answer: Answer) -> list[np.ndarray] | None:
        """The origin's results in float64, from inputs of the same values; None without such."""
        wide = widen(case)
        if wide is None:
            return None
        try:
            found = self.ask(wide, oracle).results
        except NNAdapterError:
            return None
        if len(found) != len(answer.results):
            return None
        pairs = zip(found, answer.results, strict=True)
        return found if all(a.shape == b.shape for a, b in pairs) else None


def widen(case: Any) -> Any:
    """The case with float64 for narrower floats; None where there are none to widen."""
    if not isinstance(case, Case) or case.random:
        return None
    count = [0]
    wide = replace(case, inputs=_wide(case.inputs, count), attrs=_wide(case.attrs, count))
    return wide if count[0] else None


def _wide(given: Any, count: list[int]) -> Any:
    """Arrays of narrow floats as float64, wherever they are."""
    if isinstance(given, Const):
        return Const(_wide(given.array, count))
    if isinstance(given, np.ndarray) and given.dtype.name in WIDE:
        count[0] += 1
        return given.astype(WIDE[given.dtype.name])
    if isinstance(given, dict):
        return {k: _wide(v, count) for k, v in given.items()}
    if type(given) in (list, tuple):
        return type(given)(_wide(v, count) for v in given)
    return given


def is_alike(got: np.ndarray, want: np.ndarray) -> bool:
    """Whether two arrays have one precision and one shape."""
    return got.dtype == want.dtype and got.shape == want.shape


def _is_random(case: Any) -> bool:
    return getattr(case, "random", False)


def _types_problem(
    model: Model, inputs: Sequence[np.ndarray], want: Sequence[np.ndarray]
) -> str | None:
    """What is wrong with the inferred types."""
    outputs, sizes = user_outputs(model), _symbols(model, inputs)
    if len(outputs) != len(want):
        return f"{len(outputs)} outputs, not {len(want)}"
    for value, array in zip(outputs, want, strict=True):
        if value.dtype != array.dtype:
            return f"inferred {value.type}, not {array.dtype}"
        if not _shape_fits([evaluate(d, sizes) for d in value.shape], array.shape):
            return f"inferred {value.type}, not {list(array.shape)}"
    return None


def _symbols(model: Model, inputs: Sequence[np.ndarray]) -> dict[str, Dim]:
    """What the sizes of the inputs that have names are."""
    pairs = ((v.shape, a.shape) for v, a in zip(model.inputs, inputs, strict=False))
    return {
        str(dim): size
        for shape, sizes in pairs
        for dim, size in zip(shape, sizes, strict=False)
        if isinstance(dim, Expr) and symbols_of(dim) == {str(dim)}
    }


def _shape_fits(inferred: Sequence[Dim], real: tuple[int, ...]) -> bool:
    return len(inferred) == len(real) and all(
        isinstance(d, Expr) or d == r for d, r in zip(inferred, real, strict=True)
    )
