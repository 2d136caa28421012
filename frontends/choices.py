"""What a caller says of the inputs of a source before it is translated: shapes, sizes and values.

So a branch that sizes choose is taken, and what has no rank in its file gets one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from typing import Any

import numpy as np

from nnir import notation
from nnir.broadcast import text
from nnir.dim import Dim, Expr, evaluate, symbol, symbols_of
from nnir.errors import BadInput
from nnir.records import dataclass
from nnir.types import Precision, TensorType, precision_of

from .source import SourceModel, SourceValue

Shape = Sequence[int | str | None]
"""Numbers, names of sizes that stay open, and None for what stays as it is; or a text such as
"int64[1, length]", which says the precision as well."""

TYPED = r"\s*(?P<type>[a-z]\w*)?\s*\[(?P<sizes>[^\[\]]*)\]\s*"

_CHOSEN: ContextVar[Choices | None] = ContextVar("chosen", default=None)


@dataclass
class Choices:
    """`shapes` and `values` by the names of inputs, `sizes` by the names of dimensions.

    `is_applied`: a source took them.
    """

    shapes: Mapping[str, Shape] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    is_applied: bool = False

    def __bool__(self) -> bool:
        return bool(self.shapes or self.sizes or self.values)

    def apply(self, source: SourceModel) -> None:
        """Let the inputs of a source be as they are chosen; BadInput lists names that are none."""
        graph = source.graph
        inputs = {_name_of(v): v for v in graph.inputs if v.name not in graph.weights}
        _require_known({*self.shapes, *self.values}, inputs, "input")
        self.is_applied = True
        sizes = {**self._sizes_of_shapes(inputs), **self.sizes}
        for name, shape in self.shapes.items():
            inputs[name].type = _fit_shape(name, inputs[name], *parse_shape(shape))
        if self.sizes:
            shapes = [v.type.shape for v in inputs.values() if v.type]
            known = {n for shape in shapes for d in shape for n in symbols_of(d)}
            _require_known(self.sizes, dict.fromkeys(sorted(known)), "dimension")
        if sizes:
            _fix_sizes(source, list(inputs.values()), sizes)
        if self.values:
            order = [_name_of(v) for v in graph.inputs]
            for name, given in self.values.items():
                _take_type(inputs[name], given)
            source.fixed = {n: _array_of(n, v, inputs[n]) for n, v in self.values.items()}
            source.order = order
            for name, array in source.fixed.items():
                graph.weights[inputs[name].name] = array
            graph.inputs = [v for v in graph.inputs if v.name not in graph.weights]

    def _sizes_of_shapes(self, inputs: Mapping[str, SourceValue]) -> dict[str, int]:
        """What the shapes say of named dimensions, which other inputs have too; none of which two
        inputs are given different ones."""
        found: dict[str, set[int]] = {}
        for name, shape in self.shapes.items():
            old = inputs[name].type
            for dim, size in zip(old.shape if old else (), parse_shape(shape)[0], strict=False):
                names = [symbol(n) for n in symbols_of(dim)]
                if isinstance(size, int) and isinstance(dim, Expr) and dim in names:
                    found.setdefault(str(dim), set()).add(size)
        return {name: sizes.pop() for name, sizes in found.items() if len(sizes) == 1}


def _fix_sizes(
    source: SourceModel, inputs: Sequence[SourceValue], sizes: Mapping[str, int]
) -> None:
    for name, size in sizes.items():
        low, high = source.dimensions.pop(name, (0, None))
        if not isinstance(size, int) or size < low or (high is not None and size > high):
            raise BadInput(f"dimension {name}={size!r} is not between {low} and {high}")
    for value in inputs:
        if value.type is not None:
            known = tuple(evaluate(d, sizes) for d in value.type.shape)
            value.type = value.type.with_shape(known)


@contextmanager
def choosing(choices: Choices) -> Iterator[None]:
    """Let the source that is loaded meanwhile take the choices; BadInput where it does not."""
    token = _CHOSEN.set(choices)
    try:
        yield
    finally:
        _CHOSEN.reset(token)
    if choices and not choices.is_applied:
        raise BadInput("shapes, sizes and values: this source does not take them")


def apply_choices(source: SourceModel) -> None:
    """What the caller says of the inputs of a source, once."""
    choices = _CHOSEN.get()
    if choices and not choices.is_applied:
        choices.apply(source)


def chosen_inputs() -> frozenset[str]:
    """The inputs that the caller says a shape or a value of; sources may have more than these."""
    choices = _CHOSEN.get()
    if choices is None or choices.is_applied:
        return frozenset()
    return frozenset({*choices.shapes, *choices.values})


def parse_shape(given: Shape) -> tuple[Shape, Precision | None]:
    """The sizes and the precision of a shape; BadInput for a text that is none."""
    if not isinstance(given, str):
        return given, None
    from nnir.types import PRECISIONS  # all of them: few sources need a shape

    known = {dtype.name: precision for dtype, precision in PRECISIONS.items()}
    match = re.fullmatch(TYPED, given)
    word = match["type"] if match else None
    if match is None or (word is not None and word not in known):
        words = ", ".join(sorted(known))
        raise BadInput(
            f"the shape {given!r}: sizes in brackets behind a type, such as int64[1, length]; "
            f"types are {words}"
        )
    parts = [p.strip() for p in match["sizes"].split(",")] if match["sizes"].strip() else []
    sizes = [int(p) if p.isdecimal() else None if p == "?" else p for p in parts]
    return sizes, None if word is None else known[word]


def _take_type(value: SourceValue, given: Any) -> None:
    """Of an input whose type its source does not say: that of the value that it is fixed to."""
    if value.type is None and value.is_untyped:
        array = np.asarray(given)
        value.type = TensorType(precision_of(array.dtype), array.shape)


def _name_of(value: SourceValue) -> str:
    return value.called or value.name


def _require_known(given: Any, known: Mapping[str, Any], what: str) -> None:
    unknown = sorted(set(given) - set(known))
    if unknown:
        there = ", ".join(known) or "none"
        raise BadInput(f"no {what} {', '.join(map(repr, unknown))}; there are {there}")


def _fit_shape(
    name: str, value: SourceValue, given: Shape, precision: Precision | None
) -> TensorType:
    """The type of an input in a shape that must fit what the source says."""
    declared = value.unranked if value.type is None else value.type.precision
    if precision is not None and not value.is_untyped and declared not in (None, precision):
        known = "no type" if declared is None else declared.name.lower()
        raise BadInput(f"input {name!r} is of {known}, not {precision.name.lower()}")
    if value.type is None and value.unranked is None:
        raise BadInput(f"input {name!r} is a {value.kind}, which has no shape")
    old: Sequence[Dim | None] = [None] * len(given) if value.type is None else value.type.shape
    if len(old) != len(given):
        raise BadInput(f"input {name!r} has {len(old)} axes, not {len(given)}")
    pairs = enumerate(zip(old, given, strict=True))
    sizes = tuple(_size(name, axis, *pair) for axis, pair in pairs)
    if value.type is None:
        if value.unranked is None:
            raise BadInput(f"input {name!r} is a {value.kind}, which has no shape")
        return TensorType(precision or value.unranked, sizes)
    return value.type.with_shape(sizes)


def _size(name: str, axis: int, old: Dim | None, given: int | str | None) -> Dim:
    """One size."""
    match given:
        case None:
            return notation.name_dim(f"{name}_{axis}") if old is None else old
        case str():
            if old is None or isinstance(old, Expr):
                return notation.name_dim(given)
            raise BadInput(f"axis {axis} of input {name!r} has the size {old}, it is not open")
        case int() if not isinstance(given, bool) and given >= 0:
            if old is None or isinstance(old, Expr) or old == given:
                return given
            raise BadInput(f"axis {axis} of input {name!r} has the size {old}, not {given}")
    raise BadInput(f"axis {axis} of input {name!r} of size {given!r}: a number, a name or None")


def _array_of(name: str, given: Any, value: SourceValue) -> np.ndarray:
    """A value of the type of an input; a number fills a shape that is known."""
    if value.type is None:
        raise BadInput(f"input {name!r} is a {value.kind}, which has no value here")
    array = np.asarray(given)
    if not array.ndim and value.type.is_static:
        array = np.full([d for d in value.type.shape if isinstance(d, int)], array)
    made = array.astype(value.type.dtype)
    is_same = array.dtype.kind in "biuf" and bool((made == array).all())
    fits = len(array.shape) == len(value.type.shape) and all(
        isinstance(d, Expr) or d == n for d, n in zip(value.type.shape, array.shape, strict=True)
    )
    if not fits or not is_same:
        shape = text(value.type.shape)
        what = f"{array.dtype}{list(array.shape)}"
        raise BadInput(f"input {name!r} is {value.type.dtype} of {shape}, and {what} is given")
    made.flags.writeable = False
    return made
