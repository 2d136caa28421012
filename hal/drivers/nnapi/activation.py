"""Activations."""

from __future__ import annotations

import math

from nnir.formats.nnapi.structures import OperationType
from nnir.model import Value
from nnir.ops import activation

from ...lowering import Lowerings
from .binary import clip_between
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
    x = g.real(input)
    return x * g.map(OperationType.LOGISTIC, x)


@table.lower(activation.softmax)
def softmax(g: Emitter, input: Value, *, axis: int) -> Ref:
    """Rows of a matrix, whose axis is stored last."""
    ref = g.last(g.real(input), [axis % input.rank])
    rows = g.dims(ref, (math.prod(ref.shape[:-1]), ref.shape[-1]))
    return g.one(OperationType.SOFTMAX, [rows, 1.0], rows.dims).stored(ref.shape, ref.order)


@table.lower(activation.leaky_relu)
def leaky_relu(g: Emitter, input: Value, *, alpha: float) -> Ref:
    x = g.real(input)
    return g.rectify(x) + g.rectify(-x) * -alpha


@table.lower(activation.prelu)
def prelu(g: Emitter, input: Value, slope: Value) -> Ref:
    """One slope, or one for each channel."""
    x, factors = g.real(input), g.real(slope)
    if input.rank > 2 or factors.sizes == (1,):
        factors = g.reshape(slope, (*factors.sizes, *(1,) * max(input.rank - 2, 0)))
    return g.rectify(x) + g.rectify(-x) * -factors


@table.lower(activation.hard_sigmoid)
def hard_sigmoid(g: Emitter, input: Value, *, alpha: float, beta: float) -> Ref:
    return clip_between(g, g.real(input) * alpha + beta, 0, 1)


@table.lower(activation.hard_swish)
def hard_swish(g: Emitter, input: Value, *, alpha: float, beta: float) -> Ref:
    """With the usual numbers a RELU6."""
    x = g.real(input)
    if math.isclose(alpha, 1 / 6, rel_tol=1e-6) and beta == 0.5:
        return x * g.map(OperationType.RELU6, x + 3) * (1 / 6)
    return x * clip_between(g, x * alpha + beta, 0, 1)
