"""Tensors made of numbers and of the sizes of others: full, identities, evenly spaced."""

from __future__ import annotations

import math

import numpy as np

from .. import build
from ..broadcast import contents, ints
from ..errors import BadType
from ..model import Model, Value
from ..ops import compare, generate, shape
from ..types import Precision
from .promotion import COMPLEX, Number, Operand, to_value


def constant_like(x: Value, number: int) -> Value:
    """A tensor of the sizes and the type of `x` with one number everywhere."""
    element = x.model.constant(number, x.dtype)
    if not x.rank:
        return element
    if x.is_static:
        return generate.fill(x.model.constant(np.array(x.shape, np.int64)), element)
    return generate.fill_like(x, element)


def known_number(number: Operand) -> Operand:
    """A tensor of one known element as a Python number; others as they are."""
    if isinstance(number, Value) and number.known is not None and number.known.size == 1:
        found: Number = number.known.reshape(()).item()
        return found
    return number


def full(model: Model, size: Value, value: Operand, precision: Precision) -> Value:
    """A tensor of one number everywhere."""
    element = to_value(value, precision, model)
    if contents(size) == ():
        return element
    return generate.fill(size, element)


def full_like(x: Value, value: Operand, dtype: Precision | None) -> Value:
    """A tensor of the sizes of `x`."""
    precision = dtype or x.precision
    if x.is_static:
        return full(x.model, build.shape_of(x), value, precision)
    return generate.fill_like(x, to_value(value, precision, x.model))


def eye(rows: Value, columns: Value, precision: Precision) -> Value:
    """Ones where row and column are equal."""
    lines = []
    for size in (rows, columns):
        known = ints(size)
        if known is not None and known[0] < 0:
            raise BadType(f"eye of {known[0]} rows or columns")
        if known is not None:
            lines.append(size.model.constant(build.arange(known[0])))
        else:
            lines.append(generate.range_([0], shape.reshape(size, [1]), [1]))
    ones = compare.equal(shape.unsqueeze(lines[0], [1]), lines[1])
    return ones.cast(precision)


def linspace(model: Model, start: Operand, end: Operand, steps: int, precision: Precision) -> Value:
    """`steps` numbers from `start` to `end`, counted from the nearer of the two."""
    if steps < 0:
        raise BadType(f"linspace of {steps} numbers")
    wide = Precision.FLOAT64 if precision.is_integer else precision
    known = [_whole(known_number(v), precision) for v in (start, end)]
    if not any(isinstance(v, Value) for v in known):
        numbers = _line(known[0], known[1], steps, wide)  # type: ignore[arg-type]
        return model.constant(numbers.astype(precision.dtype))
    first, last = (to_value(v, wide, model) for v in known)
    if steps <= 1:
        return (shape.reshape(first, [1]) if steps else model.constant([], "f4")).cast(precision)
    step = (last - first) / (steps - 1)
    places = build.arange(steps)
    near = model.constant(places.astype(wide.dtype))
    far = model.constant((steps - 1 - places).astype(wide.dtype))
    rising = first + step * near
    falling = last - step * far
    return compare.where(model.constant(places < steps // 2), rising, falling).cast(precision)


def _whole(bound: Operand, precision: Precision) -> Operand:
    """A bound without its fraction, where whole numbers are asked for."""
    if not precision.is_integer or isinstance(bound, complex):
        return bound
    return bound.cast(precision) if isinstance(bound, Value) else math.trunc(bound)


def _line(start: Number, end: Number, steps: int, precision: Precision) -> np.ndarray:
    kind = np.dtype(np.complex128 if precision in COMPLEX else np.float64)
    first, last = np.array([start, end], kind).astype(precision.dtype).astype(kind)
    if steps == 1:
        return np.array([first])
    step = np.asarray((last - first) / max(steps - 1, 1))
    places = build.arange(steps)
    return np.where(places < steps // 2, first + step * places, last - step * (steps - 1 - places))


def logspace(
    model: Model, start: Operand, end: Operand, steps: int, base: float, precision: Precision
) -> Value:
    """`base` to the powers that linspace gives."""
    wide = precision if precision in COMPLEX else Precision.FLOAT64
    first, last = (_whole(known_number(v), precision) for v in (start, end))
    exponents = linspace(model, first, last, steps, wide)
    if exponents.constant is not None:
        with np.errstate(all="ignore"):
            numbers = np.power(np.asarray(base, wide.dtype), exponents.constant)
        return model.constant(numbers.astype(precision.dtype))
    return (base**exponents).cast(precision)
