"""Activations as operators, and as the formulas that engines put together again."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from nnir.model import Value
from nnir.ops import activation, binary, reduce, unary

from ..growth import Growth

PLAIN = (
    *(activation.relu, activation.relu6, activation.sigmoid, activation.swish, activation.tanh),
)


def plain_activation(g: Growth) -> Iterator[Value]:
    """An activation without options."""
    yield g.apply(g.choose(PLAIN), g.pick_float())


def activation_with_options(g: Growth) -> Iterator[Value]:
    """An activation with numbers of its own."""
    x = g.pick_float()
    match g.between(0, 8):
        case 0:
            yield g.apply(activation.leaky_relu, x, alpha=g.choose((0.01, 0.2, 1.5, -0.5)))
        case 1:
            yield g.apply(activation.elu, x, alpha=g.number())
        case 2:
            yield g.apply(activation.celu, x, alpha=g.number())
        case 3:
            yield g.apply(activation.gelu, x, approximate=g.chance(0.5))
        case 4:
            yield g.apply(activation.hard_sigmoid, x, alpha=0.2, beta=0.5)
        case 5:
            alpha, beta = g.choose(((1 / 6, 0.5), (0.2, 0.4)))
            yield g.apply(activation.hard_swish, x, alpha=alpha, beta=beta)
        case 6:
            yield g.apply(activation.softplus, x, beta=g.choose((1.0, 2.0)))
        case 7:
            channels = x.shape[1] if x.rank > 1 else 1
            count = channels if isinstance(channels, int) and g.chance(0.7) else 1
            yield g.apply(activation.prelu, x, g.weights(count))
        case _:
            low, high = sorted((g.number(-2, 2), g.number(-2, 2)))
            yield g.apply(activation.clip, x, *g.choose(_open_ends(low, high + 0.1)))


def _open_ends(low: float, high: float) -> tuple[tuple[float, float], ...]:
    """Bounds, and what exporters write where one of them is not given."""
    return (low, high), (low, high), (low, math.inf), (-math.inf, high)


def soft_maximum(g: Growth) -> Iterator[Value]:
    """A softmax along any axis, as an operator or by hand."""
    x = g.pick_float(2, 3, 4)
    axis = g.axis(x)
    if g.chance(0.6):
        operator = g.choose((activation.softmax, activation.softmax, activation.log_softmax))
        yield g.apply(operator, x, axis=axis)
        return
    if g.chance(0.5):
        x = g.apply(binary.sub, x, g.apply(reduce.reduce_max, x, [axis], keepdim=True))
    raised = g.apply(unary.exp, x)
    yield g.apply(binary.div, raised, g.apply(reduce.reduce_sum, raised, [axis], keepdim=True))


def by_formula(g: Growth) -> Iterator[Value]:
    """An activation as a formula, or nearly as one."""
    x = g.pick_float()
    formula: Callable[[Growth, Value], Value] = g.choose(FORMULAS)
    yield formula(g, x)


def _swish(g: Growth, x: Value) -> Value:
    inner = x if g.chance(0.6) else g.apply(binary.mul, x, g.number(0.5, 1.8))
    return g.apply(binary.mul, *_either_way(g, x, g.apply(activation.sigmoid, inner)))


def _gelu(g: Growth, x: Value) -> Value:
    scaled = g.apply(binary.div, x, np.float32(np.sqrt(2)))
    shifted = g.apply(binary.add, g.apply(unary.erf, scaled), 1.0)
    if g.chance(0.5):
        return g.apply(binary.mul, g.apply(binary.mul, x, shifted), 0.5)
    return g.apply(binary.mul, g.apply(binary.mul, x, 0.5), shifted)


def _gelu_by_tanh(g: Growth, x: Value) -> Value:
    cube = g.apply(binary.pow_, x, 3.0)
    inner = g.apply(binary.add, x, g.apply(binary.mul, cube, 0.044715))
    raised = g.apply(activation.tanh, g.apply(binary.mul, inner, float(np.sqrt(2 / np.pi))))
    return g.apply(binary.mul, g.apply(binary.mul, x, 0.5), g.apply(binary.add, raised, 1.0))


def _hard_swish(g: Growth, x: Value) -> Value:
    most = g.choose((6.0, 6.0, 5.0))
    clipped = g.apply(activation.clip, g.apply(binary.add, x, 3.0), 0.0, most)
    if g.chance(0.5):
        return g.apply(binary.div, g.apply(binary.mul, *_either_way(g, x, clipped)), 6.0)
    return g.apply(binary.mul, x, g.apply(binary.div, clipped, 6.0))


def _mish(g: Growth, x: Value) -> Value:
    return g.apply(binary.mul, x, g.apply(activation.tanh, g.apply(activation.softplus, x)))


def _softplus(g: Growth, x: Value) -> Value:
    return g.apply(unary.log, g.apply(binary.add, g.apply(unary.exp, x), 1.0))


def _clip(g: Growth, x: Value) -> Value:
    low, high = g.choose(((0.0, 6.0), (-1.0, 1.0), (0.0, 1.0), *_open_ends(-0.5, 0.25)))
    if g.chance(0.5):
        return g.apply(binary.min_, g.apply(binary.max_, x, low), high)
    return g.apply(binary.max_, g.apply(binary.min_, x, high), low)


def _leaky(g: Growth, x: Value) -> Value:
    return g.apply(binary.max_, *_either_way(g, x, g.apply(binary.mul, x, g.choose((0.1, 1.5)))))


def _either_way(g: Growth, x: Value, y: Value) -> tuple[Value, Value]:
    return (x, y) if g.chance(0.5) else (y, x)


FORMULAS = (_swish, _gelu, _gelu_by_tanh, _hard_swish, _mish, _softplus, _clip, _leaky)
