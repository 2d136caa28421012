"""Constant folding."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from ..folding import Folder, bytes_of
from ..model import Model, Operation, Value
from ..ops import shape, unary
from ..types import Precision
from .rewrite import rewrite, sweep

LIMIT = 4096
"""Bytes of a result that may be larger than what it is made from."""

LARGE = 1 << 30
"""The same for targets that hold nothing but numbers."""

DOUBLES = 1 << 24
"""The same for FLOAT64 on the way to another precision: tables of angles, which are computed so and
rounded, and which few engines can compute."""

LAYOUTS = frozenset({shape.transpose, shape.reshape, shape.squeeze, shape.unsqueeze, unary.cast})
"""Operators that lay out a weight otherwise, or round it."""

KEPT = frozenset({"DEQUANTIZE", "DEQUANTIZE_LINEAR"})
"""Operators that stay where they are applied to constants."""


def _is_folded(model: Model, limit: int = LIMIT) -> bool:
    folder = Folder(limit, KEPT)
    return all(folder.constant_of(v) is None for o in model.operations for v in o.outputs)


@rewrite(ensures=_is_folded)
def fold_constants(model: Model) -> bool:
    """Replace what does not depend on the inputs by constants.

    Ensures: nothing is left that can be computed now. A large constant only replaces operands
    that are at least as large, random numbers are never drawn, and quantised constants stay what
    they are: their scales are for the device to use.
    """
    return fold(model, LIMIT)


@rewrite(ensures=partial(_is_folded, limit=LARGE))
def fold_large_constants(model: Model) -> bool:
    """Replace what does not depend on the inputs by constants, also where these are much larger
    than what they are made from: for targets that compute nothing of constants.

    Ensures: nothing is left that can be computed now.
    """
    return fold(model, LARGE)


def _name_of(value: Value) -> str | None:
    """What a constant is called: a weight that is only laid out otherwise keeps its name."""
    source: Value | None = value
    while source is not None and source.producer is not None:
        if source.producer.operator not in LAYOUTS:
            return value.name
        source = source.producer.inputs[0]
    return value.name if source is None or source.name is None else source.name


def _find_constants(operations: Sequence[Operation]) -> list[Operation]:
    """Those of which something may be known: they read nothing that only a run tells, or their
    results follow from shapes. Producers come first."""
    found: dict[Operation, None] = {}
    for operation in operations:
        for value in operation.inputs:
            if (
                value is not None
                and value.constant is None
                and value.producer not in found
                and value.known is None
            ):
                break
        else:
            found[operation] = None
            continue
        for value in operation.outputs:
            if value.known is not None:
                found[operation] = None
    return list(found)


def _find_large(values: Iterable[Value], limit: int) -> list[Value]:
    """Of values, producers first, those in FLOAT64 that are larger than what they are made from."""
    large: dict[Value, None] = {}
    for value in values:
        inputs = () if value.producer is None else value.producer.inputs
        read = sum(
            bytes_of(v.type) for v in dict.fromkeys(inputs) if v is not None and v not in large
        )
        if value.precision == Precision.FLOAT64 and bytes_of(value.type) > max(limit, read):
            large[value] = None
    return list(large)


def fold(model: Model, limit: int) -> bool:
    """Replace what is known by constants of at most `limit` bytes, or of the size of its operands;
    whether there was any."""
    folder = Folder(limit, KEPT, of_doubles=DOUBLES)
    ends = set(model.outputs)
    known: dict[Value, Value] = {}
    for operation in _find_constants(model.sorted()):
        for value in operation.outputs:
            array = folder.constant_of(value) if value.uses or value in ends else None
            if array is not None:
                name = value.name if value in ends else _name_of(value)
                known[value] = model.constant(array, value.dtype, name=name)
                if value.type.quantization is not None:
                    known[value].type = value.type.with_shape(array.shape)
    for value in reversed(_find_large(known, limit)):
        made = [v for reader in value.uses for v in reader.outputs if v.uses or v in ends]
        if value in ends or not all(v in known for v in made):
            del known[value]  # somebody reads it, and it takes more room than what makes it
    model.replace_all(known)
    return sweep(model) or bool(known)
