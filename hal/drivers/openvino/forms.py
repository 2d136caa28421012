"""Tables of this driver, whose annotations say in which form a lowering reads what it names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from itertools import chain, repeat
from typing import Annotated, Any, TypeVar, cast, get_args

from nnir.broadcast import axis_of
from nnir.errors import NoLowering
from nnir.model import Value
from nnir.operator import Operator
from nnir.types import Precision

from ...lowering import Lowering, Lowerings, Registration
from .emitter import Emitter, Ref
from .integers import compute_in_32_bits, wide

T = TypeVar("T")


@dataclass(frozen=True)
class Form:
    """How an operand or an attribute is read; what is left out stays None."""

    read: Callable[[Emitter, Any], Any]


def single(g: Emitter, input: Value) -> Ref:
    """A float operand in float32."""
    if not input.is_float:
        raise NoLowering(f"openvino has {g.operation.operator.name} of floats, not {input.type}")
    return g.cast(input, Precision.FLOAT32)


def widen(g: Emitter, input: Value) -> Ref:
    """Floats in float32, narrow integers in 32 bits, all else as it is."""
    return single(g, input) if input.is_float else wide(g, input)


def _from_front(g: Emitter, axis: int) -> int:
    first = g.operation.inputs[0]
    return axis if first is None else axis_of(axis, first.rank)


Single = Annotated[Ref, Form(single)]
"""A float operand in float32; there are no others."""

Sizes = Annotated[Ref, Form(Emitter.int64)]
"""Positions or sizes as an int64 vector."""

Axis = Annotated[int, Form(_from_front)]
"""An axis of the first operand, counted from the front."""


class Table(Lowerings[Ref]):
    """Lowerings whose parameters may be annotated with a form."""

    def lower(
        self, *operators: Operator[object], implied: Collection[str] = (), **groups: type
    ) -> Registration[Ref]:
        """As the base, in forms."""
        plain = super().lower(*operators, implied=implied, **groups)

        def add(function: Lowering[Ref]) -> None:
            plain(cast("Callable[..., Ref]", _in_forms(function)))

        return Registration(add)

    def each(
        self, table: Mapping[Operator[object], T], implied: Collection[str] = ()
    ) -> Registration[Ref]:
        """As the base, in forms."""
        plain = super().each(table, implied)

        def add(function: Lowering[Ref]) -> None:
            plain(cast("Callable[..., Ref]", _in_forms(function)))

        return Registration(add)

    def formulas(self, steps: Mapping[Operator[object], str | Callable[..., Ref]]) -> None:
        """Operators that are a node of two operands or a function of the emitter and of operands,
        whose narrow integers are computed in 32 bits and cut to their own."""

        @self.each(steps)
        def lower(g: Emitter, step: str | Callable[..., Ref], *operands: Value) -> Ref:
            function = partial(g.pair, step) if isinstance(step, str) else partial(step, g)
            return compute_in_32_bits(g, function, *operands)


def _in_forms(function: Lowering[Ref]) -> Lowering[Ref]:
    """A function whose annotated parameters are read in their forms before it is called."""
    _, *parameters = inspect.signature(function, eval_str=True).parameters.values()
    forms = {p.name: form for p in parameters if (form := _form_of(p.annotation))}
    if not forms:
        return function
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    rest = [p.name for p in parameters if p.kind is p.VAR_POSITIONAL]

    def read(g: Emitter, name: str, value: object) -> object:
        return forms[name].read(g, value) if name in forms and value is not None else value

    @wraps(function)
    def lowering(g: Emitter, *operands: object, **attributes: object) -> Ref | Sequence[Ref]:
        named = zip(chain(names, repeat(*rest) if rest else ()), operands, strict=False)
        taken = [read(g, *pair) for pair in named]
        return function(g, *taken, **{n: read(g, n, v) for n, v in attributes.items()})

    return lowering


def _form_of(annotation: object) -> Form | None:
    """The form that an annotation names, also of what may be left out."""
    said = (m for part in (annotation, *get_args(annotation)) for m in _notes(part))
    return next((m for m in said if isinstance(m, Form)), None)


def _notes(annotation: object) -> tuple[object, ...]:
    found: tuple[object, ...] = getattr(annotation, "__metadata__", ())
    return found
