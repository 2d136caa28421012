"""What users call the dynamic dimensions of the inputs that they export with."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sympy  # type: ignore[import-untyped]
import torch


def named_dimensions(
    program: torch.export.ExportedProgram,
    module: Any,
    inputs: Sequence[Any],
    keywords: Mapping[str, Any],
    dynamic_shapes: Any,
) -> dict[str, str]:
    """The symbols of a program to the names of the `Dim`s (or the strings) given for them."""
    tensors = [
        node.meta["val"]
        for node, spec in zip(
            program.graph.find_nodes(op="placeholder"),
            program.graph_signature.input_specs,
            strict=False,
        )
        if spec.kind.name == "USER_INPUT" and isinstance(node.meta.get("val"), torch.Tensor)
    ]
    specs = _by_position(module, inputs, keywords, dynamic_shapes)
    given = [*inputs, *keywords.values()]
    names: dict[str, str] = {}
    leaves = (
        leaf for spec, value in zip(specs, given, strict=False) for leaf in _leaves(spec, value)
    )
    for spec, tensor in zip(leaves, tensors, strict=False):
        for axis, dim in _axes(spec):
            name = dim if isinstance(dim, str) else getattr(dim, "__name__", None)
            size = tensor.shape[axis]
            expression = getattr(getattr(size, "node", None), "expr", None)
            if isinstance(name, str) and isinstance(expression, sympy.Symbol):
                names[str(expression)] = name
    return names


def _by_position(
    module: Any, inputs: Sequence[Any], keywords: Mapping[str, Any], shapes: Any
) -> list[Any]:
    """One specification for each positional, then each keyword argument."""
    if not isinstance(shapes, Mapping):
        return list(shapes)
    forward = module.forward if isinstance(module, torch.nn.Module) else module
    order = [p.name for p in inspect.signature(forward).parameters.values()][: len(inputs)]
    return [shapes.get(n) for n in [*order, *keywords]]


def _leaves(spec: Any, value: Any) -> Iterator[Any]:
    """The specification of each tensor within a nested argument."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(None if spec is None else spec[key], inner)
    elif isinstance(value, (list, tuple)):
        for position, inner in enumerate(value):
            yield from _leaves(None if spec is None else spec[position], inner)
    elif not isinstance(value, (bool, int, float, str, type(None))):
        yield spec


def _axes(spec: Any) -> Iterator[tuple[int, Any]]:
    if isinstance(spec, Mapping):
        yield from spec.items()
    elif isinstance(spec, (list, tuple)):
        yield from enumerate(spec)
