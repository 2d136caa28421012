"""What there is to say of a model as numbers: sizes, costs, precisions, layers.

Weights are never read for it: what is counted follows from types.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from nnir.check import all_operations
from nnir.costs.flops import flops
from nnir.costs.memory import bytes_of, evaluate_dim, numeric_bytes, peak, sizes_of
from nnir.dim import Dim
from nnir.errors import BadInput, NNAdapterError
from nnir.model import Model, Operation, Value
from nnir.stateful import state_inputs, user_inputs, user_outputs


def facts(
    model: Model, path: Path | None = None, sizes: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Everything but the layers, as JSON has it; open sizes count as `sizes` or their lowest."""
    at = choose_sizes(model, sizes or {})
    operations = list(all_operations(model))
    constants = list(all_constants(model))
    return {
        "name": model.name,
        "file": None if path is None else path.name,
        "file_bytes": None if path is None else file_bytes(path),
        "producer": model.metadata.get("producer"),
        "opset": model.metadata.get("opset"),
        "metadata": dict(model.metadata),
        "properties": dict(model.provenance.properties),
        "inputs": [(v.name, str(v.type)) for v in user_inputs(model)],
        "outputs": [(n, str(v.type)) for n, v in _seen_outputs(model)],
        "states": [
            (s.name, str(v.type)) for s, v in zip(model.states, state_inputs(model), strict=True)
        ],
        "parameters": sum(v.constant.size for v in constants if v.constant is not None),
        "bytes": sum(v.constant.nbytes for v in constants if v.constant is not None),
        "sizes": at,
        "flops": _flops(operations, at),
        "activations": _activations(model, at),
        "precisions": _precisions(model, constants, at),
        "operations": dict(Counter(o.operator.name for o in operations).most_common()),
        "symbols": {n: list(r) for n, r in model.symbols.items()},
    }


def _seen_outputs(model: Model) -> list[tuple[str, Value]]:
    """The outputs that a caller gets."""
    return model.named_outputs()[: len(user_outputs(model))]


def choose_sizes(model: Model, given: Mapping[str, int]) -> dict[str, int]:
    """A number for every open size; BadInput for a name that no size has."""
    found = sizes_of(model, {})
    if unknown := sorted(set(given) - set(found)):
        accepted = ", ".join(found) or "none"
        raise BadInput(f"no dimension {', '.join(unknown)}; the model's dimensions are {accepted}")
    return found | dict(given)


def file_bytes(path: Path) -> int:
    """The size of a file, or of all files in a folder; what it refers to elsewhere is left out."""
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(f.stat().st_size for f in files if (f.is_file() and not f.is_symlink()) or f == path)


def all_models(model: Model) -> Iterator[Model]:
    """A model and its sub-models."""
    yield model
    for operation in all_operations(model):
        yield from operation.models


def all_constants(model: Model) -> Iterator[Value]:
    """The constants of a model and of its sub-models."""
    for each in all_models(model):
        yield from (v for v in each.values() if v.constant is not None)


def _flops(operations: Iterable[Operation], at: Mapping[str, int]) -> dict[str, Any]:
    total: Dim | None = 0
    number, uncounted = 0, Counter[str]()
    by_operator = Counter[str]()
    for operation in operations:
        found = flops(operation)
        value = None if found is None else evaluate_dim(found, at)
        if found is None or value is None:
            uncounted[operation.operator.name] += 1
            continue
        total = _sum(total, found)
        number += value
        by_operator[operation.operator.name] += value
    expression = None if total is None or isinstance(total, int) else str(total)
    counts = {n: c for n, c in by_operator.most_common() if c}
    return {
        "total": number,
        "expression": expression,
        "operators": counts,
        "uncounted": dict(uncounted.most_common()),
    }


def _sum(a: Dim | None, b: Dim) -> Dim | None:
    """None once the expression is too long to be one."""
    try:
        return None if a is None else a + b
    except NNAdapterError:
        return None


def _activations(model: Model, at: Mapping[str, int]) -> dict[str, Any]:
    found = peak(model, at)
    made = sum(numeric_bytes(v, at) for v in model.values() if v.constant is None)
    operation = found.operation
    return {
        "peak_bytes": found.nbytes,
        "peak_operation": None if operation is None else operation.label,
        "all_bytes": made,
    }


def _precisions(
    model: Model, constants: Iterable[Value], at: Mapping[str, int]
) -> dict[str, dict[str, dict[str, int]]]:
    """How many values, elements and bytes there are of each precision."""
    activations = (v for each in all_models(model) for v in each.values() if v.constant is None)
    return {"weights": _shares(constants, at), "activations": _shares(activations, at)}


def _shares(values: Iterable[Value], at: Mapping[str, int]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for value in values:
        name = value.precision.name.lower()
        row = found.setdefault(name, {"values": 0, "elements": 0, "bytes": 0})
        nbytes = numeric_bytes(value, at)
        row["values"] += 1
        row["elements"] += nbytes // value.dtype.itemsize
        row["bytes"] += nbytes
    return dict(sorted(found.items(), key=lambda item: -item[1]["bytes"]))


def layers(model: Model, at: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """A row for each operation in order of execution, those of sub-models behind their own."""
    for operation in model.sorted():
        yield layer(operation, at)
        for inner in operation.models:
            yield from layers(inner, at)


def layer(operation: Operation, at: Mapping[str, int]) -> dict[str, Any]:
    """One operation as numbers; expressions where a size is open."""
    read = dict.fromkeys(v for v in operation.inputs if v is not None)
    weights = [v.constant for v in read if v.constant is not None]
    count = flops(operation)
    return {
        "name": operation.label,
        "operator": operation.operator.name,
        "outputs": [str(v.type) for v in operation.outputs],
        "parameters": sum(w.size for w in weights),
        "weight_bytes": sum(w.nbytes for w in weights),
        "output_bytes": _total(map(bytes_of, operation.outputs), at),
        "flops": _total([count], at),
        "flops_expression": None if count is None or isinstance(count, int) else str(count),
    }


def _total(dims: Iterable[Dim | None], at: Mapping[str, int]) -> int | None:
    numbers = [None if d is None else evaluate_dim(d, at) for d in dims]
    known = [n for n in numbers if n is not None]
    return sum(known) if len(known) == len(numbers) else None
