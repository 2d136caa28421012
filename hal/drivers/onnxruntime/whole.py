"""Attention without a mask as one kernel.

MultiHeadAttention takes keys in blocks and never holds all scores, which costs less time and memory
the more there are. The product of queries and keys and the softmax then leave no nodes.
"""

from __future__ import annotations

from typing import Any

from nnir import build
from nnir.model import Model, Operation, Value
from nnir.operator import Operator
from nnir.ops import activation, attention, linear, shape
from nnir.records import dataclass
from nnir.types import Precision, TensorType

from .blind import mend
from .emitter import Emitter, Operand, Ref

FEWEST = 1 << 14
"""Scores of a head from which on the kernel is faster."""


@dataclass(frozen=True)
class Whole:
    """Queries, keys and values, [batch, heads, length, width] or without heads, and what lies
    between. `is_turned`: keys are [..., width, length]. `is_safe`: a query whose scores are all
    -inf gets zeros, not NaN."""

    query: Value
    key: Value
    values: Value
    scores: Value
    weights: Value
    is_turned: bool
    is_safe: bool

    @property
    def fits(self) -> bool:
        """Whether the kernel takes them, and is faster: how many samples there are may be open."""
        every = (self.query, self.key, self.values, self.scores)
        if any(v.precision != Precision.FLOAT32 or v.rank not in (3, 4) for v in every):
            return False
        if any(not isinstance(d, int) for v in every for d in v.shape[1:]):
            return False
        (rows, columns), (width,) = _sizes_at(self.scores, -2, -1), _sizes_at(self.query, -1)
        is_usual = len({v.shape[:-2] for v in every}) == 1 and width > 0
        return is_usual and rows * columns >= FEWEST


def whole_of(g: Emitter, product: Operation) -> Whole | None:
    """What a product of weights and values is the end of, where one kernel computes it: neither in
    files nor in branches nor for other providers."""
    if g.for_file or g.outer is not None or g.host is not None:
        return None
    return _find(product)


def is_inside(g: Emitter, value: Value) -> bool:
    """Whether a value is the scores or the weights of an attention that is one kernel."""
    for _ in range(2):  # of scores the weights are next
        if len(value.uses) != 1:
            return False
        (reader,) = value.uses
        if (found := whole_of(g, reader)) is not None:
            return value is found.weights
        value = reader.outputs[0]
    return False


def _find(product: Operation) -> Whole | None:
    weights = _first(product, linear.mat_mul)
    if weights is None or any(product.attributes.values()) or not _is_between(weights):
        return None
    scores = _first(weights.producer, activation.softmax, attention.safe_softmax)
    if scores is None or not _is_between(scores):
        return None
    softmax, multiply = weights.producer, scores.producer
    query, values = _first(multiply, linear.mat_mul), product.inputs[1]
    if softmax is None or multiply is None or query is None or values is None:
        return None
    key, is_last = multiply.inputs[1], softmax.attributes["axis"] in (-1, scores.rank - 1)
    if key is None or not is_last or multiply.attributes["transpose_x"]:
        return None
    is_turned = not multiply.attributes["transpose_y"]
    is_safe = softmax.operator is attention.safe_softmax
    found = Whole(query, key, values, scores, weights, is_turned, is_safe)
    return found if found.fits else None


def _first(maker: Operation | None, *operators: Operator[Any]) -> Value | None:
    """The first operand of an operation of one of these operators."""
    return maker.inputs[0] if maker is not None and maker.operator in operators else None


def _is_between(value: Value) -> bool:
    """Whether one operation alone reads a value."""
    return len(value.uses) == 1 and value not in value.model.outputs


def _sizes_at(value: Value, *axes: int) -> list[int]:
    """Sizes that are known."""
    return build.known_sizes(value, [a % value.rank for a in axes])


def attend(g: Emitter, found: Whole) -> Ref:
    """The kernel, between heads behind each other in rows."""
    query, key, values = found.query, found.key, found.values
    heads = _sizes_at(query, 1)[0] if query.rank == 4 else 1
    rows = [_rows(g, query), _rows(g, key, is_turned=found.is_turned), _rows(g, values)]
    made = g.node("MultiHeadAttention", *rows, domain="com.microsoft", num_heads=heads, scale=1.0)
    if query.rank == 4:
        made = g.reshape(made, 0, *_sizes_at(query, 2), heads, *_sizes_at(values, 3))
        made = g.node("Transpose", made, perm=[0, 2, 1, 3])
    return mend(g, made, made, _again(found, heads), rows) if found.is_safe else made


def _rows(g: Emitter, operand: Value, *, is_turned: bool = False) -> Operand:
    """[batch, heads, length, width] as [batch, length, heads * width]."""
    if operand.rank == 3:
        return g.node("Transpose", operand, perm=[0, 2, 1]) if is_turned else operand
    moved = g.node("Transpose", operand, perm=[0, 3, 1, 2] if is_turned else [0, 2, 1, 3])
    heads, *sizes = _sizes_at(operand, 1, 2, 3)
    length, width = sizes[::-1] if is_turned else sizes
    return g.reshape(moved, 0, length, heads * width)  # 0: as many samples as there are


def _again(found: Whole, heads: int) -> Model:
    """The same of rows, by operations that look at what is hidden."""
    model = Model("blind")
    query = _apart(model, found.query, heads)
    key = _apart(model, found.key, heads, is_turned=found.is_turned)
    values = _apart(model, found.values, heads)
    weights = attention.safe_softmax(linear.mat_mul(query, key, transpose_y=True), axis=-1)
    model.outputs = [linear.mat_mul(weights, values)]
    return model


def _apart(model: Model, value: Value, heads: int, *, is_turned: bool = False) -> Value:
    """An input of rows, with its heads apart where `value` has such an axis."""
    length, width = _sizes_at(value, -2, -1)
    if is_turned:
        length, width = width, length
    sizes = (value.shape[0], length, heads * width)
    rows = model.input("rows", TensorType(value.precision, sizes))
    if value.rank == 3:
        return rows
    apart = build.reshape(rows, [build.size_of(rows, 0), length, heads, width])
    return shape.transpose(apart, perm=(0, 2, 1, 3))
