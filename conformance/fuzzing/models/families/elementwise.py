"""Operations on each element: functions, arithmetic, comparisons, choices, other types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nnir.errors import BadType
from nnir.model import Operator, Value
from nnir.ops import binary, compare, logic, unary
from nnir.types import Fuse, Precision

from ..growth import Growth

ANYWHERE = (
    *(unary.abs_, unary.neg, unary.sin, unary.cos, unary.erf, unary.erfc, unary.atan, unary.asinh),
    *(unary.square, unary.ceil, unary.floor, unary.round_, unary.sign),
)
POSITIVE = (
    *(unary.log, unary.sqrt, unary.rsqrt, unary.reciprocal, unary.log2, unary.log10, unary.log1p),
)
SMALL = (unary.exp, unary.expm1, unary.sinh, unary.cosh)
INSIDE = (unary.asin, unary.acos, unary.atanh, unary.tan)
ARITHMETIC = (binary.add, binary.sub, binary.mul, binary.div, binary.max_, binary.min_)
COMPARING = (compare.less, compare.less_equal, compare.greater, compare.greater_equal)
FUSED = (Fuse.NONE, Fuse.NONE, Fuse.NONE, Fuse.RELU, Fuse.RELU6)
MOST_EXPONENT = 5.0


def unary_function(g: Growth) -> Iterator[Value]:
    """A function of one value, which is first brought to where the function is tame."""
    x = g.pick_float()
    operator = g.choose((*ANYWHERE, *POSITIVE, *SMALL, *INSIDE))
    yield g.apply(operator, _into_domain(g, operator, x))


def _into_domain(g: Growth, operator: Operator[Any], x: Value) -> Value:
    array = g.array(x)
    if operator in POSITIVE and array.min(initial=1) < 0.1:
        return g.apply(binary.add, g.apply(unary.abs_, x), g.number())
    if operator in SMALL and np.abs(array).max(initial=0) > MOST_EXPONENT:
        return g.apply(binary.min_, g.apply(binary.max_, x, -MOST_EXPONENT), MOST_EXPONENT)
    if operator in INSIDE and np.abs(array).max(initial=0) > 0.9:
        return g.apply(binary.mul, g.apply(unary.sin, x), 0.9)
    return x


def operand_for(g: Growth, x: Value) -> Any:
    """What goes together with a value: another one, a number, a constant that broadcasts."""
    match g.between(0, 5):
        case 0:
            return g.number(-2, 2)
        case 1:
            return g.constant([g.number()])
        case 2 | 3:
            same = [v for v in g.readable if v.shape == x.shape and v.precision == x.precision]
            return g.choose(same) if same else g.number()
        case 4:
            return g.pick(lambda v: v.precision == x.precision and v.rank <= x.rank)
    return channel_constant(g, x)


def channel_constant(g: Growth, x: Value) -> Value:
    """A number for each entry of some axes of known size."""
    sizes = [d if isinstance(d, int) and g.chance(0.5) else 1 for d in x.shape]
    lead = g.between(0, max(x.rank - 1, 0))
    return g.constant(g.generator.uniform(0.3, 1.5, sizes[lead:]))


def arithmetic(g: Growth) -> Iterator[Value]:
    """Two values, or a value and a constant, on either side."""
    x = g.pick_float()
    operator = g.choose(ARITHMETIC)
    y = operand_for(g, x)
    if operator is binary.div:
        yield g.apply(operator, x, _away_from_zero(g, y))
        return
    if isinstance(y, float) or g.chance(0.7):
        yield g.apply(operator, x, y, fuse_code=g.choose(FUSED))
    else:
        yield g.apply(operator, y, x, fuse_code=g.choose(FUSED))


def _away_from_zero(g: Growth, y: Any) -> Any:
    if isinstance(y, float):
        return y if abs(y) > 0.1 else 0.5
    if y.constant is not None:
        return y
    return g.apply(binary.add, g.apply(unary.abs_, y), g.number(0.5, 2))


def reversed_arithmetic(g: Growth) -> Iterator[Value]:
    """A number less, or by, a value."""
    x = g.pick_float()
    number = g.constant(np.float32(g.number()))
    if g.chance(0.5):
        yield g.apply(binary.sub, number, x)
    else:
        yield g.apply(binary.div, number, _away_from_zero(g, x))


def power(g: Growth) -> Iterator[Value]:
    """A power with an exponent that engines write otherwise."""
    x = g.pick_float()
    exponent = g.choose((2.0, 3.0, 0.5, -1.0, -0.5, 1.5, 1.0))
    base = x if exponent in (1.0, 2.0, 3.0) else _away_from_zero(g, x)
    yield g.apply(binary.pow_, base, exponent)


def total(g: Growth) -> Iterator[Value]:
    """A sum of several values."""
    x = g.pick_float()
    count = g.between(1, 3)
    others = [v for v in g.readable if v.precision == x.precision and v.shape == x.shape]
    yield g.apply(binary.sum_, x, *(g.choose(others) for _ in range(count)))


def choice(g: Growth) -> Iterator[Value]:
    """A comparison, which chooses between two values."""
    x = g.pick_float()
    threshold = _threshold(g, x)
    mask = g.apply(g.choose(COMPARING), x, threshold)
    if g.chance(0.3):
        other = g.apply(g.choose(COMPARING), x, _threshold(g, x))
        mask = g.apply(g.choose((logic.and_, logic.or_, logic.xor)), mask, other)
    if g.chance(0.3):
        mask = g.apply(logic.not_, mask)
    if g.chance(0.3):
        yield g.apply(unary.cast, mask, dtype=Precision.FLOAT32)
    y = operand_for(g, x)
    yield (
        g.apply(compare.where, mask, x, y) if g.chance(0.5) else g.apply(compare.where, mask, y, x)
    )


def _threshold(g: Growth, x: Value) -> float:
    """A number in the middle of those of a value, and far from each of them."""
    numbers = np.unique(g.array(x))
    if numbers.size < 2:
        return float(numbers[0]) + 0.5 if numbers.size else 0.0
    middle = numbers.size // 2
    near = slice(max(middle - 8, 0), middle + 8)
    gaps = np.diff(numbers[near])
    widest = int(np.argmax(gaps))
    return float(np.float32(numbers[near][widest] + gaps[widest] / 2))


def integers(g: Growth) -> Iterator[Value]:
    """Integers: made of floats, reckoned with, and made floats again."""
    found = [v for v in g.readable if v.precision in (Precision.INT32, Precision.INT64)]
    if not found or g.chance(0.3):
        x = g.apply(binary.mul, g.pick_float(), g.number(1, 4))
        yield g.apply(unary.cast, x, dtype=g.choose((Precision.INT32, Precision.INT64)))
        return
    x = g.choose(found)
    match g.between(0, 4):
        case 0:
            yield g.apply(g.choose((binary.add, binary.sub, binary.mul)), x, g.between(-3, 5))
        case 1:
            yield g.apply(g.choose((binary.mod, binary.floor_div)), x, g.between(2, 5))
        case 2:
            yield g.apply(g.choose((binary.max_, binary.min_)), x, g.between(-2, 2))
        case 3:
            mask = g.apply(compare.equal, x, g.between(0, 2))
            yield g.apply(compare.where, mask, x, g.constant(g.between(-2, 2), x.dtype))
        case _:
            yield g.apply(unary.cast, x, dtype=Precision.FLOAT32)


def integers_as_floats(g: Growth) -> Iterator[Value]:
    """Integers or truth values that become floats, so that others can read them."""
    x = g.pick(lambda v: v.is_integer or v.precision == Precision.BOOL8)
    if x.dtype.itemsize == 1 and x.is_integer:
        raise BadType("quantised numbers are made floats by their scales")
    yield g.apply(unary.cast, x, dtype=Precision.FLOAT32)
