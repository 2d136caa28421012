"""A model whose real numbers are narrower, but for what would lose its meaning in them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
from ml_dtypes import finfo

from .errors import BadInput, BadType
from .model import Model, Operation, Value
from .ops import detection, features, generate, quant, resize, unary
from .ops import reduce as sums
from .passes import CLEAN, apply
from .quantisation.rewriting import Twin, compare_twins
from .records import dataclass
from .specialise import fix_sizes
from .state import State
from .stateful import state_inputs
from .types import Precision, TensorType, precision_of

HALVES = {"float16": Precision.FLOAT16, "bfloat16": Precision.BFLOAT16}
SINGLE = Precision.FLOAT32
NAMES = {**HALVES, "float32": SINGLE}
SINGLES = {Precision.FLOAT64: SINGLE, Precision.COMPLEX128: Precision.COMPLEX64}
"""What numbers of 64 bits become where they have 32."""
MASKS = 1e8
"""A constant of such magnitude stands for infinity, as attention's masks do: it may be any number
that is large enough."""

REAL = tuple(NAMES.values())
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
class Narrowed:
    """A model in another precision.

    `count` operations compute in it (or read weights that are stored in it); `kept` says why others
    do not, by their labels; `bounded` are the constants that stood for infinity and are the largest
    number now.
    """

    model: Model
    count: int = 0
    kept: Mapping[str, str] = field(default_factory=dict)
    bounded: tuple[str, ...] = ()


def half_named(name: str) -> Precision:
    """float16 or bfloat16 by its name; BadInput for another."""
    if name not in HALVES:
        raise BadInput(f"precision {name!r}; choose one of {', '.join(HALVES)}")
    return HALVES[name]


def precision_named(name: str) -> Precision:
    """float16, bfloat16 or float32 by its name; BadInput for another."""
    if name not in NAMES:
        raise BadInput(f"precision {name!r}; choose one of {', '.join(NAMES)}")
    return NAMES[name]


def is_wide(model: Model) -> bool:
    """Whether a model has numbers of 64 bits, its branches and bodies included."""
    bodies = (body for operation in model.operations for body in operation.models)
    return any(v.precision in SINGLES for v in model.values()) or any(map(is_wide, bodies))


def narrow(model: Model, precision: Precision, keep: Mapping[Operation, str]) -> Narrowed:
    """A copy of a model that computes in `precision`: float32 values in one of 16 bits, or values
    of 64 bits in FLOAT32.

    In 16 bits inputs, outputs and states stay float32, with casts beside them, so that the callers
    of the model do not change; in FLOAT32 they change too, as devices without FLOAT64 take none. As
    they are stay the operations of `keep`, each for its reason, those that compute sizes, whose
    rule wants the wider precision, and that read constants which the narrow one cannot hold; in 16
    bits also those that find positions. Constants are rounded to the nearest number.
    """
    copy = fix_sizes(model, {})  # the same operations in the same order
    writer = _Writer(copy, precision)
    writer.rewrite_all(_reasons(model, keep, precision))
    apply(copy, CLEAN)
    return Narrowed(copy, writer.count, writer.kept, writer.names_bounded())


def narrow_weights(model: Model, precision: Precision, keep: Mapping[Operation, str]) -> Narrowed:
    """A copy of a model whose weights are stored in `precision` and cast before they are read.

    It computes what it did, with rounded weights, on every device; formats hold half as much.
    """
    copy = fix_sizes(model, {})
    writer = _Writer(copy, precision)
    for operation, reason in zip(copy.sorted(), _reasons(model, keep, precision), strict=True):
        writer.store_weights(operation, reason)
    copy.origin = None
    copy.operations = copy.sorted()
    return Narrowed(copy, writer.count, writer.kept, writer.names_bounded())


def append_half_twins(model: Model, precision: Precision) -> list[Twin]:
    """Put a twin that computes in 16 bits beside each operation that can, in place.

    The operations themselves stay as they are, so that each twin reads exact values, which are
    rounded for it, and shows its own error alone.
    """
    writer = _Writer(model, precision)
    order = model.sorted()
    twins = []
    for operation, reason in zip(order, _reasons(model, {}, precision), strict=True):
        exact = operation.outputs[0] if operation.outputs else None
        if reason is None and exact is not None and exact.precision == SINGLE:
            made = writer.twin_of(operation)
            if made is not None:
                twins.append(compare_twins(operation, exact, made))
    model.origin = None
    return twins


def _wider(precision: Precision) -> Mapping[Precision, Precision]:
    """Which precisions become narrower where real numbers get this one."""
    return SINGLES if precision == SINGLE else {SINGLE: precision}


def _reasons(
    model: Model, keep: Mapping[Operation, str], precision: Precision
) -> Iterator[str | None]:
    """Why each operation stays as it is, or None."""
    sizes = _computing_sizes(model, _wider(precision))
    is_half = precision != SINGLE
    for operation in model.sorted():
        if operation in keep:
            yield keep[operation]
        elif is_half and any(isinstance(a, Model) for a in operation.attributes.values()):
            yield "it runs models of its own"
        elif operation in sizes:
            yield "it computes sizes"
        else:
            yield NOT_HALVED.get(operation.operator) if is_half else None


def _computing_sizes(model: Model, wide: Container[Precision]) -> set[Operation]:
    """The operations on numbers and lists that become integers: sizes and positions."""
    found: set[Operation] = set()
    for operation in reversed(model.sorted()):
        result = operation.outputs[0] if operation.outputs else None
        if result is None or result.rank > 1:
            continue
        becomes = operation.operator is unary.cast and result.precision.is_integer
        reads_real = any(v is not None and v.precision in wide for v in operation.inputs)
        if reads_real and (becomes or any(user in found for user in result.uses)):
            found.add(operation)
    return found


def _narrow_states(states: Sequence[State], ends: Sequence[Value]) -> list[State]:
    """States whose initial data are of the types of the inputs that they are read from."""
    return [
        replace(state, initial=state.initial.astype(end.dtype, copy=False))
        for state, end in zip(states, ends, strict=True)
    ]


class _TooNarrow(Exception):
    """A constant that the narrow precision cannot hold."""


class _Writer:
    """Rewrites operations in place, each value in both precisions where both are read."""

    def __init__(self, model: Model, precision: Precision) -> None:
        self.model, self.precision = model, precision
        self.narrower = _wider(precision)
        self.wider = {narrow: wide for wide, narrow in self.narrower.items()}
        self._wide = [wide.dtype for wide in self.narrower]
        self.narrowed: set[Value] = set()
        self.forms: dict[tuple[Value, Precision], Value] = {}
        self.kept: dict[str, str] = {}
        self.bounded: dict[Value, str] = {}
        self.count = 0

    def rewrite_all(self, reasons: Iterable[str | None]) -> None:
        """Let the model compute in the narrow precision, but for operations with a reason."""
        model = self.model
        is_single = self.precision == SINGLE
        outputs = [v.precision for v in model.outputs]
        if is_single:
            self._narrow_inputs()
        for operation, reason in zip(model.sorted(), reasons, strict=True):
            self.rewrite(operation, reason)
        narrowed = [is_single and p in self.narrower for p in outputs]
        model.outputs = [
            self.read(v, is_narrow=n) for v, n in zip(model.outputs, narrowed, strict=True)
        ]
        if is_single:
            names = [name for name, _ in model.named_outputs()]
            for name, before, is_narrow in zip(names, outputs, narrowed, strict=True):
                if is_narrow:
                    model.provenance.precisions[name] = before
        model.origin = None
        model.operations = model.sorted()

    def _narrow_inputs(self) -> None:
        """Let inputs and states have the narrow precision."""
        model = self.model
        model.provenance.precisions = dict(model.provenance.precisions)
        for value in model.inputs:
            if value.precision in self.narrower:
                model.provenance.precisions[value.name or ""] = value.precision
                value.type = self._type_of(value)
                self.narrowed.add(value)
        model.states = _narrow_states(model.states, state_inputs(model))
        if model.provenance.states is not None:  # which are plain ends of the model
            states, pairs = model.provenance.states
            ends = model.inputs[len(model.inputs) - len(states) :]
            model.provenance.states = _narrow_states(states, ends), pairs

    def rewrite(self, operation: Operation, reason: str | None) -> None:
        """Let one operation compute in the narrow precision, unless a reason is against it."""
        values = [v for v in (*operation.inputs, *operation.outputs) if v is not None]
        concerned = any(v.precision in self.narrower or v in self.narrowed for v in values)
        if not (concerned or operation.models):
            return
        if reason is None:
            reason = self._narrow(operation)
        if reason is None:
            self.count += concerned
            return
        self.kept[operation.label] = reason
        self._read_all(operation, self._inputs(operation, is_narrow=False))

    def _narrow(self, operation: Operation) -> str | None:
        """Change one operation; why it cannot be, else None."""
        stated = [self._type_of(v) for v in operation.outputs]
        bodies: list[_Writer] = []
        try:
            attributes = {n: self._attribute(a, bodies) for n, a in operation.attributes.items()}
            inputs = self._inputs(operation, is_narrow=True)
            types = operation.operator.infer(tuple(inputs), attributes, stated)
        except _TooNarrow as error:
            return str(error)
        except BadType:
            return f"its rule has no {self.precision.name}"
        if [t.precision for t in types] != [t.precision for t in stated]:
            return f"its results have no {self.precision.name}"
        self._read_all(operation, inputs)
        operation.attributes = attributes
        for body in bodies:
            self.count += body.count
            self.kept.update(body.kept)
            self.bounded.update(body.bounded)
        for value, type in zip(operation.outputs, stated, strict=True):
            if value.precision in self.narrower:
                value.type = type
                self.narrowed.add(value)
        return None

    def store_weights(self, operation: Operation, reason: str | None) -> None:
        """Let one operation read its weights through casts, unless there is a reason against it."""
        inputs: list[Value | None] = []
        for value in operation.inputs:
            if value is None or not self._is_weight(value):
                inputs.append(value)
            elif reason is not None:
                self.kept[operation.label] = reason
                inputs.append(value)
            else:
                inputs.append(self._stored(operation, value))
        self.count += inputs != list(operation.inputs)
        self._read_all(operation, inputs)

    def _is_weight(self, value: Value) -> bool:
        array = value.constant
        return array is not None and array.size >= WEIGHTS and value.precision in self.narrower

    def _stored(self, operation: Operation, value: Value) -> Value:
        key = value, value.precision
        if key not in self.forms:
            try:
                stored = self._form(value, self.narrower[value.precision])
            except _TooNarrow as error:
                self.kept[operation.label] = str(error)
                return value
            self.forms[key] = unary.cast(stored, dtype=value.precision)
        return self.forms[key]

    def _inputs(self, operation: Operation, *, is_narrow: bool) -> list[Value | None]:
        return [None if v is None else self.read(v, is_narrow=is_narrow) for v in operation.inputs]

    def twin_of(self, operation: Operation) -> Value | None:
        """What an operation makes of rounded operands, in float32 again; None where it cannot."""
        self.model.origin = operation.origin
        try:
            attributes = {n: self._attribute(a, []) for n, a in operation.attributes.items()}
            inputs = tuple(self._inputs(operation, is_narrow=True))
            made = self.model.append(operation.operator, inputs, attributes)[0]
        except (_TooNarrow, BadType):
            return None
        return unary.cast(made, dtype=SINGLE)

    def _type_of(self, value: Value) -> TensorType:
        return replace(value.type, precision=self.narrower.get(value.precision, value.precision))

    def _attribute(self, given: Any, bodies: list[_Writer]) -> Any:
        if isinstance(given, Model):
            bodies.append(_Writer(fix_sizes(given, {}), self.precision))
            bodies[-1].rewrite_all(_reasons(given, {}, self.precision))
            return bodies[-1].model
        if isinstance(given, Precision):
            return self.narrower.get(given, given)
        if isinstance(given, (np.ndarray, np.generic)) and given.dtype in self._wide:
            return self._round(np.asarray(given), "a number")[0].reshape(given.shape)[()]
        return given

    def _read_all(self, operation: Operation, inputs: list[Value | None]) -> None:
        for old in {v for v in operation.inputs if v is not None}:
            old.uses.pop(operation, None)
        operation.inputs = tuple(inputs)
        for new in inputs:
            if new is not None:
                new.uses[operation] = None

    def read(self, value: Value, *, is_narrow: bool) -> Value:
        """A value in the narrow or the wide precision; what is neither is as it was."""
        is_changed = value in self.narrowed
        if is_changed == is_narrow or not (is_changed or value.precision in self.narrower):
            return value  # the source may have the narrow precision there
        precision = (self.narrower if is_narrow else self.wider)[value.precision]
        key = value, precision
        if key not in self.forms:
            self.forms[key] = self._form(value, precision)
        return self.forms[key]

    def _form(self, value: Value, precision: Precision) -> Value:
        if value.constant is not None:
            name = value.name or "a constant"
            array, is_bounded = self._round(value.constant, name)
            rounded = self.model.constant(array, name=value.name)
            if is_bounded:
                self.bounded[rounded] = name
            return rounded
        self.model.origin = None if value.producer is None else value.producer.origin
        made = unary.cast(value, dtype=precision)
        made.name = f"{value.name or 'value'}_{precision.name.lower()}"
        return made

    def names_bounded(self) -> tuple[str, ...]:
        """The constants that are read, and stood for infinity."""
        return tuple(name for half, name in self.bounded.items() if half.uses)

    def _round(self, array: np.ndarray, name: str) -> tuple[np.ndarray, bool]:
        """The nearest numbers of the narrow precision, and whether infinities of theirs were
        bounded; `_TooNarrow` where that is another constant."""
        narrow = self.narrower[precision_of(array.dtype)]
        with np.errstate(over="ignore", under="ignore"):
            rounded = array.astype(narrow.dtype)
            back = rounded.astype(array.dtype)
        far = np.isinf(back) & np.isfinite(array)
        if far.any():
            beyond = array[far]
            if narrow not in REAL or np.abs(beyond).min() < MASKS:
                raise _TooNarrow(
                    f"{name} reaches {beyond[np.abs(beyond).argmax()]:.4g}, which "
                    f"{narrow.name} cannot hold"
                )
            most = np.array(largest(narrow), rounded.dtype)
            rounded = np.where(far, np.where(array > 0, most, -most), rounded)
        if array.any() and not back.any():
            raise _TooNarrow(f"{name} is below what {narrow.name} holds: {np.abs(array).max():.4g}")
        return rounded, bool(far.any())


def largest(precision: Precision) -> float:
    """The largest number of a precision."""
    return float(finfo(precision.dtype).max)  # type: ignore[no-untyped-call]
