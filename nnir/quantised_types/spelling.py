"""One way to write an explicit quantised model: what says the same is the same model.

Activations are part of the operation before them, what only moves integers moves real numbers
between borders, no border is crossed twice in vain, and borders stand where their numbers are made:
constants first, in the order in which they are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..model import Model, Operation, Value
from ..ops import quant
from ..passes import apply, fuse_activation, name_clips
from ..passes.rewrite import sweep
from .borders import UNSIGNED, Border, border_of
from .operators import ROLES, operands_named

QUANTIZED, DEQUANTIZED = "_quantized", "_dequantized"


def spell(model: Model) -> Model:
    """A copy of an explicit model in that way; its results are the same."""
    made = _Speller(model).run()
    apply(made, (name_clips, fuse_activation))
    sweep(made)
    arrange(made)
    _name(made)
    return made


class _Speller:
    """A copy of a model whose borders are written in one way."""

    def __init__(self, model: Model) -> None:
        self.old = model
        self.new = start_copy(model)
        self.known: dict[Value, Value] = dict(zip(model.inputs, self.new.inputs, strict=True))
        self._borders: dict[tuple[Value, Border], Value] = {}
        self._read_by = _borders_of_readers(model)

    def run(self) -> Model:
        """The whole model."""
        for operation in self.old.sorted():
            border = border_of(operation)
            self.new.origin = operation.origin
            if border is None:
                self._copy(operation)
                continue
            source = self.value(operation.inputs[0])
            is_rounding = operation.operator is quant.quantize_linear
            cross = self.quantize if is_rounding else self.dequantize
            made = cross(source, border)
            old = operation.outputs[0]
            made.name = made.name or old.name
            self.known[old] = made
        self.new.origin = None
        self.new.outputs = [self.value(v) for v in self.old.outputs]
        self.new.symbols = dict(self.old.symbols)
        return self.new

    def value(self, old: Value | None) -> Value:
        """The copy of a value."""
        if old is None:
            raise ValueError("an operand that is left out")
        if old not in self.known:
            self.known[old] = copy_constant(self.new, old)
        return self.known[old]

    def quantize(self, real: Value, border: Border) -> Value:
        """The integers of real numbers; those that they were made of, where they are the same."""
        if real.producer is not None and real.producer.operator is quant.dequantize_linear:
            source = real.producer.inputs[0]
            if border_of(real.producer) == border and source is not None:
                return source
        key = real, border
        if key not in self._borders:
            self._borders[key] = border.quantize(self.new, real)
        return self._borders[key]

    def dequantize(self, whole: Value, border: Border) -> Value:
        """The real numbers of integers."""
        key = whole, border
        if key not in self._borders:
            self._borders[key] = border.dequantize(self.new, whole)
        return self._borders[key]

    def _copy(self, operation: Operation) -> None:
        inputs = [None if v is None else self.value(v) for v in operation.inputs]
        border = self._moved_border(operation)
        if border is not None:
            data = set(operands_named(operation, ROLES[operation.operator].data))
            inputs = [
                self.dequantize(new, border) if old in data and new is not None else new
                for old, new in zip(operation.inputs, inputs, strict=True)
            ]
        made = append_copy(self.new, operation, tuple(inputs))
        for old, new in zip(operation.outputs, made, strict=True):
            self.known[old] = new if border is None else self.quantize(new, border)
        real = self._border_of_reals(operation, inputs)
        if real is not None:
            for old in operation.outputs:
                whole = self.quantize(self.known[old], real)
                self.known[old] = self.dequantize(whole, real)

    def _border_of_reals(
        self, operation: Operation, inputs: Sequence[Value | None]
    ) -> Border | None:
        """The border behind which all real numbers were made that an operation only moves: what it
        gives can become the same integers again."""
        role = ROLES.get(operation.operator)
        if role is None or not role.moves:
            return None
        data = set(operands_named(operation, role.data))
        makers = [
            new.producer
            for old, new in zip(operation.inputs, inputs, strict=True)
            if old in data and old is not None and new is not None and old.is_float
        ]
        borders = {border_of(m) if m and is_restoring(m) else None for m in makers}
        border = borders.pop() if len(borders) == 1 else None
        fits = border is not None and border.is_single and border.precision in UNSIGNED
        return border if fits else None

    def _moved_border(self, operation: Operation) -> Border | None:
        """The border of plain integers that an operation only moves: that behind which they were
        made, or before which they are read."""
        data = moved_integers(operation)
        makers = [self.value(v).producer for v in data]
        found = {border_of(m) for m in makers if m is not None and is_rounding(m)}
        for value in operation.outputs if data else ():
            found |= self._read_by.get(value, set())
        border = found.pop() if len(found) == 1 else None
        return border if border is not None and border.is_single else None


def is_rounding(operation: Operation) -> bool:
    """Whether real numbers become integers there, behind a border."""
    return operation.operator is quant.quantize_linear and border_of(operation) is not None


def is_restoring(operation: Operation) -> bool:
    """Whether integers that are only known while running become real numbers there."""
    source = operation.inputs[0] if operation.inputs else None
    is_back = operation.operator is quant.dequantize_linear and border_of(operation) is not None
    return is_back and source is not None and source.constant is None


def moved_integers(operation: Operation) -> list[Value]:
    """The plain integers that an operation moves; none where it moves anything else."""
    role = ROLES.get(operation.operator)
    data = [] if role is None or not role.moves else operands_named(operation, role.data)
    return data if all(v.precision in UNSIGNED for v in data) else []


def _borders_of_readers(model: Model) -> dict[Value, set[Border]]:
    """Before which borders plain integers are read, also behind what only moves them."""
    found: dict[Value, set[Border]] = {}
    for operation in reversed(model.sorted()):
        border = border_of(operation)
        if border is not None and operation.operator is quant.dequantize_linear:
            source = operation.inputs[0]
            if source is not None and border.precision in UNSIGNED:
                found.setdefault(source, set()).add(border)
        for value in moved_integers(operation):
            for made in operation.outputs:
                found.setdefault(value, set()).update(found.get(made, ()))
    return found


# Copies


def start_copy(model: Model) -> Model:
    """A model with the ends and the names of another one, without operations."""
    made = Model(model.name, model.outer)
    made.symbols.update(model.symbols)
    made.metadata.update(model.metadata)
    made.provenance = replace(model.provenance)
    made.output_names = [name for name, _ in model.named_outputs()]
    made.states = list(model.states)
    for value in model.inputs:
        copy = made.input(value.name or "", value.type)
        copy.name, copy.is_number = value.name, value.is_number
    return made


def copy_constant(model: Model, value: Value) -> Value:
    """A constant in another model, on the same memory."""
    copy = Value(model, value.type, value.name)
    copy.constant, copy.is_number = value.constant, value.is_number
    return copy


def append_copy(
    model: Model, operation: Operation, inputs: tuple[Value | None, ...]
) -> tuple[Value, ...]:
    """An operation once more, on other operands."""
    model.origin = operation.origin
    stated = [v.type for v in operation.outputs]
    made = model.append(operation.operator, inputs, dict(operation.attributes), stated)
    for old, new in zip(operation.outputs, made, strict=True):
        new.name, new.is_number = old.name, old.is_number
        new.type = new.type.with_shape(old.shape)
    return made


# Order and names


def arrange(model: Model) -> None:
    """Put the borders of a model where their numbers are made."""
    order = model.sorted()
    borders = {o for o in order if border_of(o) is not None}
    readers: dict[Value, list[Operation]] = {}
    for operation in (o for o in order if o in borders):
        source = operation.inputs[0]
        if source is not None:
            readers.setdefault(source, []).append(operation)

    def follow(value: Value) -> Iterator[Operation]:
        waiting = readers.get(value, [])[::-1]
        while waiting:
            operation = waiting.pop()
            yield operation
            waiting += readers.get(operation.outputs[0], [])[::-1]

    heads = [v for o in order if o not in borders for v in o.inputs] + list(model.outputs)
    made: dict[Operation, None] = {}
    for value in heads:
        source = _constant_behind(value, borders)
        made.update(dict.fromkeys(follow(source)) if source is not None else {})
    for value in model.inputs:
        made.update(dict.fromkeys(follow(value)))
    for operation in (o for o in order if o not in borders):
        made[operation] = None
        for value in operation.outputs:
            made.update(dict.fromkeys(follow(value)))
    model.remove(o for o in order if o not in made)
    model.operations = list(made)


def _constant_behind(value: Value | None, borders: set[Operation]) -> Value | None:
    """The constant that a value is, or is made of by borders alone."""
    while value is not None and value.producer is not None and value.producer in borders:
        value = value.producer.inputs[0]
    return value if value is not None and value.constant is not None else None


def _name(model: Model) -> None:
    """Name what borders make after what they read, and say that it comes from there."""
    for operation in model.operations:
        if border_of(operation) is None:
            continue
        source, made = operation.inputs[0], operation.outputs[0]
        if source is None:
            continue
        maker = source.producer
        reader = next(iter(made.uses), None)
        if source.constant is not None:
            operation.origin = None if reader is None else reader.origin
            _name_constants(operation, source)
        else:
            operation.origin = None if maker is None else maker.origin
        if operation.operator is quant.quantize_linear:
            is_end = maker is None or border_of(maker) is not None
            made.name = made.name if is_end else _join(source.name, QUANTIZED)
        else:
            stem = source.name and source.name.removesuffix(QUANTIZED)
            made.name = _join(stem, DEQUANTIZED)


def _name_constants(operation: Operation, source: Value) -> None:
    """Call the scales of a constant after it."""
    stem = (source.name or "constant").removesuffix(QUANTIZED)
    for value, word in zip(operation.inputs[1:3], ("scale", "zero_point"), strict=True):
        if value is not None:
            value.name = f"{stem}_{word}"


def _join(stem: str | None, suffix: str) -> str:
    return f"{stem or 'value'}{suffix}"
