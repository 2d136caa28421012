"""Sizes that are open in a source and numbers in what is written of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hal.device import Export
from nnir.dim import Dim, Expr, evaluate, symbols_of
from nnir.model import Model, Value

from .report import FixedSize


def fixed_sizes(model: Model, export: Export, sizes: Mapping[str, int]) -> tuple[FixedSize, ...]:
    """The sizes of the ends of a model that become numbers in an export, and why each of them does;
    `sizes` are those that were asked for."""
    known = model.provenance
    names = [v.name or f"input{k}" for k, v in enumerate(model.inputs)]
    inputs = [
        (n, _shape_in_source(known.inputs.get(n), v), v)
        for n, v in zip(names, model.inputs, strict=True)
    ]
    outputs = [(n, _shape_in_source(known.outputs.get(n), v), v) for n, v in model.named_outputs()]
    found: list[FixedSize] = []
    for kind, ends, shapes in (
        ("input", inputs, export.inputs),
        ("output", outputs, export.outputs),
    ):
        for (name, shape, value), written in zip(ends, shapes, strict=False):
            for axis, dim, size in _closing_axes(shape, written):
                why = _reason(value, axis, dim, size, sizes)
                found.append(FixedSize(f"{kind} {name}", axis, str(dim), size, why))
    return tuple(found)


def _shape_in_source(shape: Sequence[Dim] | None, value: Value) -> Sequence[Dim]:
    """The shape that the source declares, where it is one of the value's rank."""
    return shape if shape is not None and len(shape) == value.rank else value.shape


def _closing_axes(
    shape: Sequence[Dim], written: Sequence[int | None]
) -> Iterator[tuple[int, Expr, int]]:
    """The axes that are open in a shape and numbers where it is written."""
    for axis, (dim, size) in enumerate(zip(shape, written, strict=False)):
        if isinstance(dim, Expr) and size is not None:
            yield axis, dim, size


def _reason(value: Value, axis: int, dim: Expr, size: int, sizes: Mapping[str, int]) -> str:
    closed = value.model.provenance.closed
    if needed := [closed[name] for name in sorted(symbols_of(dim)) if name in closed]:
        return "; ".join(needed)
    if evaluate(dim, sizes) == size:
        names = ", ".join(f"{name}={given}" for name, given in _of(dim, sizes).items())
        return f"--dim {names} gives it"
    if isinstance(value.shape[axis], int):
        producer = value.producer
        if producer is None:
            is_input = value.constant is None
            return "it was given before the translation" if is_input else "the output is a constant"
        place = f" {producer.origin!r}" if producer.origin else ""
        return f"{producer.operator.name}{place} makes it {size}, whatever the source declares"
    return "it follows from other sizes and constants of the model"


def _of(dim: Expr, sizes: Mapping[str, int]) -> dict[str, int]:
    names = symbols_of(dim)
    return {name: size for name, size in sizes.items() if name in names}
