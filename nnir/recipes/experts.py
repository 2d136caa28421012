"""Mixtures of experts: layers of which each token counts a few, as a router says."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from .. import build
from ..errors import BadType
from ..model import Value
from ..ops import activation, compare, generate, index, linear, norm, reduce, shape, sort
from .shape import flip


class Layer(NamedTuple):
    """A dense layer of each expert: weights [experts, out, in], biases [experts, out]."""

    weights: Value
    bias: Value | None

    def apply(self, x: Value) -> Value:
        """What each expert's layer gives, [experts, tokens, out]."""
        product = linear.mat_mul(x, norm.computing(self.weights), transpose_y=True)
        if self.bias is None:
            return product
        return product + shape.unsqueeze(norm.computing(self.bias), [1])


def mix_experts(
    x: Value, shares: Value, into: Layer, activate: Callable[[Value], Value], out: Layer
) -> Value:
    """Every expert sees every token [..., size], and what it says counts by its share [tokens,
    experts]."""
    *rows, size = build.sizes_of(x)
    tokens = build.reshape(norm.computing(x), [1, build.product(rows), size])
    outputs = out.apply(activate(into.apply(tokens)))
    column = shape.unsqueeze(shape.transpose(shares, perm=(1, 0)), [2])
    counted = compare.where(compare.equal(column, 0), 0, outputs * column)
    total = reduce.reduce_sum(counted, [0], keepdim=False)
    return norm.same_precision(build.reshape(total, [*rows, size]), x)


def swiglu_of_pairs(x: Value, alpha: float, beta: float, limit: float | None) -> Value:
    """SwiGLU of numbers side by side: what is gated is the second one of each pair."""
    first, second = (index.slice_(x, [-1], [k], [build.END], [2]) for k in (0, 1))
    if limit is not None:
        first = compare.where(first > limit, limit, first)
        second = activation.clip(second, -limit, limit)
    return first * activation.sigmoid(first * alpha) * (second + beta)


def share_out(
    router: Value, count: int, *, normalized: bool, weights: Value | None = None
) -> Value:
    """What each expert counts of each token [tokens, experts]: 0, but for the `count` best.

    Those by the router's scores have their probability, or what `weights` [tokens, experts] say,
    `normalized` to 1 on request. Of equal ones ONNX Runtime takes the last, TOP_K the first.
    """
    if router.rank != 2 or count < 1:
        raise BadType(f"the {count} best experts by {router.type}")
    chances = flip(activation.softmax(norm.computing(router), axis=-1), (1,))
    best, places = sort.top_k(chances, [count], axis=1)
    if weights is not None:
        best = index.gather_elements(flip(norm.computing(weights), (1,)), places, axis=1)
    if normalized:
        best = best / reduce.reduce_sum(best, [1], keepdim=True)
    nothing = generate.fill_like(chances, chances.scalar(0))
    return flip(index.scatter_elements(nothing, places, best, axis=1), (1,))
