"""Operations on quantised operands: DEQUANTIZE_LINEAR, the operator, QUANTIZE_LINEAR.

Symmetric integers leave their lowest one out, which QUANTIZE_LINEAR does not: they keep their type,
between QUANTIZE and DEQUANTIZE.
"""

from __future__ import annotations

from ..affine import is_symmetric
from ..model import Model, Operation, Value
from ..ops import quant
from ..schema import Pattern
from ..types import Precision, TensorType
from .borders import Border, as_plain, border_of_type
from .spelling import append_copy, copy_constant, start_copy


class Reversal:
    """A model with quantised types as an explicit one.

    `parts` are the operations that each operation of the model becomes.
    """

    def __init__(self, model: Model) -> None:
        self.old = model
        self.new = start_copy(model)
        self.ends = {*model.inputs, *model.outputs}
        self.known: dict[Value, Value] = {}
        self.reals: dict[Value, Value] = {}
        self.parts: dict[Operation, list[Operation]] = {}

    def run(self) -> Model:
        """The whole model."""
        for old, new in zip(self.old.inputs, self.new.inputs, strict=True):
            self.known[old] = new
            if _is_plain(old.type):
                new.type = _plain_type(old.type, self._border(old))
        for operation in self.old.sorted():
            self.new.origin = operation.origin
            begin = len(self.new.operations)
            self._write(operation)
            self.parts[operation] = self.new.operations[begin:]
        self.new.origin = None
        self.new.outputs = [self.value(v) for v in self.old.outputs]
        self.new.symbols = dict(self.old.symbols)
        return self.new

    def _write(self, operation: Operation) -> None:
        (result, *_), first = operation.outputs, operation.inputs[0] if operation.inputs else None
        if operation.operator is quant.quantize and _is_plain(result.type) and first is not None:
            self._round(result, self.value(first))
        elif operation.operator is quant.dequantize and first is not None and _is_plain(first.type):
            self.known[result] = self.real(first)
            self.known[result].name = result.name
        elif operation.is_on_integers and not _moves_symmetric(operation):
            self._compute(operation)
        else:
            inputs = tuple(None if v is None else self.value(v) for v in operation.inputs)
            made = append_copy(self.new, operation, inputs)
            self.known.update(zip(operation.outputs, made, strict=True))

    def _compute(self, operation: Operation) -> None:
        """The operation on real numbers, whose results are rounded."""
        inputs = tuple(None if v is None else self.real(v) for v in operation.inputs)
        operator, attributes = operation.operator, dict(operation.attributes)
        made = self.new.append(operator, inputs, attributes)
        for old, new in zip(operation.outputs, made, strict=True):
            new.name, new.is_number = old.name, old.is_number
            new.type = new.type.with_shape(old.shape)
            if old.precision.is_quantized:
                self._round(old, new)
            else:
                self.known[old] = new

    def _round(self, old: Value, real: Value) -> None:
        """The integers of real numbers, as plain ones where those have them all."""
        how = old.type.quantization
        if how is None:
            raise ValueError(f"{old!r} has no scale")
        if _is_plain(old.type):
            self.known[old] = self._border(old).quantize(self.new, real)
        else:
            scale = self.new.constant(how.scales, Precision.FLOAT32.dtype)
            zero = self.new.constant(how.zero_points, Precision.INT32.dtype)
            inputs = quant.quantize.bind_inputs(self.new, (real, scale, zero))
            axis = {"axis": 1 if how.axis is None else how.axis}
            bound = quant.quantize.bind_attributes(axis)
            (self.known[old],) = self.new.append(quant.quantize, inputs, bound, [old.type])
        self.known[old].name = old.name

    def value(self, old: Value) -> Value:
        """The copy of a value, with plain integers for those of a quantised type."""
        if old not in self.known:
            made = copy_constant(self.new, old)
            if old.precision.is_quantized and made.constant is not None:
                made.constant = as_plain(made.constant, old.type)
                made.type = _plain_type(old.type, self._border(old))
            self.known[old] = made
        return self.known[old]

    def real(self, old: Value) -> Value:
        """The real numbers that a value stands for."""
        whole = self.value(old)
        if not old.precision.is_quantized:
            return whole
        if old not in self.reals:
            is_typed = whole.precision.is_quantized
            self.reals[old] = (
                quant.dequantize(whole)
                if is_typed
                else self._border(old).dequantize(self.new, whole)
            )
        return self.reals[old]

    def _border(self, old: Value) -> Border:
        return border_of_type(old.type, is_end=old in self.ends)


def _is_plain(type: TensorType) -> bool:
    """Whether QUANTIZE_LINEAR makes exactly the integers of a type."""
    return type.precision.is_quantized and not is_symmetric(type.precision)


def _moves_symmetric(operation: Operation) -> bool:
    """Whether symmetric integers are only moved, the lowest one among them."""
    results = {v.precision for v in operation.outputs}
    is_move = operation.operator.pattern is Pattern.MOVEMENT
    return is_move and all(p.is_quantized and is_symmetric(p) for p in results)


def _plain_type(type: TensorType, border: Border) -> TensorType:
    return type.with_precision(border.precision)
