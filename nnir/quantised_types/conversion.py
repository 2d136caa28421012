"""DEQUANTIZE_LINEAR, an operator, QUANTIZE_LINEAR: the operator on quantised operands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..model import Model, Operation, Value
from ..ops import quant
from ..passes.rewrite import only_reader, sweep
from ..types import TensorType
from .borders import Border, as_typed, border_of, type_of_computed, type_of_constant
from .operators import ROLES, Role, operands_named, reason_against
from .spelling import append_copy, copy_constant, is_rounding, start_copy

STEPS = 1e-6
"""How far the steps of a bias may be from those of its products: as far as FLOAT32 rounds them."""


class Choice:
    """Which operations of a spelled model work on quantised operands, and why others do not.

    `chosen` are those; `kept` those that read or make integers through a border, and compute with
    real numbers.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.outputs = set(model.outputs)
        self.chosen: set[Operation] = set()
        self.kept: dict[Operation, str] = {}
        for operation in model.operations:
            if border_of(operation) is None and any(self._borders_around(operation)):
                reason = self._reason_against(operation)
                if reason is None:
                    self.chosen.add(operation)
                else:
                    self.kept[operation] = reason

    def _borders_around(self, operation: Operation) -> Iterator[bool]:
        """For each border that touches an operation whether integers come in or go out there that
        are only known while running."""
        for value in operation.inputs:
            source = None if value is None else source_of(value)
            yield source is not None and source.constant is None
        for value in operation.outputs:
            yield any(is_rounding(reader) for reader in value.uses)

    def _reason_against(self, operation: Operation) -> str | None:
        role = ROLES.get(operation.operator)
        if role is None:
            return reason_against(operation.operator)
        name = operation.operator.name
        data = operands_named(operation, role.data)
        problems = (self._operand_problem(operation, v, role) for v in data)
        problem = next(filter(None, problems), None) or self._result_problem(operation)
        if problem is None and all(_is_known(v) for v in data):
            problem = "it reads constants alone"
        if problem is None and role.bias is not None:
            problem = _bias_problem(operation, role)
        return None if problem is None else f"{name}: {problem}"

    def _operand_problem(self, operation: Operation, value: Value, role: Role) -> str | None:
        """Why an operand has no quantised type."""
        if not value.is_float:
            return f"it reads {value.precision.name}"
        source, border = source_of(value), border_of(value.producer)
        if source is None or border is None:
            return "it reads real numbers"
        if source.constant is None:
            maker = source.producer
            if maker is not None and is_rounding(maker) and border_of(maker) != border:
                return "integers are read with another scale than they are made with"
            found = type_of_computed(border, source.type)
            return None if found is not None else _describe_border(border)
        found = type_of_constant(border, source)
        if found is None:
            return f"constants as {_describe_border(border)}"
        is_weight = role.weights is not None and value in operands_named(operation, (role.weights,))
        if not border.is_single and (not is_weight or border.axis != role.axis):
            return f"constants with scales along axis {border.axis}"
        return None

    def _result_problem(self, operation: Operation) -> str | None:
        """Why a result has no quantised type."""
        for value in operation.outputs:
            if not value.is_float:
                continue
            if value in self.outputs:
                return "its real result is an output of the model"
            reader = only_reader(value)
            if reader is None or not is_rounding(reader):
                return "its real result is read"
            border = border_of(reader)
            if border is None or type_of_computed(border, value.type) is None:
                return "results as " + _describe_border(border)
        return None


def source_of(value: Value) -> Value | None:
    """The integers that real numbers are made of by a border; None for others."""
    maker = value.producer
    if maker is None or maker.operator is not quant.dequantize_linear or border_of(maker) is None:
        return None
    return maker.inputs[0]


def _is_known(value: Value) -> bool:
    source = source_of(value)
    return source is not None and source.constant is not None


def _describe_border(border: Border | None) -> str:
    if border is None:
        return "numbers without a scale"
    scales = "one scale" if border.is_single else f"scales along axis {border.axis}"
    return f"{border.precision.name} with {scales}, which no type of the standard has"


def _bias_problem(operation: Operation, role: Role) -> str | None:
    """Why the operand that is added to products cannot be."""
    found = operands_named(operation, (role.bias or "",))
    if not found or found[0].constant is not None:
        return None
    source, border = source_of(found[0]), border_of(found[0].producer)
    if source is None or source.constant is None or border is None:
        return "its bias is computed"
    type = type_of_constant(border, source)
    if type is None or not type.precision.name.startswith("QUANT_INT32_SYMM"):
        return f"its bias is {border.precision.name}, which no type of INT32 holds"
    factors = [border_of(v.producer) for v in operands_named(operation, role.data)]
    products = np.ones(1)
    for each in filter(None, factors):
        products = products * np.asarray(each.scales)
    steps = np.asarray(border.scales)
    if np.broadcast(products, steps).size != max(products.size, steps.size) or not np.allclose(
        products, steps, rtol=STEPS, atol=0
    ):
        return "the steps of its bias are not those of its products"
    return None


# Writing


class Writer:
    """A spelled model with quantised types."""

    def __init__(self, choice: Choice) -> None:
        self.choice, self.old = choice, choice.model
        self.wanted = _wanted_integers(choice)
        self.new = start_copy(self.old)
        self.known: dict[Value, Value] = {}
        self.results: dict[Value, Value] = {}
        self.typed: dict[tuple[Value, Border], Value] = {}

    def run(self) -> Model:
        """The whole model."""
        for old, new in zip(self.old.inputs, self.new.inputs, strict=True):
            self._begin(old, new)
        for operation in self.old.operations:
            self.new.origin = operation.origin
            if operation in self.choice.chosen:
                self._convert(operation)
            elif border_of(operation) is None:
                self._copy(operation)
            else:
                self._cross(operation)
        self.new.origin = None
        self.new.outputs = [self._end(v) for v in self.old.outputs]
        self.new.symbols = dict(self.old.symbols)
        sweep(self.new)
        return self.new

    def _begin(self, old: Value, new: Value) -> None:
        """An input of integers is one of a quantised type, where all that read it say which."""
        self.known[old] = new
        borders = self.wanted.get(old, set())
        if not borders or {border_of(o) for o in old.uses} != borders or len(borders) > 1:
            return
        (border,) = borders
        type = type_of_computed(border, old.type)
        if type is not None and type.quantization is not None and type.quantization.stored is None:
            new.type, self.typed[old, border] = type, new

    def _copy(self, operation: Operation) -> None:
        inputs = tuple(None if v is None else self.plain(v) for v in operation.inputs)
        made = append_copy(self.new, operation, inputs)
        self.known.update(zip(operation.outputs, made, strict=True))

    def _cross(self, operation: Operation) -> None:
        """A border: one of types where its integers are of one, else as it is."""
        old, source = operation.outputs[0], operation.inputs[0]
        border = border_of(operation)
        if source is None or border is None:
            raise ValueError("no border")
        if operation.operator is quant.dequantize_linear:
            if (source, border) not in self.typed:
                self._copy(operation)
        elif border not in self.wanted.get(old, ()):
            self._copy(operation)
        elif source in self.results:
            self.typed[old, border] = self.results[source]
        else:
            self.typed[old, border] = self._quantize(self.plain(source), border, old)

    def _quantize(self, real: Value, border: Border, like: Value) -> Value:
        """Append a QUANTIZE to the type of some integers."""
        type = type_of_computed(border, like.type)
        if type is None or type.quantization is None:
            raise ValueError(f"no quantised type for {border}")
        how = type.quantization
        scale = self.new.constant(np.asarray(how.scales, np.float32))
        zero = self.new.constant(np.asarray(how.zero_points, np.int32))
        operator = quant.quantize
        inputs = operator.bind_inputs(self.new, (real, scale, zero))
        (made,) = self.new.append(operator, inputs, operator.bind_attributes({}), [type])
        made.name = like.name
        return made

    def _convert(self, operation: Operation) -> None:
        """An operation on quantised operands."""
        role = ROLES[operation.operator]
        names = role.data if role.bias is None else (*role.data, role.bias)
        taken = set(operands_named(operation, names))
        inputs = tuple(
            v if v is None else self.quantized(v) if v in taken else self.plain(v)
            for v in operation.inputs
        )
        stated = [self._stated(v) for v in operation.outputs]
        made = self.new.append(operation.operator, inputs, dict(operation.attributes), stated)
        for old, new in zip(operation.outputs, made, strict=True):
            new.name, new.is_number = old.name, old.is_number
            new.type = new.type.with_shape(old.shape)
            (self.results if old.is_float else self.known)[old] = new

    def _stated(self, value: Value) -> TensorType:
        reader = only_reader(value)
        border = border_of(reader)
        type = None if border is None else type_of_computed(border, value.type)
        return value.type if type is None or not value.is_float else type

    def quantized(self, real: Value) -> Value:
        """The quantised operand that stands for real numbers behind a border."""
        source, border = source_of(real), border_of(real.producer)
        if source is None or border is None:
            return self.plain(real)
        key = source, border
        if key not in self.typed:
            self.typed[key] = (
                self._quantize(self.plain(real), border, source)
                if source.constant is None
                else self._constant(source, border)
            )
        return self.typed[key]

    def _constant(self, source: Value, border: Border) -> Value:
        type = type_of_constant(border, source)
        if type is None or source.constant is None:
            raise ValueError(f"no quantised type for {border}")
        made = Value(self.new, type, source.name)
        made.constant = as_typed(source.constant, type)
        return made

    # What explicit operations read

    def plain(self, old: Value) -> Value:
        """A value as explicit operations read it."""
        if old not in self.known:
            if old.producer is None:
                self.known[old] = copy_constant(self.new, old)
            elif is_rounding(old.producer):
                self.known[old] = self._integers(old)
            else:
                self.known[old] = self._real(old)
        return self.known[old]

    def _real(self, old: Value) -> Value:
        """The real numbers behind a border of integers of a quantised type."""
        source, border = source_of(old), border_of(old.producer)
        if source is None or border is None:
            raise ValueError(f"{old!r} is not made yet")
        made = quant.dequantize(self.typed[source, border])
        made.name = old.name
        return made

    def _integers(self, old: Value) -> Value:
        """Plain integers of those of a quantised type."""
        border = border_of(old.producer)
        if border is None:
            raise ValueError(f"{old!r} has no scale")
        return border.quantize(self.new, quant.dequantize(self.typed[old, border]))

    def _end(self, old: Value) -> Value:
        """An output; integers of a quantised type are one where they are those of the model."""
        border = border_of(old.producer)
        if border is not None:
            typed = self.typed.get((old, border))
            if typed is not None and typed.dtype == old.dtype:
                return typed
        return self.plain(old)


def _wanted_integers(choice: Choice) -> dict[Value, set[Border]]:
    """The integers that chosen operations read and make, with what they stand for there."""
    found: dict[Value, set[Border]] = {}

    def add(source: Value | None, border: Border | None) -> None:
        if source is not None and border is not None and source.constant is None:
            found.setdefault(source, set()).add(border)

    for operation in choice.chosen:
        for value in operands_named(operation, ROLES[operation.operator].data):
            add(source_of(value), border_of(value.producer))
        for value in operation.outputs:
            reader = only_reader(value)
            if value.is_float and reader is not None:
                add(reader.outputs[0], border_of(reader))
    return found
