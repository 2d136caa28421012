"""A model for inputs of known sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .broadcast import text
from .dim import Dim, evaluate, symbol, symbols_of
from .errors import BadInput
from .fitting import is_of, named_sizes
from .iterations import count_iterations
from .model import Model, Value
from .ops import control
from .types import TensorType


def sizes_of(types: Sequence[TensorType], shapes: Sequence[tuple[int, ...]]) -> dict[str, int]:
    """What the symbols of input types are for inputs of these shapes; BadInput where none fits."""
    sizes = named_sizes(types, shapes)
    for type, shape in zip(types, shapes, strict=True):
        if not is_of(type, shape, sizes):
            raise BadInput(f"an input of shape {list(shape)} for {text(type.shape)}: {sizes}")
    return sizes


def specialise(model: Model, shapes: Sequence[tuple[int, ...]]) -> Model:
    """A copy of `model` for inputs of these shapes: every size that follows from them is a number.

    Constants are shared. Sizes that are only known while running stay symbols. BadInput for shapes
    that the inputs cannot have. Run the passes `CLEAN` on it afterwards: shapes that were computed
    are constants now. States may be left out: they have the shapes of their initial data.
    """
    if model.states and len(shapes) == len(model.inputs) - len(model.states):
        shapes = [*shapes, *(state.initial.shape for state in model.states)]
    sizes = sizes_of([v.type for v in model.inputs], shapes)
    types = [v.type.with_shape(s) for v, s in zip(model.inputs, shapes, strict=True)]
    return _replay(model, types, sizes)


def fix_sizes(model: Model, sizes: Mapping[str, int]) -> Model:
    """A copy of `model` whose named dimensions have these sizes; others stay as they are.

    BadInput for a name that the inputs do not have, or a size outside its range.
    """
    known = {name for v in model.inputs for d in v.shape for name in symbols_of(d)}
    if unknown := sorted(set(sizes) - known):
        there = ", ".join(sorted(known)) or "none"
        raise BadInput(f"no dimension {', '.join(unknown)}; there are {there}")
    for name, size in sizes.items():
        if not isinstance(size, int):
            raise BadInput(f"dimension {name}={size!r} is not a whole number")
        low, high = model.symbols.get(name, (0, None))
        if size < low or (high is not None and size > high):
            raise BadInput(f"dimension {name}={size} is not between {low} and {high}")
    types = [v.type.with_shape(_evaluate_shape(v.shape, sizes)) for v in model.inputs]
    return _replay(model, types, sizes)


def close_size(model: Model, dim: Dim, size: int, why: str) -> None:
    """Note that a named size of an input can be nothing but `size`, and why.

    `frontends.translate` makes such sizes numbers once it knows all of them.
    """
    low, high = model.symbols.get(str(dim), (size + 1, size))
    if model.outer is None and low <= size and (high is None or size <= high):
        model.symbols[str(dim)] = (size, size)
        model.provenance.closed[str(dim)] = why


def rename_sizes(model: Model, names: Mapping[str, str]) -> Model:
    """A copy of `model` whose named dimensions are called otherwise; others stay as they are."""
    sizes = {old: symbol(new) for old, new in names.items()}
    types = [v.type.with_shape(_evaluate_shape(v.shape, sizes)) for v in model.inputs]
    made = _replay(model, types, sizes)
    made.symbols.update({new: model.symbols.get(old, (0, None)) for old, new in names.items()})
    return made


def _replay(model: Model, types: Sequence[TensorType], sizes: Mapping[str, Dim]) -> Model:
    made = Model(model.name, model.outer)
    made.symbols = {n: r for n, r in model.symbols.items() if n not in sizes}
    made.metadata = dict(model.metadata)
    made.provenance = replace(model.provenance, inputs={}, outputs={})
    known: dict[Value, Value] = {}
    is_same = not model.symbols and all(
        v.is_static and v.type == t for v, t in zip(model.inputs, types, strict=True)
    )
    for value, type in zip(model.inputs, types, strict=True):
        copy = made.input(value.name or "", type)
        copy.name, copy.is_number = value.name, value.is_number
        known[value] = copy
    for operation in model.sorted():
        inputs = tuple(None if v is None else _copy_of(made, known, v) for v in operation.inputs)
        attributes: dict[str, Any] = {
            name: _inner(a, sizes) if isinstance(a, Model) else a
            for name, a in operation.attributes.items()
        }
        if operation.operator is control.while_ and attributes["trips"] is None:
            first, *rest = (v for v in inputs if v is not None)
            body, carried = attributes["body"], attributes["carried"]
            attributes["trips"] = count_iterations(first, rest, body, carried)
        made.origin = operation.origin
        stated = [v.type for v in operation.outputs]
        settled = stated if is_same else ()
        outputs = made.append(operation.operator, inputs, attributes, stated, settled)
        for old, new in zip(operation.outputs, outputs, strict=True):
            new.name, new.is_number = old.name, old.is_number
            if not is_same:
                new.type = replace(
                    new.type, precision=old.precision, quantization=old.type.quantization
                )
            known[old] = new
    made.origin = None
    made.outputs = [_copy_of(made, known, v) for v in model.outputs]
    made.output_names = [name for name, _ in model.named_outputs()]
    made.states = list(model.states)
    return made


def _inner(model: Model, sizes: Mapping[str, Dim]) -> Model:
    """A sub-model: its inputs are as before but for the symbols that are known now."""
    types = [v.type.with_shape(_evaluate_shape(v.shape, sizes)) for v in model.inputs]
    return _replay(model, types, sizes)


def _evaluate_shape(shape: tuple[Dim, ...], sizes: Mapping[str, Dim]) -> tuple[Dim, ...]:
    return tuple(evaluate(d, sizes) for d in shape)


def _copy_of(model: Model, known: dict[Value, Value], value: Value) -> Value:
    """The copy of a value; a constant is copied on its first use."""
    if value not in known:
        copy = Value(model, value.type, value.name)
        copy.constant, copy.is_number = value.constant, value.is_number
        known[value] = copy
    return known[value]
