"""Cases and limits: rows of data that say what an operator must do and what it does not yet do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nnir.dim import symbol
from nnir.errors import NNAdapterError
from nnir.types import TensorType, precision_of


@dataclass(frozen=True)
class Const:
    """An input that the model holds as a constant."""

    array: np.ndarray


@dataclass(frozen=True)
class Tolerance:
    """How far a result may be from the origin's: |got - want| <= absolute + relative * |want|.

    `multiple`: or, where the origin can compute in float64, how many times its own distance from
    that ours may be. `signed_zeros`: zeros must have the origin's sign.
    """

    relative: float = 0.0
    absolute: float = 0.0
    multiple: float = 0.0
    signed_zeros: bool = False


EXACT = Tolerance()
ROUNDS = Tolerance(relative=1e-5, absolute=1e-6)
"""For operators that round: a few units in the last place of float32, of float64 `DOUBLE`."""

DOUBLE = Tolerance(relative=1e-12, absolute=1e-13)
"""What float32 in between would not reach."""


@dataclass(frozen=True)
class Case:
    """One operator of a framework on given inputs; `why` it exists is its name.

    `inputs`: arrays are inputs at run time, `Const` are initializers, None is absent.
    `outputs`: how many outputs the node names. `opset`: the version, the newest when None.
    `raises`: converting or running must fail so. `oracle`: "reference" or "onnxruntime".
    `random`: the origin's numbers cannot be known; precision, shape and, of a hundred numbers and
    more, their distribution are compared.
    `read`: only so many of the results are asked for and compared, all when None.
    `results`: the types of the results (TFLite) or their slots (Paddle's legacy operators).
    `tol` may be a dictionary by element type name, with "" for the others.
    `is_open`: the sizes of the first input are known only while running.
    """

    op: str
    inputs: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    tol: Tolerance | dict[str, Tolerance] = EXACT
    why: str = ""
    raises: type[NNAdapterError] | None = None
    opset: int | None = None
    outputs: int = 1
    oracle: str = "reference"
    domain: str = ""
    random: bool = False
    read: int | None = None
    results: tuple[Any, ...] = ()
    is_open: bool = False

    def __str__(self) -> str:
        first = next(_arrays(self.inputs), None)
        kind = "none" if first is None else str(first.dtype)
        attrs = ",".join(f"{k}={_short(v)}" for k, v in self.attrs.items())
        version = "" if self.opset is None else f"-{self.opset}"
        sizes = "-open sizes" if self.is_open else ""
        return f"{self.op}{version}-{kind}-{self.why or attrs or 'plain'}{sizes}"

    def tolerance(self, dtype: np.dtype) -> Tolerance:
        given = self.tol
        if not isinstance(given, Tolerance):
            given = given.get(dtype.name, given.get("", EXACT))
        return DOUBLE if given == ROUNDS and dtype == np.float64 else given


@dataclass(frozen=True)
class Made:
    """An input that another operator of the same framework gives: its result of this number.

    An array that several of the operators of a case read is one input.
    """

    case: Case
    result: int = 0


@dataclass(frozen=True)
class ModelCase:
    """A whole model in ONNX's text form, for operators that one node cannot show.

    `ops`: the operators that it is a case of.
    """

    ops: tuple[str, ...]
    text: str
    inputs: tuple[np.ndarray, ...]
    why: str
    tol: Tolerance = EXACT
    raises: type[NNAdapterError] | None = None
    oracle: str = "reference"

    def __str__(self) -> str:
        return f"{self.ops[0]}-{self.why}"

    @property
    def op(self) -> str:
        """The operator that it is chiefly about."""
        return self.ops[0]

    def tolerance(self, dtype: np.dtype) -> Tolerance:
        return self.tol


@dataclass(frozen=True)
class Limit:
    """A known gap: the cases it matches must fail with `raises`, or the suite fails.

    A field that is None matches everything; `case` is a part of the case's name.
    """

    op: str
    why: str
    device: str | None = None
    dtype: str | None = None
    case: str | None = None
    raises: type[Exception] = AssertionError

    def matches(self, case: Case, device: str) -> bool:
        if case.op != self.op or self.device not in (None, device):
            return False
        text = str(case)  # takes long to write
        named = self.dtype is None or f"-{self.dtype}-" in text
        return named and (self.case is None or self.case in text)


def type_of(array: np.ndarray, *, is_open: bool = False) -> TensorType:
    """The type of an input at run time; `is_open`: with symbols for its sizes above 1.

    Equal sizes have the same symbol, as in models.
    """
    type = TensorType(precision_of(array.dtype), array.shape)
    shape = tuple(size if size <= 1 else symbol(f"n{size}") for size in array.shape)
    return type.with_shape(shape) if is_open else type


def can_open(array: np.ndarray) -> bool:
    """Whether an array has sizes that may be open, and is not of integers that say sizes."""
    is_data = array.ndim > 1 or array.dtype.kind not in "iu"
    return is_data and any(size > 1 for size in array.shape)


def open_rows(cases: Iterable[Case]) -> Iterator[Case]:
    """Rows of float32 with open sizes: of each operator the plainest and the fullest.

    Only what does not fail is opened, and not again. The fullest row has the most attributes and
    inputs.
    """
    found: dict[tuple[str, str], list[Case]] = {}
    names = set()
    for case in cases:
        first = case.inputs[0] if case.inputs else None
        if case.raises or case.random or not isinstance(first, np.ndarray):
            continue
        if case.is_open:
            names.add(str(case))
            continue
        if can_open(first) and first.dtype == np.float32:
            found.setdefault((case.domain, case.op), []).append(case)
    for rows in found.values():
        plain, full = min(rows, key=_fullness), max(rows, key=_fullness)
        opened = [replace(c, is_open=True) for c in ([plain] if plain is full else [plain, full])]
        yield from (c for c in opened if str(c) not in names)


def _fullness(case: Case) -> int:
    return len(case.attrs) + sum(given is not None for given in case.inputs)


def has_several(case: Case) -> bool:
    """Whether another operator gives an input of a case."""
    given = [*case.inputs, *case.attrs.values()]
    lists = [part for a in given if isinstance(a, (list, tuple)) for part in a]
    return any(isinstance(a, Made) for a in (*given, *lists))


def array_of(given: Any) -> np.ndarray | None:
    """The array of an input of a case."""
    return given.array if isinstance(given, Const) else given


def _arrays(inputs: Any) -> Iterator[np.ndarray]:
    """The arrays among inputs, lists of them included."""
    for given in inputs:
        if isinstance(given, Made):
            yield from _arrays(given.case.inputs)
        elif isinstance(given, dict):
            yield from _arrays(given.values())
        elif isinstance(given, (list, tuple)):
            yield from _arrays(given)
        elif isinstance(array := array_of(given), np.ndarray):
            yield array


def f(*values: Any, dtype: Any = np.float32) -> np.ndarray:
    """A float32 vector."""
    return np.array(values, dtype)


def i(*values: Any, dtype: Any = np.int64) -> np.ndarray:
    """An int64 vector."""
    return np.array(values, dtype)


def scalar(value: Any, dtype: Any = np.float32) -> np.ndarray:
    """A rank-0 array."""
    return np.array(value, dtype)


def rand(
    *shape: int, seed: int = 0, dtype: Any = np.float32, low: float = -2.0, high: float = 2.0
) -> np.ndarray:
    """Uniform numbers from a fixed seed; integers when `dtype` is one."""
    generator = np.random.default_rng((seed, *shape))
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        return generator.integers(int(low), int(high), shape, endpoint=True).astype(kind)
    if kind.kind == "b":
        return generator.random(shape) < 0.5
    return generator.uniform(low, high, shape).astype(kind)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) < 40 else text[:37] + "..."
