"""A model whose real numbers have 16 bits, but for what would lose its meaning in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from ml_dtypes import finfo

from .errors import BadInput, BadType
from .model import Model, Operation, Value
from .ops import detection, features, generate, quant, resize, unary
from .ops import reduce as sums
from .passes import CLEAN, apply
from .quantisation.rewriting import Twin, compare_twins
from .specialise import fix_sizes
from .types import Precision

HALVES = {"float16": Precision.FLOAT16, "bfloat16": Precision.BFLOAT16}
SINGLE = Precision.FLOAT32
MASKS = 1e8
"""A constant of such magnitude stands for infinity, as attention's masks do: it may be any number
that is large enough."""

WEIGHTS = 256
"""Constants of fewer elements are not worth a cast."""
NOT_HALVED: dict[Any, str] = {
    **dict.fromkeys(
        (
            detection.max_roi_pool, detection.non_max_suppression,
            detection.non_max_suppression_indices, detection.prior_box, detection.roi_align,
            detection.roi_align_max, detection.suppress_boxes, detection.yolo_box,
            features.tree_ensemble, generate.range_, resize.affine_grid, resize.grid_sample,
            resize.grid_sample_3d, sums.cum_sum,
        ),
        "it counts or finds positions",
    ),
    **dict.fromkeys(
        (quant.dequantize, quant.dequantize_linear, quant.quantize_linear), "its scales stay exact"
    ),
}  # fmt: skip
"""Operators that 16 bits do not suit, and why."""


@dataclass(frozen=True)
class Halved:
    """A model in another precision.

    `halved` counts operations that compute in it; `kept` says why others do not, by their labels;
    `bounded` are the constants that stood for infinity and are the largest number now.
    """

    model: Model
    halved: int = 0
    kept: Mapping[str, str] = field(default_factory=dict)
    bounded: tuple[str, ...] = ()


def precision_named(name: str) -> Precision:
    """float16 or bfloat16 by its name; BadInput for another."""
    if name not in HALVES:
        raise BadInput(f"precision {name!r}; choose one of {', '.join(HALVES)}")
    return HALVES[name]


def halve(model: Model, precision: Precision, keep: Mapping[Operation, str]) -> Halved:
    """A copy of a model that computes float32 values in `precision`, a type of 16 bits.

    Inputs, outputs and states stay float32, with casts beside them, so that the callers of the
    model do not change. So do the operations of `keep`, each for its reason, those that find
    positions or compute sizes, whose rule wants float32, and that read constants which 16 bits
    cannot hold. Constants are rounded to the nearest number.
    """
    copy = fix_sizes(model, {})  # the same operations in the same order
    writer = _Writer(copy, precision)
    for operation, reason in zip(copy.sorted(), _reasons(model, keep), strict=True):
        writer.rewrite(operation, reason)
    copy.outputs = [writer.read(v, SINGLE) if v in writer.halves else v for v in copy.outputs]
    copy.origin = None
    copy.operations = copy.sorted()
    bounded = writer.names_bounded()
    apply(copy, CLEAN)
    return Halved(copy, writer.count, writer.kept, bounded)


def halve_weights(model: Model, precision: Precision, keep: Mapping[Operation, str]) -> Halved:
    """A copy of a model whose weights have 16 bits and are cast to float32 before they are read.

    It computes what it did, with rounded weights, on every device; formats hold half as much.
    """
    copy = fix_sizes(model, {})
    writer = _Writer(copy, precision)
    for operation, reason in zip(copy.sorted(), _reasons(model, keep), strict=True):
        writer.store_weights(operation, reason)
    copy.origin = None
    copy.operations = copy.sorted()
    return Halved(copy, writer.count, writer.kept, writer.names_bounded())


def append_half_twins(model: Model, precision: Precision) -> list[Twin]:
    """Put a twin that computes in 16 bits beside each operation that can, in place.

    The operations themselves stay as they are, so that each twin reads exact values, which are
    rounded for it, and shows its own error alone.
    """
    writer = _Writer(model, precision)
    order = model.sorted()
    twins = []
    for operation, reason in zip(order, _reasons(model, {}), strict=True):
        exact = operation.outputs[0] if operation.outputs else None
        if reason is None and exact is not None and exact.precision == SINGLE:
            made = writer.twin_of(operation)
            if made is not None:
                twins.append(compare_twins(operation, exact, made))
    model.origin = None
    return twins


def _reasons(model: Model, keep: Mapping[Operation, str]) -> Iterator[str | None]:
    """Why each operation stays as it is, or None."""
    sizes = _computing_sizes(model)
    for operation in model.sorted():
        if operation in keep:
            yield keep[operation]
        elif any(isinstance(a, Model) for a in operation.attributes.values()):
            yield "it runs models of its own"
        elif operation in sizes:
            yield "it computes sizes"
        else:
            yield NOT_HALVED.get(operation.operator)


def _computing_sizes(model: Model) -> set[Operation]:
    """The operations on numbers and lists that become integers: sizes and positions."""
    found: set[Operation] = set()
    for operation in reversed(model.sorted()):
        result = operation.outputs[0] if operation.outputs else None
        if result is None or result.rank > 1:
            continue
        becomes = operation.operator is unary.cast and result.precision.is_integer
        reads_real = any(v is not None and v.precision == SINGLE for v in operation.inputs)
        if reads_real and (becomes or any(user in found for user in result.uses)):
            found.add(operation)
    return found


class _TooNarrow(Exception):
    """A constant that 16 bits cannot hold."""


class _Writer:
    """Rewrites operations in place, each value in both precisions where both are read."""

    def __init__(self, model: Model, precision: Precision) -> None:
        self.model, self.precision = model, precision
        self.halves: set[Value] = set()
        self.forms: dict[tuple[Value, Precision], Value] = {}
        self.kept: dict[str, str] = {}
        self.bounded: dict[Value, str] = {}
        self.count = 0

    def rewrite(self, operation: Operation, reason: str | None) -> None:
        """Let one operation compute in 16 bits, unless there is a reason against it."""
        values = [v for v in (*operation.inputs, *operation.outputs) if v is not None]
        if not any(v.precision == SINGLE or v in self.halves for v in values):
            return
        if reason is None:
            reason = self._halve(operation)
        if reason is None:
            self.count += 1
            return
        self.kept[operation.label] = reason
        self._read_all(operation, self._inputs(operation, SINGLE))

    def _halve(self, operation: Operation) -> str | None:
        """Change one operation; why it cannot be, else None."""
        stated = [self._type_of(v) for v in operation.outputs]
        try:
            attributes = {name: self._attribute(a) for name, a in operation.attributes.items()}
            inputs = self._inputs(operation, self.precision)
            types = operation.operator.infer(tuple(inputs), attributes, stated)
        except _TooNarrow as error:
            return str(error)
        except BadType:
            return f"its rule has no {self.precision.name}"
        if [t.precision for t in types] != [t.precision for t in stated]:
            return f"its results have no {self.precision.name}"
        self._read_all(operation, inputs)
        operation.attributes = attributes
        for value, type in zip(operation.outputs, stated, strict=True):
            if value.precision == SINGLE:
                value.type = type
                self.halves.add(value)
        return None

    def store_weights(self, operation: Operation, reason: str | None) -> None:
        """Let one operation read its weights through casts, unless there is a reason against it."""
        inputs: list[Value | None] = []
        for value in operation.inputs:
            array = None if value is None else value.constant
            if value is None or array is None or array.size < WEIGHTS or value.precision != SINGLE:
                inputs.append(value)
            elif reason is not None:
                self.kept[operation.label] = reason
                inputs.append(value)
            else:
                inputs.append(self._stored(operation, value))
        self.count += inputs != list(operation.inputs)
        self._read_all(operation, inputs)

    def _stored(self, operation: Operation, value: Value) -> Value:
        key = value, SINGLE
        if key not in self.forms:
            try:
                half = self._form(value, self.precision)
            except _TooNarrow as error:
                self.kept[operation.label] = str(error)
                return value
            self.forms[key] = unary.cast(half, dtype=SINGLE)
        return self.forms[key]

    def _inputs(self, operation: Operation, precision: Precision) -> list[Value | None]:
        return [None if v is None else self.read(v, precision) for v in operation.inputs]

    def twin_of(self, operation: Operation) -> Value | None:
        """What an operation makes of rounded operands, in float32 again; None where it cannot."""
        self.model.origin = operation.origin
        try:
            attributes = {name: self._attribute(a) for name, a in operation.attributes.items()}
            inputs = tuple(self._inputs(operation, self.precision))
            made = self.model.append(operation.operator, inputs, attributes)[0]
        except (_TooNarrow, BadType):
            return None
        return unary.cast(made, dtype=SINGLE)

    def _type_of(self, value: Value) -> Any:
        is_single = value.precision == SINGLE
        return replace(value.type, precision=self.precision) if is_single else value.type

    def _attribute(self, given: Any) -> Any:
        if given is SINGLE:
            return self.precision
        if isinstance(given, (np.ndarray, np.generic)) and given.dtype == np.float32:
            return self._round(np.asarray(given), "a number")[0].reshape(given.shape)[()]
        return given

    def _read_all(self, operation: Operation, inputs: list[Value | None]) -> None:
        for old in {v for v in operation.inputs if v is not None}:
            old.uses.pop(operation, None)
        operation.inputs = tuple(inputs)
        for new in inputs:
            if new is not None:
                new.uses[operation] = None

    def read(self, value: Value, precision: Precision) -> Value:
        """A value in a precision; what is no real number is as it was."""
        own = self.precision if value in self.halves else value.precision
        if own == precision or own not in (SINGLE, self.precision):
            return value
        if value not in self.halves and own == self.precision:
            return value  # the source has 16 bits there
        key = value, precision
        if key not in self.forms:
            self.forms[key] = self._form(value, precision)
        return self.forms[key]

    def _form(self, value: Value, precision: Precision) -> Value:
        if value.constant is not None:
            name = value.name or "a constant"
            array, is_bounded = self._round(value.constant, name)
            half = self.model.constant(array, name=value.name)
            if is_bounded:
                self.bounded[half] = name
            return half
        self.model.origin = None if value.producer is None else value.producer.origin
        made = unary.cast(value, dtype=precision)
        made.name = f"{value.name or 'value'}_{precision.name.lower()}"
        return made

    def names_bounded(self) -> tuple[str, ...]:
        """The constants that are read, and stood for infinity."""
        return tuple(name for half, name in self.bounded.items() if half.uses)

    def _round(self, array: np.ndarray, name: str) -> tuple[np.ndarray, bool]:
        """The nearest numbers of 16 bits, and whether infinities of theirs were bounded;
        `_TooNarrow` where that is another constant."""
        with np.errstate(over="ignore", under="ignore"):
            rounded = array.astype(self.precision.dtype)
            back = rounded.astype(np.float32)
        far = np.isinf(back) & np.isfinite(array)
        if far.any():
            beyond = array[far]
            if np.abs(beyond).min() < MASKS:
                raise _TooNarrow(
                    f"{name} reaches {beyond[np.abs(beyond).argmax()]:.4g}, which "
                    f"{self.precision.name} cannot hold"
                )
            most = np.array(largest(self.precision), rounded.dtype)
            rounded = np.where(far, np.where(array > 0, most, -most), rounded)
        if array.any() and not back.any():
            raise _TooNarrow(
                f"{name} is below what {self.precision.name} holds: {np.abs(array).max():.4g}"
            )
        return rounded, bool(far.any())


def largest(precision: Precision) -> float:
    """The largest number of a precision."""
    return float(finfo(precision.dtype).max)  # type: ignore[no-untyped-call]
