"""Cases of operators without a framework: called directly, against another computation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnir.dim import symbol
from nnir.errors import NNAdapterError, NoLowering
from nnir.model import Model, Value
from nnir.operator import Operator
from nnir.types import Precision, Quantization, TensorType, precision_of

from ...case import EXACT, Const, Tolerance
from ...judging.compare import compare


@dataclass(frozen=True)
class Quantized:
    """An input at run time whose type says how its integers stand for real numbers."""

    array: np.ndarray
    precision: Precision
    quantization: Quantization


@dataclass(frozen=True)
class DirectCase:
    """One operator on given inputs; `why` it exists is its name.

    `inputs`: arrays and `Quantized` are inputs at run time, `Const` are constants, None is absent.
    `expected` computes the results another way: it takes the arrays, then the attributes as given.
    `raises`: making or running the model must fail so.
    """

    operator: Operator[Any]
    inputs: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    expected: Callable[..., Any] | None = None
    tol: Tolerance = EXACT
    why: str = ""
    raises: type[NNAdapterError] | None = None

    def __str__(self) -> str:
        first = next((a for a in map(_array, self.inputs) if a is not None), None)
        kind = "none" if first is None else str(first.dtype)
        return f"{self.operator.name}-{kind}-{self.why or 'plain'}"

    def arrays(self) -> list[np.ndarray]:
        """What goes in at run time."""
        given = (None if isinstance(x, Const) else _array(x) for x in self.inputs)
        return [a for a in given if a is not None]

    def model(self, *, symbolic: bool = False) -> Model:
        """A model of the one operation; `symbolic` makes the sizes of its data unknown."""
        model = Model(self.operator.name)
        values = tuple(_value(model, f"x{k}", x) for k, x in enumerate(self.inputs))
        if symbolic:
            for value in model.inputs:
                if value.rank > 1 or not value.is_integer:  # the others say axes and sizes
                    dims = tuple(symbol(f"n{d}") for d in value.shape)
                    value.type = value.type.with_shape(dims)
        model.outputs = list(self.operator.append(values, self.attrs))
        return model

    def compare(self, got: Sequence[np.ndarray]) -> None:
        """AssertionError where the results are not the expected ones."""
        if self.expected is None:
            raise AssertionError("the case expects nothing")
        with np.errstate(all="ignore"):
            want = self.expected(*map(_array, self.inputs), **self.attrs)
        self.agree(got, want if isinstance(want, (list, tuple)) else [want])

    def agree(self, got: Sequence[np.ndarray], want: Sequence[np.ndarray]) -> None:
        """AssertionError where two lists of results differ by more than the tolerance."""
        for position, (mine, theirs) in enumerate(zip(got, want, strict=True)):
            problem = compare(mine, np.asarray(theirs), self.tol).problem
            if problem is not None:
                raise AssertionError(f"output {position}: {problem}")


@dataclass(frozen=True)
class DirectLimit:
    """A known gap of a device: the cases it matches must fail there with `raises`.

    `case` is a part of the case's name; None matches every case of the operator.
    """

    operator: Operator[Any]
    why: str
    case: str | None = None
    device: str = "onnxruntime"
    raises: type[Exception] = NoLowering

    def __str__(self) -> str:
        return f"{self.operator.name}-{self.device}-{self.why}"

    def matches(self, case: DirectCase, device: str) -> bool:
        """Whether the case must fail on the device."""
        named = self.case is None or self.case in str(case)
        return case.operator is self.operator and device == self.device and named


def _array(given: Any) -> np.ndarray | None:
    return given.array if isinstance(given, (Const, Quantized)) else given


def _value(model: Model, name: str, given: Any) -> Value | None:
    if given is None:
        return None
    if isinstance(given, Const):
        return model.constant(given.array, name=name)
    if isinstance(given, Quantized):
        shape, how = given.array.shape, given.quantization
        return model.input(name, TensorType(given.precision, shape, quantization=how))
    return model.input(name, TensorType(precision_of(given.dtype), given.shape))
