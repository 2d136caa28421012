"""Attention in which a query may see no key.

Its weights are 0 and not NaN, which costs as much as the products where all scores are looked at. A
plain softmax says by itself that there is such a row: NaN is in its first column. Only then the
product is made again, of weights that are looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from nnir.model import Model, Operation, Value
from nnir.ops import attention, compare, linear, reduce
from nnir.types import Precision

from .emitter import Emitter, Operand, Ref

LARGE = 1 << 16
"""Scores from which on looking at them takes longer than a branch."""


def is_mended_later(weights: Value, *, for_file: bool) -> bool:
    """Whether the products that read some weights see to queries that see nothing."""
    return (
        not for_file
        and _maker(weights) is not None
        and weights.is_static
        and prod(weights.sizes) >= LARGE
        and weights not in weights.model.outputs
        and all(weighs(reader, weights) for reader in weights.uses)
    )


def _maker(weights: Value) -> Operation | None:
    """The softmax along the last axis that makes some weights."""
    maker = weights.producer
    if maker is None or maker.operator is not attention.safe_softmax:
        return None
    return maker if maker.attributes["axis"] in (-1, weights.rank - 1) else None


def weighs(reader: Operation, weights: Value) -> bool:
    """Whether an operation multiplies weights with a matrix of values as they stand."""
    if reader.operator is not linear.mat_mul or any(reader.attributes.values()):
        return False
    first, values = reader.inputs
    return first is weights and values is not weights and values is not None and values.rank > 1


def mended_product(
    g: Emitter, weights: Value, written: Operand, values: Value, product: Ref
) -> Ref:
    """The product of weights that a plain softmax made with values, made again where there is a
    query that sees nothing. `written`: the weights as the product takes them."""
    maker = _maker(weights)
    if maker is None or maker.inputs[0] is None:
        raise RuntimeError(f"{weights!r} are no weights of a softmax")
    scores = maker.inputs[0]
    again = Model("blind")
    named = {"scores": scores, "weights": weights, "values": values}
    x, w, y = (again.input(name, value.type) for name, value in named.items())
    seen = compare.not_equal(x, -np.inf).cast(Precision.FLOAT32)
    is_nothing = compare.equal(reduce.reduce_sum(seen, [-1], keepdim=True), 0.0)
    again.outputs = [linear.mat_mul(compare.where(is_nothing, 0, w), y)]
    return mend(g, product, g.take(weights), again, [scores, written, values])


def mend(g: Emitter, product: Ref, sign: Ref, again: Model, operands: Sequence[Operand]) -> Ref:
    """A product, or what `again` makes of operands where the first column of a `sign` holds NaN."""
    first = g.node("Slice", sign, g.ints(0), g.ints(1), g.ints(-1))
    is_blind = g.node("IsNaN", g.node("ReduceSum", first, keepdims=0))
    same = Model("seeing")
    same.outputs = [same.input("product", g.operation.outputs[0].type)]
    return g.node(
        "If",
        is_blind,
        precision=product.precision,
        then_branch=g.branch(again, operands),
        else_branch=g.branch(same, [product]),
    )
