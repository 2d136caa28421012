"""Quantised parts: values become integers and floats again around operations, as tools write it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nnir.model import Value
from nnir.ops import activation, binary, conv, linear, pool, quant, shape
from nnir.types import Precision

from ..growth import Growth
from .products import last_size
from .windows import pick_image, window

KINDS = (Precision.UINT8, Precision.INT8)
STEPS = 120


def parameters(g: Growth, array: np.ndarray, kind: Precision) -> tuple[Value, Value]:
    """A scale and a zero point for the numbers of an array."""
    low, high = float(array.min(initial=0.0)), float(array.max(initial=0.0))
    if kind == Precision.UINT8 or g.chance(0.3):
        scale = max(high - low, 1e-3) / (2 * STEPS)
        lowest = 0 if kind == Precision.UINT8 else -128
        zero = int(np.clip(round(-low / scale) + lowest, lowest, lowest + 255))
    else:
        scale, zero = max(-low, high, 1e-3) / STEPS, 0
    sizes = (1,) if g.chance(0.2) else ()
    return g.constant(np.full(sizes, scale)), g.constant(np.full(sizes, zero), kind.dtype)


def to_integers(g: Growth, x: Value) -> tuple[Value, tuple[Value, Value]]:
    """A value as integers, with what they mean."""
    kind = g.choose(KINDS)
    how = parameters(g, g.array(x), kind)
    return g.apply(quant.quantize_linear, x, *how, dtype=kind), how


def there_and_back(g: Growth, x: Value) -> Value:
    """A value that was quantised."""
    whole, how = to_integers(g, x)
    return g.apply(quant.dequantize_linear, whole, *how)


def quantised_value(g: Growth) -> Iterator[Value]:
    """A value that is quantised, and perhaps moved as integers."""
    x = g.pick_float(2, 3, 4)
    whole, how = to_integers(g, x)
    match g.between(0, 3):
        case 0:
            whole = g.apply(
                shape.transpose, whole, perm=tuple(int(a) for a in g.generator.permutation(x.rank))
            )
        case 1:
            whole = g.apply(shape.reshape, whole, [0, -1])
        case 2:
            whole = g.apply(shape.concat, whole, whole, axis=g.axis(whole))
    if g.chance(0.15):
        yield whole
    yield g.apply(quant.dequantize_linear, whole, *how)


def integer_weights(g: Growth, *sizes: int, inner: int, axis: int) -> Value:
    """Weights that are stored as integers, with a scale for all or one for each channel.

    They have 7 bits: a processor without VNNI adds two products of 8 bits in 16, which saturates.
    """
    whole = g.generator.integers(-63, 64, sizes)
    step = 1.5 / np.sqrt(max(inner, 1)) / 63
    if g.chance(0.5):
        scales = g.constant(step * g.generator.uniform(0.5, 1.0, sizes[axis]))
        zero = g.constant(np.zeros(sizes[axis]), np.int8) if g.chance(0.5) else None
    else:
        scales = g.constant(np.float32(step))
        zero = g.constant(0, np.int8) if g.chance(0.5) else None
    return g.apply(quant.dequantize_linear, g.constant(whole, np.int8), scales, zero, axis=axis)


def quantised_convolution(g: Growth) -> Iterator[Value]:
    """A convolution between quantised values."""
    x, channels = pick_image(g)
    x = there_and_back(g, x)
    group = g.choose((1, channels))
    count = group * g.between(1, 3)
    kernel = (g.between(1, 3), g.between(1, 3))
    inner = channels // group * kernel[0] * kernel[1]
    weights = integer_weights(g, count, channels // group, *kernel, inner=inner, axis=0)
    y = g.apply(conv.conv_2d, x, weights, g.weights(count), group=group, **window(g))
    if g.chance(0.4):
        y = g.apply(g.choose((activation.relu, activation.relu6)), y)
    yield there_and_back(g, y) if g.chance(0.8) else y


def quantised_product(g: Growth) -> Iterator[Value]:
    """A dense layer or a product of matrices between quantised values."""
    x = g.pick_float(2, 3)
    inner, units = last_size(x), g.between(1, 8)
    x = there_and_back(g, x)
    if g.chance(0.5):
        weights = integer_weights(g, units, inner, inner=inner, axis=0)
        y = g.apply(linear.fully_connected, x, weights, g.weights(units))
    else:
        weights = integer_weights(g, inner, units, inner=inner, axis=1)
        y = g.apply(linear.mat_mul, x, weights)
    yield there_and_back(g, y) if g.chance(0.8) else y


def quantised_step(g: Growth) -> Iterator[Value]:
    """An operation that engines have kernels for, between quantised values."""
    x = there_and_back(g, g.pick_float(2, 3, 4))
    match g.between(0, 6):
        case 0:
            y = g.apply(g.choose((binary.add, binary.mul)), x, there_and_back(g, x))
        case 1:
            y = g.apply(shape.transpose, x, perm=tuple(map(int, g.generator.permutation(x.rank))))
        case 2:
            other = there_and_back(g, g.pick(lambda v: v.is_float and v.shape == x.shape))
            y = g.apply(shape.concat, x, other, axis=g.axis(x))
        case 3:
            y = g.apply(g.choose((activation.relu, activation.sigmoid, activation.tanh)), x)
        case 4 if x.rank == 4:
            y = g.apply(pool.max_pool_2d, x, kernel_shape=(2, 2), strides=(1, 2))
        case 5 if x.rank == 4:
            y = g.apply(pool.average_pool_2d, x, kernel_shape=(2, 2), strides=(1, 1))
        case _:
            y = g.apply(activation.softmax, x, axis=-1)
    yield there_and_back(g, y) if g.chance(0.8) else y
