"""Mixtures of experts of ONNX Runtime's own domain."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from nnir.errors import Unsupported
from nnir.model import Value
from nnir.ops import activation, unary
from nnir.recipes.experts import Layer, mix_experts, swiglu_of_pairs

from ...table import Absent, Table

table = Table(prefix="com.microsoft::")


@table.convert("MoE")
def mixture_of_experts(
    input: Value,
    router_probs: Value,
    fc1_experts_weights: Value,
    fc1_experts_bias: Value | None,
    fc2_experts_weights: Value,
    fc2_experts_bias: Value | None = None,
    fc3_experts_weights: Absent = None,
    fc3_experts_bias: Absent = None,
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
    if (activation_type == "swiglu") != (swiglu_fusion == 1) or fc1_experts_weights.rank != 3:
        given = f"{fc1_experts_weights.type}, {activation_type=}, {swiglu_fusion=}"
        raise Unsupported(f"MoE with {given}: swiglu needs 1, the others 0")
    activations: dict[str, Callable[[Value], Value]] = {
        "gelu": partial(activation.gelu, approximate=True),
        "identity": unary.assign,
        "relu": activation.relu,
        "silu": activation.swish,
        "swiglu": lambda x: swiglu_of_pairs(x, activation_alpha, activation_beta, swiglu_limit),
    }
    return mix_experts(
        input,
        router_probs,
        Layer(fc1_experts_weights, fc1_experts_bias),
        activations[activation_type],
        Layer(fc2_experts_weights, fc2_experts_bias),
        k,
        normalized=normalize_routing_weights,
    )
