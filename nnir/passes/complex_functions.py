"""Functions of complex numbers as functions of pairs: what `complex_pairs` has no rules for.

Each follows the definition by real functions that neither overflows nor cancels where the result
does not.
"""

from __future__ import annotations

import math

import numpy as np

from ..errors import NoLowering
from ..model import Model, Operation, Value
from ..ops import (
    activation,
    binary,
    compare,
    complex,
    generate,
    index,
    linear,
    logic,
    reduce,
    shape,
    unary,
)
from .complex_pairs import RULES, Operands, Rewriter, both, is_not_zero, part, product, rule

__all__ = ["RULES", "write_pairs"]

LARGEST_POWER = 8
"""Whole powers up to this one are products."""


def write_pairs(model: Model) -> Model:
    """The model of pairs for one that has complex numbers, as `nnir.pairs.as_pairs` says."""
    return Rewriter(model).run()


def parts(pairs: Value) -> tuple[Value, Value]:
    """The real and the imaginary parts."""
    return part(pairs, 0), part(pairs, 1)


def turn(pairs: Value) -> Value:
    """i times the numbers."""
    swapped = index.gather(pairs, [1, 0], axis=-1)
    return swapped * pairs.model.constant([-1, 1], pairs.dtype)


def scale(pairs: Value, factor: float) -> Value:
    """The numbers times a real one."""
    return pairs * pairs.model.constant(factor, pairs.dtype)


def length(pairs: Value) -> Value:
    """The distance from 0, which does not overflow before the result does."""
    return binary.hypot(*parts(pairs))


def inverse(pairs: Value) -> Value:
    """1 / z: of z over its larger part, so that no square overflows."""
    size = reduce.reduce_max(unary.abs_(pairs), [-1], keepdim=True)
    near = pairs / size
    flipped = near * pairs.model.constant([1, -1], pairs.dtype)
    return flipped / reduce.reduce_sum(near * near, [-1], keepdim=True) / size


@rule(complex.angle)
def _angle(operation: Operation, x: Operands) -> Value:
    real, imag = parts(x[0])
    return binary.atan2(imag, real)


@rule(unary.abs_)
def _abs(operation: Operation, x: Operands) -> Value:
    return length(x[0])


@rule(unary.reciprocal)
def _reciprocal(operation: Operation, x: Operands) -> Value:
    return inverse(x[0])


@rule(binary.div)
def _div(operation: Operation, x: Operands) -> Value:
    return product(x[0], inverse(x[1]))


def is_same(x: Operands) -> Value:
    """Whether both parts are equal."""
    real, imag = (compare.equal(part(x[0], k), part(x[1], k)) for k in (0, 1))
    return logic.and_(real, imag)


@rule(compare.equal)
def _equal(operation: Operation, x: Operands) -> Value:
    return is_same(x)


@rule(compare.not_equal)
def _not_equal(operation: Operation, x: Operands) -> Value:
    return logic.not_(is_same(x))


@rule(index.non_zero)
def _non_zero(operation: Operation, x: Operands) -> Value:
    return index.non_zero(is_not_zero(x[0]))


def logarithm(pairs: Value) -> Value:
    """The natural logarithm, with an angle from -pi to pi."""
    real, imag = parts(pairs)
    return both(unary.log(binary.hypot(real, imag)), binary.atan2(imag, real))


@rule(unary.log, unary.log2, unary.log10)
def _log(operation: Operation, x: Operands) -> Value:
    base = {unary.log2: 2.0, unary.log10: 10.0}.get(operation.operator)
    found = logarithm(x[0])
    return found if base is None else scale(found, 1 / math.log(base))


@rule(unary.log1p)
def _log1p(operation: Operation, x: Operands) -> Value:
    """log(1 + z); the distance of 1 + z from 0 is 1 where z is small."""
    real, imag = parts(x[0])
    near = unary.log1p(real * (real + 2) + unary.square(imag)) * 0.5
    far = unary.log(binary.hypot(real + 1, imag))
    size = compare.where(length(x[0]) < 0.5, near, far)
    return both(size, binary.atan2(imag, real + 1))


def exponential(pairs: Value) -> Value:
    """e to the power z."""
    real, imag = parts(pairs)
    size = unary.exp(real)
    return both(size * unary.cos(imag), size * unary.sin(imag))


@rule(unary.exp)
def _exp(operation: Operation, x: Operands) -> Value:
    return exponential(x[0])


@rule(unary.expm1)
def _expm1(operation: Operation, x: Operands) -> Value:
    """1 - cos(b) is 2 sin(b / 2)^2."""
    real, imag = parts(x[0])
    half = unary.square(unary.sin(imag * 0.5)) * 2
    return both(unary.expm1(real) * unary.cos(imag) - half, unary.exp(real) * unary.sin(imag))


def root(pairs: Value) -> Value:
    """The square root whose real part is not negative."""
    real, imag = parts(pairs)
    side = unary.sqrt(binary.hypot(real, imag) * 0.5 + unary.abs_(real) * 0.5)
    other = compare.where(compare.equal(side, 0), imag, imag * 0.5 / side)
    behind = compare.where(imag < 0, -side, side)
    return compare.where(_beside(real < 0), both(unary.abs_(other), behind), both(side, other))


@rule(unary.sqrt)
def _sqrt(operation: Operation, x: Operands) -> Value:
    return root(x[0])


@rule(unary.rsqrt)
def _rsqrt(operation: Operation, x: Operands) -> Value:
    return inverse(root(x[0]))


def hyperbolic_sine(pairs: Value) -> Value:
    """sinh(z)."""
    real, imag = parts(pairs)
    return both(unary.sinh(real) * unary.cos(imag), unary.cosh(real) * unary.sin(imag))


def hyperbolic_cosine(pairs: Value) -> Value:
    """cosh(z)."""
    real, imag = parts(pairs)
    return both(unary.cosh(real) * unary.cos(imag), unary.sinh(real) * unary.sin(imag))


def hyperbolic_tangent(pairs: Value) -> Value:
    """tanh(z), by the tangents of both parts: neither overflows where z is large."""
    real, imag = parts(pairs)
    t, u = activation.tanh(real), unary.tan(imag)
    below = unary.square(t * u) + 1
    slope = unary.square(unary.reciprocal(unary.cosh(real)))
    return both(t * (unary.square(u) + 1) / below, u * slope / below)


@rule(unary.sinh)
def _sinh(operation: Operation, x: Operands) -> Value:
    return hyperbolic_sine(x[0])


@rule(unary.cosh)
def _cosh(operation: Operation, x: Operands) -> Value:
    return hyperbolic_cosine(x[0])


@rule(activation.tanh)
def _tanh(operation: Operation, x: Operands) -> Value:
    return hyperbolic_tangent(x[0])


@rule(unary.sin)
def _sin(operation: Operation, x: Operands) -> Value:
    """-i sinh(i z)."""
    return -turn(hyperbolic_sine(turn(x[0])))


@rule(unary.cos)
def _cos(operation: Operation, x: Operands) -> Value:
    return hyperbolic_cosine(turn(x[0]))


@rule(unary.tan)
def _tan(operation: Operation, x: Operands) -> Value:
    """-i tanh(i z)."""
    return -turn(hyperbolic_tangent(turn(x[0])))


def logistic(pairs: Value) -> Value:
    """1 / (1 + e^-z); of a negative z as e^z / (1 + e^z), as e^-z may overflow."""
    is_negative = compare.less(index.gather(pairs, [0], axis=-1), 0)
    power = exponential(compare.where(is_negative, pairs, -pairs))
    one = pairs.model.constant([1, 0], pairs.dtype)
    return product(compare.where(is_negative, power, one), inverse(power + one))


@rule(activation.sigmoid)
def _sigmoid(operation: Operation, x: Operands) -> Value:
    return logistic(x[0])


@rule(activation.swish)
def _swish(operation: Operation, x: Operands) -> Value:
    return product(x[0], logistic(x[0]))


@rule(binary.pow_)
def _pow(operation: Operation, x: Operands) -> Value:
    """Products for small whole exponents, else e^(w log z); 0 to the power 0 is 1."""
    exponent = None if x[1].known is None else np.unique(x[1].known.reshape(-1, 2), axis=0)
    if exponent is not None and len(exponent) == 1:
        whole, imag = exponent[0]
        if imag == 0 and whole in range(1, LARGEST_POWER + 1):
            return whole_power(x[0], int(whole))
    found = exponential(product(x[1], logarithm(x[0])))
    one, zero = (found.model.constant(v, found.dtype) for v in ([1, 0], [0, 0]))
    of_zero = compare.where(
        _beside(part(x[1], 0) > 0),
        zero,
        compare.where(_beside(is_not_zero(x[1])), found, one),
    )
    return compare.where(_beside(is_not_zero(x[0])), found, of_zero)


def _beside(condition: Value) -> Value:
    """A condition for each number as one for each pair."""
    return shape.unsqueeze(condition, [condition.rank])


def whole_power(pairs: Value, power: int) -> Value:
    """A whole power above 0, by squares."""
    if power == 1:
        return pairs
    half = whole_power(pairs, power // 2)
    squared = product(half, half)
    return product(squared, pairs) if power % 2 else squared


@rule(generate.meshgrid, index.channel_shuffle, index.gather_elements, reduce.cum_sum)
def _by_parts(operation: Operation, x: Operands) -> Value | tuple[Value, ...]:
    """What moves or adds elements does so with each part."""
    given = [v is not None and v.precision.is_complex for v in operation.inputs]
    made = []
    for which in (0, 1):
        operands = [part(v, which) if c else v for v, c in zip(x, given, strict=True)]
        found = operation.operator(*operands, **operation.attributes)
        made.append(found if isinstance(found, (list, tuple)) else (found,))
    return tuple(both(real, imag) for real, imag in zip(*made, strict=True))


@rule(index.scatter_elements)
def _scatter_elements(operation: Operation, x: Operands) -> Value | tuple[Value, ...]:
    if operation.attributes["reduction"] not in ("none", "add"):
        raise NoLowering(f"with reduction {operation.attributes['reduction']!r}")
    return _by_parts(operation, x)


@rule(linear.fully_connected)
def _fully_connected(operation: Operation, x: Operands) -> Value:
    """Products of the parts; a bias counts once."""
    (a, b), (c, d), (real, imag) = (parts(v) for v in x)
    none = generate.fill_like(real, real.model.constant(0, real.dtype))
    p, q, r, s = (
        linear.fully_connected(left, right, bias, **operation.attributes)
        for left, right, bias in ((a, c, real), (b, d, none), (a, d, imag), (b, c, none))
    )
    return both(p - q, r + s)
