"""In which form lowerings of this driver read what they name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated

from nnir.errors import NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.types import Precision

from ...lowering import Lowerings
from .emitter import Emitter, Ref
from .integers import compute_in_32_bits, wide


def single(g: Emitter, input: Value) -> Ref:
    """A float operand in float32."""
    if not input.is_float:
        raise NoLowering(f"openvino has {g.operation.operator.name} of floats, not {input.type}")
    return g.cast(input, Precision.FLOAT32)


def with_columns(g: Emitter, boxes: Value, count: int) -> Ref:
    """In float32; OpenVINO wants to know how many numbers a box has."""
    rows, known = single(g, boxes), boxes.shape[-1] == count
    return rows if known else g.reshape(rows, [0] * (boxes.rank - 1) + [count], copy=True)


def corner(g: Emitter, input: Value, reach: Value, axis: int) -> Ref:
    """As much of `input` as the other axes of `reach` have; OpenVINO wants the same size of them,
    unless it knows all, and leaves out slices up to sizes that it wants to be the same."""
    data = g.take(input)
    if input.is_static and reach.is_static:
        return data
    for k, (own, wanted) in enumerate(zip(input.shape, reach.shape, strict=True)):
        if k != axis and own != wanted:
            data = g.gather(data, g.line(g.size(reach, k)), k)
    return data


def widen(g: Emitter, input: Value) -> Ref:
    """Floats in float32, narrow integers in 32 bits, all else as it is."""
    return single(g, input) if input.is_float else wide(g, input)


Single = Annotated[Ref, single]
"""A float operand in float32; there are no others."""

Sizes = Annotated[Ref, Emitter.int64]
"""Positions or sizes as an int64 vector."""


Scalar = Annotated[Ref, Emitter.one]
"""One element as rank 0."""


class Table(Lowerings[Ref]):
    """Lowerings, of formulas too."""

    def formulas(self, steps: Mapping[Operator[object], str | Callable[..., Ref]]) -> None:
        """Operators that are a node of two operands or a function of the emitter and of operands,
        whose narrow integers are computed in 32 bits and cut to their own."""

        @self.each(steps)
        def lower(g: Emitter, step: str | Callable[..., Ref], *operands: Value) -> Ref:
            function = partial(g.pair, step) if isinstance(step, str) else partial(step, g)
            return compute_in_32_bits(g, function, *operands)
