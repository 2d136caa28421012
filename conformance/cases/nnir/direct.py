"""Cases of operators without a framework: called directly, against another computation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nnir.dim import symbol, symbols_of
from nnir.errors import NNAdapterError, NoLowering
from nnir.evaluate import Plan
from nnir.model import Model, Value
from nnir.operator import Operator
from nnir.ops import detection, index, resize, shape, sort
from nnir.types import Precision, Quantization, TensorType, precision_of

from ...case import EXACT, Const, Tolerance
from ...judging.compare import compare

COUNTED = frozenset(
    {
        *(detection.non_max_suppression, detection.suppress_boxes),
        *(sort.unique, index.non_zero, detection.non_max_suppression_indices),
    }
)
"""What only the values of their operands say the sizes of."""

ROUNDED = frozenset({resize.resize, resize.resize_linear, resize.resize_nearest, index.slice_})
"""What may round a size, or end before it, in ways that no formula of an open size says."""


@dataclass(frozen=True)
class Quantized:
    """An input whose type says how its integers stand for real numbers; a constant where said."""

    array: np.ndarray
    precision: Precision
    quantization: Quantization
    is_constant: bool = False


@dataclass(frozen=True)
class DirectCase:
    """One operator on given inputs; `why` it exists is its name.

    `inputs`: arrays and `Quantized` are inputs at run time, `Const` are constants, None is absent.
    `expected` computes the results another way: it takes the arrays, then the attributes as given.
    `raises`: making or running the model must fail so. `is_open`: sizes of its data are symbols,
    but for those that are `known`.
    `is_turned`: its data are stored with another order of axes, which a TRANSPOSE puts right.
    `result`: how the result is quantised, where the operation works on quantised operands.
    """

    operator: Operator[Any]
    inputs: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    expected: Callable[..., Any] | None = None
    tol: Tolerance = EXACT
    why: str = ""
    raises: type[NNAdapterError] | None = None
    is_open: bool = False
    known: tuple[int, ...] = ()
    is_turned: bool = False
    result: tuple[Precision, Quantization] | None = None

    def __str__(self) -> str:
        first = next((a for a in map(_array, self.inputs) if a is not None), None)
        kind = "none" if first is None else str(first.dtype)
        works = self.raises is None
        how = "-open sizes" if self.is_open and works else "-turned" if self.is_turned else ""
        return f"{self.operator.name}-{kind}-{self.why or 'plain'}{how}"

    @property
    def op(self) -> str:
        """The operator's name."""
        return self.operator.name

    @property
    def can_open(self) -> bool:
        """Whether it has sizes that can be symbols."""
        given = [a for a in self.arrays() if a.ndim > 1 or (a.ndim and a.dtype.kind not in "iu")]
        return self.raises is None and bool(given)

    @property
    def sizes(self) -> list[int]:
        """The sizes that can be symbols."""
        given = [a for a in self.arrays() if a.ndim > 1 or a.dtype.kind not in "iu"]
        return sorted({d for a in given for d in a.shape})

    @property
    def can_turn(self) -> bool:
        """Whether it has data whose axes can be stored in another order."""
        return self.raises is None and any(map(_turns, self.inputs))

    def tolerance(self, dtype: np.dtype) -> Tolerance:
        return self.tol

    def arrays(self) -> list[np.ndarray]:
        """What goes in at run time."""
        given = (None if _is_known(x) else _array(self._stored(x)) for x in self.inputs)
        return [a for a in given if a is not None]

    def _stored(self, given: Any) -> Any:
        """An input as it goes in: of turned data, the last axis is the first one."""
        if not self.is_turned or not _turns(given):
            return given
        return np.ascontiguousarray(np.moveaxis(given, -1, 0))

    def model(self) -> Model:
        """A model of the one operation."""
        model = Model(self.operator.name)
        values = tuple(_value(model, f"x{k}", self._stored(x)) for k, x in enumerate(self.inputs))
        if self.is_open:
            for value in model.inputs:
                if value.rank > 1 or not value.is_integer:  # the others say axes and sizes
                    dims = tuple(d if d in self.known else symbol(f"n{d}") for d in value.shape)
                    value.type = value.type.with_shape(dims)
        if self.is_turned:
            values = tuple(
                shape.transpose(v, perm=(*range(1, v.rank), 0))
                if v is not None and _turns(x)
                else v
                for v, x in zip(values, self.inputs, strict=True)
            )
        bound = self.operator.bind_attributes(self.attrs)
        operands = self.operator.bind_inputs(model, values)
        model.outputs = list(model.append(self.operator, operands, bound, self._stated()))
        return model

    def _stated(self) -> list[TensorType]:
        if self.result is None:
            return []
        precision, how = self.result
        return [TensorType(precision, (), quantization=how)]

    def compare(self, got: Sequence[np.ndarray]) -> None:
        """AssertionError where the results are not the expected ones."""
        self.agree(got, self.wanted())

    def wanted(self) -> list[np.ndarray]:
        """The expected results."""
        if self.expected is None:
            raise AssertionError("the case expects nothing")
        with np.errstate(all="ignore"):
            found = self.expected(*map(_array, self.inputs), **self.attrs)
        return [np.asarray(a) for a in (found if isinstance(found, (list, tuple)) else [found])]

    def agree(self, got: Sequence[np.ndarray], want: Sequence[np.ndarray]) -> None:
        """AssertionError where two lists of results differ by more than the tolerance."""
        for position, (mine, theirs) in enumerate(zip(got, want, strict=True)):
            problem = compare(mine, np.asarray(theirs), self.tol).problem
            if problem is not None:
                raise AssertionError(f"output {position}: {problem}")


def find_lost_size(model: Model) -> str | None:
    """A size of a result that is inferred to be anything, though those of the operands say it.

    None for models with inputs without axes or with one, which may say sizes while running.
    """
    said = {name for v in model.inputs for d in v.shape for name in symbols_of(d)}
    may_lose = COUNTED | ROUNDED if said else COUNTED
    if any(o.operator in may_lose for o in model.operations) or any(
        v.rank < 2 for v in model.inputs
    ):
        return None
    lost = [v.type for v in model.outputs if any(symbols_of(d) - said for d in v.shape)]
    return f"inferred {lost[0]}, whose sizes the operands say" if lost else None


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
        if case.operator is not self.operator or device != self.device:
            return False
        return self.case is None or self.case in str(case)  # a name takes long to write


def referred(
    operator: Operator[Any],
    inputs: Sequence[Any],
    attrs: dict[str, Any] | None = None,
    tol: Tolerance = EXACT,
    why: str = "",
) -> DirectCase:
    """A case whose results are those of the operator's own reference: it is about devices."""
    case = DirectCase(operator, tuple(inputs), attrs or {}, None, tol, why)

    def expected(*_: Any, **__: Any) -> list[np.ndarray]:
        return list(Plan(case.model()).run(case.arrays()))

    return replace(case, expected=expected)


def _turned_back(value: Value) -> Value:
    return shape.transpose(value, perm=(*range(1, value.rank), 0))


def _turns(given: Any) -> bool:
    """Whether an input is data of several axes, at run time."""
    return isinstance(given, np.ndarray) and given.ndim > 1


def _is_known(given: Any) -> bool:
    """Whether an input is a constant."""
    return isinstance(given, Const) or (isinstance(given, Quantized) and given.is_constant)


def _array(given: Any) -> np.ndarray | None:
    return given.array if isinstance(given, (Const, Quantized)) else given


def _value(model: Model, name: str, given: Any) -> Value | None:
    if given is None:
        return None
    if isinstance(given, Const):
        return model.constant(given.array, name=name)
    if isinstance(given, Quantized):
        shape, how = given.array.shape, given.quantization
        type = TensorType(given.precision, shape, quantization=how)
        if not given.is_constant:
            return model.input(name, type)
        value = Value(model, type, name)
        value.constant = given.array
        return value
    return model.input(name, TensorType(precision_of(given.dtype), given.shape))
