"""Mixtures of experts of ONNX Runtime's own domain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from nnir import build
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, compare, generate, index, linear, norm, reduce, shape, sort, unary
from nnir.recipes.shape import flip

from ...table import Table

table = Table(prefix="com.microsoft::")
ACTIVATIONS: Mapping[str, Callable[[Value], Value]] = {
    "gelu": partial(activation.gelu, approximate=True),
    "identity": unary.assign,
    "relu": activation.relu,
    "silu": activation.swish,
}


@table.convert("MoE")
def mixture_of_experts(
    input: Value,
    router_probs: Value,
    fc1_experts_weights: Value,
    fc1_experts_bias: Value | None,
    fc2_experts_weights: Value,
    fc2_experts_bias: Value | None = None,
    fc3_experts_weights: Value | None = None,
    fc3_experts_bias: Value | None = None,
    *,
    activation_alpha: float = 1.0,
    activation_beta: float = 0.0,
    activation_type: Literal["relu", "gelu", "silu", "swiglu", "identity"] = "relu",
    k: int = 1,
    normalize_routing_weights: bool = False,
    swiglu_fusion: int = 0,
    swiglu_limit: float | None = None,
    use_sparse_mixer: Literal[0] = 0,
) -> Value:
    """Every expert sees every token, and what it says counts by its share, of most of them none."""
    if fc3_experts_weights is not None or fc3_experts_bias is not None:
        raise Unsupported("MoE with fc3_experts_weights: the gate must be in fc1 (swiglu_fusion=1)")
    if (activation_type == "swiglu") != (swiglu_fusion == 1) or fc1_experts_weights.rank != 3:
        given = f"{fc1_experts_weights.type}, {activation_type=}, {swiglu_fusion=}"
        raise Unsupported(f"MoE with {given}: swiglu needs 1, the others 0")
    *rows, size = build.sizes_of(input)
    tokens = build.reshape(norm.computing(input), [1, build.product(rows), size])
    hidden = _dense(tokens, fc1_experts_weights, fc1_experts_bias)
    if activation_type == "swiglu":
        hidden = _gate(hidden, activation_alpha, activation_beta, swiglu_limit)
    else:
        hidden = ACTIVATIONS[activation_type](hidden)
    outputs = _dense(hidden, fc2_experts_weights, fc2_experts_bias)
    shares = _shares(norm.computing(router_probs), k, normalize_routing_weights)
    column = shape.unsqueeze(shape.transpose(shares, perm=(1, 0)), [2])
    counted = compare.where(compare.equal(column, 0), 0, outputs * column)
    total = reduce.reduce_sum(counted, [0], keepdim=False)
    return norm.same_precision(build.reshape(total, [*rows, size]), input)


def _dense(x: Value, weights: Value, bias: Value | None) -> Value:
    """Each expert's layer, [experts, tokens, features]."""
    product = linear.mat_mul(x, norm.computing(weights), transpose_y=True)
    return product if bias is None else product + shape.unsqueeze(norm.computing(bias), [1])


def _gate(x: Value, alpha: float, beta: float, limit: float | None) -> Value:
    """SwiGLU of numbers side by side: what is gated is the second one of each pair."""
    first, second = (index.slice_(x, [-1], [k], [build.END], [2]) for k in (0, 1))
    if limit is not None:
        first = compare.where(first > limit, limit, first)
        second = activation.clip(second, -limit, limit)
    return first * activation.sigmoid(first * alpha) * (second + beta)


def _shares(router: Value, count: int, normalized: bool) -> Value:
    """What each expert counts of each token: its probability if it is among the largest, else 0.

    Of equal ones ONNX Runtime takes the last, TOP_K the first.
    """
    if router.rank != 2 or count < 1:
        raise BadType(f"MoE of the {count} best experts by {router.type}")
    chances = flip(activation.softmax(router, axis=-1), (1,))
    best, places = sort.top_k(chances, [count], axis=1)
    if normalized:
        best = best / reduce.reduce_sum(best, [1], keepdim=True)
    nothing = generate.fill_like(chances, chances.scalar(0))
    return flip(index.scatter_elements(nothing, places, best, axis=1), (1,))
