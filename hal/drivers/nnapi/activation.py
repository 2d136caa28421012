"""Activations."""

from __future__ import annotations

import math

from nnir.formats.nnapi.structures import OperationType
from nnir.model import Value
from nnir.ops import activation

from ...lowering import Lowerings
from .binary import clip_between, negate
from .emitter import Emitter, Ref

table = Lowerings[Ref]()
table.natives(
    {
        activation.sigmoid: "LOGISTIC",
        activation.tanh: "TANH",
        activation.relu: "RELU",
        activation.relu6: "RELU6",
    }
)


@table.lower(activation.swish)
def swish(g: Emitter, input: Value) -> Ref:
    return g.mul(input, g.map(OperationType.LOGISTIC, g.real(input)))


@table.lower(activation.softmax)
def softmax(g: Emitter, input: Value, *, axis: int) -> Ref:
    """Rows of a matrix, whose axis is stored last."""
    ref = g.last(g.real(input), [axis % input.rank])
    size = ref.shape[-1]
    rows = g.dims(ref, (math.prod(ref.shape) // size, size))
    made = g.step(OperationType.SOFTMAX, [rows, 1.0], rows.dims)
    return Ref(made, ref.shape, ref.order, ref.precision)


@table.lower(activation.leaky_relu)
def leaky_relu(g: Emitter, input: Value, *, alpha: float) -> Ref:
    x = g.real(input)
    below = g.rectify(negate(g, x))
    return g.add(g.rectify(x), g.mul(below, -alpha))


@table.lower(activation.prelu)
def prelu(g: Emitter, input: Value, slope: Value) -> Ref:
    """One slope, or one for each channel."""
    x, factors = g.real(input), g.real(slope)
    if input.rank > 2 or factors.sizes == (1,):
        factors = g.reshape(slope, (*factors.sizes, *(1,) * max(input.rank - 2, 0)))
    below = g.rectify(negate(g, x))
    return g.add(g.rectify(x), g.mul(below, negate(g, factors)))


@table.lower(activation.hard_sigmoid)
def hard_sigmoid(g: Emitter, input: Value, *, alpha: float, beta: float) -> Ref:
    return clip_between(g, g.add(g.mul(input, alpha), beta), 0, 1)


@table.lower(activation.hard_swish)
def hard_swish(g: Emitter, input: Value, *, alpha: float, beta: float) -> Ref:
    """With the usual numbers a RELU6."""
    if math.isclose(alpha, 1 / 6, rel_tol=1e-6) and beta == 0.5:
        line = g.map(OperationType.RELU6, g.add(input, 3))
        return g.mul(g.mul(input, line), 1 / 6)
    return g.mul(input, clip_between(g, g.add(g.mul(input, alpha), beta), 0, 1))
