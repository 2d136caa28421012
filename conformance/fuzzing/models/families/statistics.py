"""Normalisations, reductions, positions, running sums and recurrent layers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import binary, norm, recurrent, reduce, shape, sort, unary
from nnir.types import Precision

from ..growth import Growth
from .products import last_size
from .windows import pick_image, statistics

REDUCING = (
    *(reduce.reduce_mean, reduce.reduce_sum, reduce.reduce_max, reduce.reduce_min),
    *(reduce.reduce_log_sum_exp, reduce.reduce_prod),
)
EPSILONS = (1e-5, 1e-3, 0.1)


def normalization_of_channels(g: Growth) -> Iterator[Value]:
    """A normalisation of the channels of an image."""
    x, channels = pick_image(g)
    scale, bias, mean, variance = statistics(g, channels)
    epsilon = g.choose(EPSILONS)
    match g.between(0, 3):
        case 0:
            given = scale, bias, mean, variance
            yield g.apply(norm.batch_normalization, x, *given, epsilon=epsilon)
        case 1:
            yield g.apply(norm.instance_normalization, x, scale, bias, epsilon=epsilon)
        case 2:
            groups = g.choose([n for n in range(1, channels + 1) if channels % n == 0])
            yield g.apply(norm.group_normalization, x, scale, bias, groups=groups, epsilon=epsilon)
        case _:
            yield g.apply(norm.lrn, x, size=g.choose((1, 3, 5)), alpha=0.01, beta=0.75)


def normalization_of_rows(g: Growth) -> Iterator[Value]:
    """A normalisation over the last axes."""
    x = g.pick_float(2, 3)
    size = last_size(x)
    scale, bias = g.constant(g.generator.uniform(0.5, 1.5, size)), g.weights(size)
    epsilon = g.choose(EPSILONS)
    match g.between(0, 2):
        case 0:
            axis = g.choose((-1, x.rank - 1))
            yield g.apply(
                norm.layer_normalization, x, scale, bias, begin_norm_axis=axis, epsilon=epsilon
            )
        case 1:
            yield g.apply(norm.rms_normalization, x, scale, epsilon=epsilon)
        case _:
            yield g.apply(norm.lp_normalization, x, axis=g.axis(x), p=g.choose((1, 2)))


def normalization_by_hand(g: Growth) -> Iterator[Value]:
    """A normalisation as a formula, or nearly so, which engines put together again."""
    x = g.pick_float(2, 3, 4)
    axes = [g.choose((-1, x.rank - 1))] if x.rank < 4 or g.chance(0.5) else [2, 3]
    centred = x
    if g.chance(0.7):
        centred = g.apply(binary.sub, x, g.apply(reduce.reduce_mean, x, axes, keepdim=True))
    squares = (
        g.apply(binary.pow_, centred, 2.0) if g.chance(0.5) else g.apply(unary.square, centred)
    )
    mean = g.apply(reduce.reduce_mean, squares, axes, keepdim=True)
    spread = g.apply(unary.sqrt, g.apply(binary.add, mean, g.choose(EPSILONS)))
    result = g.apply(binary.div, g.choose((centred, centred, x)), spread)
    last = x.shape[-1]
    if isinstance(last, int) and g.chance(0.7):
        result = g.apply(binary.mul, result, g.constant(g.generator.uniform(0.5, 1.5, last)))
        result = g.apply(binary.add, result, g.weights(last))
    yield result


def reduction(g: Growth) -> Iterator[Value]:
    """A reduction over some axes, kept or not."""
    x = g.pick_float(1, 2, 3, 4)
    count = g.between(1, x.rank)
    axes = [int(a) for a in g.generator.permutation(x.rank)[:count]]
    if g.chance(0.3):
        axes = [a - x.rank for a in axes]
    yield g.apply(g.choose(REDUCING), x, sorted(axes), keepdim=g.chance(0.6))


def position_of_extreme(g: Growth) -> Iterator[Value]:
    """Where the largest or the smallest element is, as integers or as floats."""
    x = g.pick_float(1, 2, 3, 4)
    found = g.apply(
        g.choose((reduce.arg_max, reduce.arg_min)),
        x,
        axis=g.axis(x),
        keepdim=g.chance(0.5),
        dtype=g.choose((Precision.INT32, Precision.INT64)),
    )
    yield found
    if g.chance(0.5):
        yield g.apply(unary.cast, found, dtype=Precision.FLOAT32)


def largest_elements(g: Growth) -> Iterator[Value]:
    """The largest or smallest elements, and where they are."""
    x = g.pick_float(1, 2, 3)
    axis = g.axis(x)
    size = x.shape[axis]
    most = size if isinstance(size, int) else 1
    if not most:
        raise BadType("nothing to sort")
    yield from g.apply_all(
        sort.top_k,
        x,
        g.constant([g.between(1, most)], np.int64),
        axis=axis,
        largest=g.chance(0.7),
    )


def running(g: Growth) -> Iterator[Value]:
    """Sums, products or maxima of all elements so far."""
    x = g.pick_float(1, 2, 3, 4)
    axis = g.axis(x)
    if g.chance(0.7):
        yield g.apply(reduce.cum_sum, x, [axis], exclusive=g.chance(0.3), reverse=g.chance(0.3))
    else:
        yield g.apply_all(g.choose((reduce.cum_max, reduce.cum_min)), x, axis=axis)[0]


def recurrent_layer(g: Growth) -> Iterator[Value]:
    """A recurrent layer over a sequence."""
    x = g.pick_float(3)
    inner, size = last_size(x), g.between(1, 4)
    if g.chance(0.5):
        x = g.apply(shape.transpose, x, perm=(1, 0, 2))
    operator, gates = g.choose(((recurrent.rnn, 1), (recurrent.gru, 3), (recurrent.lstm, 4)))
    direction = g.choose(("forward", "reverse", "bidirectional"))
    ways = 2 if direction == "bidirectional" else 1
    functions = {"rnn": ("Tanh",), "gru": ("Sigmoid", "Tanh"), "lstm": ("Sigmoid", "Tanh", "Tanh")}
    results = g.apply_all(
        operator,
        x,
        g.weights(ways, gates * size, inner, inner=inner),
        g.weights(ways, gates * size, size, inner=size),
        g.weights(ways, 2 * gates * size) if g.chance(0.7) else None,
        direction=direction,
        activations=functions[operator.name.lower()] * ways,
    )
    yield results[0]
    if g.chance(0.4):
        yield results[1]
