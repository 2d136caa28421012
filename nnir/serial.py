"""Models as JSON-able data and a list of weights, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .check import check
from .errors import DAMAGE, BadFile, NNAdapterError, Unsupported, describe, summary
from .model import Model, Operation, Operator, Value, set_content
from .notation import parse
from .plugins import REGISTRY
from .state import State
from .types import Layout, Precision, Quantization, TensorType

FORMAT = 2
"""The newest form; a file has the oldest one that says all of it, so that older readers take it."""

STATELESS = 1


class Encoder:
    """Encodes models. Arrays that share memory, type and shape are stored once."""

    def __init__(self) -> None:
        self.weights: list[np.ndarray] = []
        self._places: dict[tuple[Any, ...], int] = {}

    def model(self, model: Model) -> dict[str, Any]:
        ids: dict[Value, int] = {}
        rows: list[list[Any]] = []

        def number(value: Value) -> int:
            if value not in ids:
                ids[value] = len(ids)
                place = None if value.constant is None else self.weight(value.constant)
                rows.append([value.name, encode_type(value.type), place])
            return ids[value]

        inputs = [number(v) for v in model.inputs]
        operations = [
            [
                o.operator.name,
                [None if v is None else number(v) for v in o.inputs],
                {k: self.attribute(v) for k, v in o.attributes.items()},
                [number(v) for v in o.outputs],
                o.origin,
            ]
            for o in model.sorted()
        ]
        outside = self._owners(model)
        return {
            "format": FORMAT if model.states else STATELESS,
            "name": model.name,
            **({"plugins": outside} if outside else {}),
            "symbols": {n: list(r) for n, r in model.symbols.items()},
            "metadata": model.metadata,
            "inputs": inputs,
            "output_names": model.output_names,
            "outputs": [number(v) for v in model.outputs],
            **({"states": self.states(model)} if model.states else {}),
            "operations": operations,
            "values": rows,
        }

    @staticmethod
    def _owners(model: Model) -> dict[str, list[str]]:
        """Name and version of the plug-in of each operator that is not ours."""
        from .ops import OPERATORS  # the operators are made of models

        names = {o.operator.name: o.operator for o in model.operations}
        outside = {n: o for n, o in names.items() if OPERATORS.get(n) is not o}
        if not outside:
            return {}
        owners = REGISTRY.owners()
        if unknown := [n for n, o in outside.items() if n not in owners or owners[n][1] is not o]:
            raise NNAdapterError(
                f"{', '.join(sorted(unknown))}: no operators of nnadapter or of a plug-in that is "
                "installed or added (nnadapter.add_plugin), so that nobody could read the file"
            )
        return {n: [owners[n][0].name, owners[n][0].version] for n in sorted(outside)}

    def states(self, model: Model) -> list[list[Any]]:
        """The name of each state, and the weight that it begins with."""
        return [[state.name, self.weight(state.initial)] for state in model.states]

    def weight(self, array: np.ndarray) -> int:
        """The number of a weight."""
        memory = array.__array_interface__
        key = (memory["data"][0], array.dtype, array.shape, array.strides)
        if key not in self._places:
            self._places[key] = len(self.weights)
            self.weights.append(array)
        return self._places[key]

    def attribute(self, value: Any) -> Any:
        match value:
            case Model():
                return {"model": self.model(value)}
            case float() if not math.isfinite(value):
                return {"float": str(value)}
            case tuple() | list():
                return [self.attribute(v) for v in value]
            case bool() | int() | float() | str() | None:
                return value
        raise NNAdapterError(f"an attribute of type {type(value).__name__} cannot be saved")


def encode_type(type: TensorType) -> list[Any]:
    """Precision name, shape, and layout and quantisation where they are not the default."""
    row: list[Any] = [
        type.precision.name,
        [d if isinstance(d, int) else str(d) for d in type.shape],
    ]
    if type.layout != Layout.NCHW or type.quantization is not None:
        row.append(int(type.layout))
    if (q := type.quantization) is not None:
        stored = [] if q.stored is None else [q.stored.name]
        row.append([list(q.scales), list(q.zero_points), q.axis, *stored])
    return row


def decode(data: Any, weight: Callable[[int], np.ndarray]) -> Model:
    """The model that `Encoder.model` encoded; BadFile when `data` is not one.

    `weight` gives the array of a number.
    """
    try:
        model = _decode(data, weight)
    except Unsupported:
        raise
    except NNAdapterError as error:
        raise BadFile(f"damaged .nnir file: {summary(error)}") from None
    except DAMAGE as error:
        raise BadFile(f"damaged .nnir file: {describe(error)}") from None
    try:  # what the rules raise that is not ours is a bug of theirs, not of the file
        check(model, visit=_know_content)
    except NNAdapterError as error:
        raise BadFile(f"damaged .nnir file: {summary(error)}") from None
    return model


def _know_content(operation: Operation) -> None:
    if len(operation.outputs) == 1:
        set_content(operation)


def _decode(data: Any, weight: Callable[[int], np.ndarray], outer: Model | None = None) -> Model:
    if data["format"] > FORMAT:
        raise BadFile(f"format {data['format']} is newer than this program: upgrade nnadapter")
    from .ops import OPERATORS  # the operators are made of models

    model = Model(_text(data["name"]), outer)
    for name, (low, high) in data["symbols"].items():
        if not name.isidentifier():
            raise BadFile(f"a dimension called {name[:80]!r}")
        if high is not None and int(high) < int(low):
            raise BadFile(f"the dimension {name!r} has no size from {low} to {high}")
        model.symbols[name] = (int(low), None if high is None else int(high))
    model.metadata.update({_text(k): _text(v) for k, v in data["metadata"].items()})
    values = []
    for name, type, place in data["values"]:
        value = Value(model, decode_type(type), None if name is None else _text(name))
        if place is not None:
            value.constant = weight(place)
        values.append(value)
    model.inputs = [values[_position(i)] for i in data["inputs"]]
    for name, inputs, attributes, outputs, origin in data["operations"]:
        operator = OPERATORS.get(name) or _operator(name, data)
        given = {k: _attribute(v, weight, model) for k, v in attributes.items()}
        operands = tuple(None if i is None else values[_position(i)] for i in inputs)
        where = None if origin is None else _text(origin)
        bound = operator.bind_inputs(model, operands)
        operation = Operation(operator, bound, operator.bind_attributes(given), where)
        operation.outputs = tuple(values[_position(i)] for i in outputs)
        for index, value in enumerate(operation.outputs):
            value.producer, value.index = operation, index
        for value in (v for v in operands if v is not None):
            value.uses[operation] = None
        model.operations.append(operation)
    model.outputs = [values[_position(i)] for i in data["outputs"]]
    model.output_names = [_text(n) for n in data["output_names"]]
    model.states = [State(_text(name), weight(place)) for name, place in data.get("states", ())]
    return model


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise BadFile(f"{str(value)[:80]!r} where a name belongs")
    return value


def _position(index: Any) -> int:
    if not isinstance(index, int) or index < 0:
        raise BadFile(f"value number {index!r}")
    return index


def _operator(name: Any, data: Any) -> Operator[Any]:
    """An operator of a plug-in; Unsupported where that is not there, BadFile where none has it."""
    found = REGISTRY.find_operator(_text(name))
    if found is not None:
        return found
    owner = data.get("plugins", {}).get(name)
    if owner is None:
        raise BadFile(f"operator {name!r} does not exist")
    package, version = map(_text, owner)
    raise Unsupported(
        f"operator {name} is of the plug-in {package[:80]} {version[:40]}, which is not installed: "
        f"pip install {package[:80]}"
    )


def _attribute(value: Any, weight: Callable[[int], np.ndarray], outer: Model) -> Any:
    match value:
        case {"model": inner}:
            return _decode(inner, weight, outer)
        case {"float": text}:
            return float(text)
        case list():
            return tuple(_attribute(v, weight, outer) for v in value)
    return value


def decode_type(row: list[Any]) -> TensorType:
    """The inverse of `encode_type`."""
    precision, shape, *rest = row
    dims = tuple(d if type(d) is int else parse(d) for d in shape)
    if any(isinstance(d, int) and d < 0 for d in dims):
        raise BadFile(f"shape {shape}")
    quantization = None
    if len(rest) > 1:
        quantization = _decode_quantization(*rest[1])
    layout = Layout(rest[0]) if rest else Layout.NCHW
    return TensorType(Precision[precision], dims, layout=layout, quantization=quantization)


def _decode_quantization(
    scales: list[float], zero_points: list[int], axis: int | None, stored: str | None = None
) -> Quantization:
    if not all(map(math.isfinite, scales)):
        raise BadFile(f"scales {scales}")
    return Quantization(
        tuple(map(float, scales)),
        tuple(map(int, zero_points)),
        None if axis is None else int(axis),
        stored=None if stored is None else Precision[stored],
    )
