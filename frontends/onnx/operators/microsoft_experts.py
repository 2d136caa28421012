"""Mixtures of experts of ONNX Runtime's own domain."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, unary
from nnir.recipes.experts import Layer, mix_experts, share_out, swiglu_of_pairs
from nnir.recipes.packed import dequantize_experts
from nnir.records import dataclass

from ...table import Absent, Attributes, Maybe, Table

table = Table(prefix="com.microsoft::")


@dataclass(frozen=True)
class Activation(Attributes):
    """What lies between the layers of an expert."""

    activation_alpha: float = 1.0
    activation_beta: float = 0.0
    activation_type: Literal["relu", "gelu", "silu", "swiglu", "identity"] = "relu"
    swiglu_fusion: int = 0
    swiglu_limit: float | None = None

    def function(self) -> Callable[[Value], Value]:
        """The function of values; ONNX Runtime has SwiGLU of pairs alone."""
        kind, fusion = self.activation_type, self.swiglu_fusion
        if (kind == "swiglu") != (fusion == 1):
            given = f"activation_type={kind!r}, swiglu_fusion={fusion}"
            raise Unsupported(f"experts with {given}: swiglu needs 1, the others 0")
        functions: dict[str, Callable[[Value], Value]] = {
            "gelu": partial(activation.gelu, approximate=True),
            "identity": unary.assign,
            "relu": activation.relu,
            "silu": activation.swish,
            "swiglu": self._gate_pairs,
        }
        return functions[kind]

    def _gate_pairs(self, x: Value) -> Value:
        return swiglu_of_pairs(x, self.activation_alpha, self.activation_beta, self.swiglu_limit)


@table.convert("MoE")
def mixture_of_experts(
    input: Value,
    router_probs: Value,
    fc1_experts_weights: Value,
    fc1_experts_bias: Maybe,
    fc2_experts_weights: Value,
    fc2_experts_bias: Maybe = None,
    fc3_experts_weights: Absent = None,
    fc3_experts_bias: Absent = None,
    *,
    between: Activation,
    k: int = 1,
    normalize_routing_weights: bool = False,
    use_sparse_mixer: Literal[0] = 0,
) -> Value:
    if fc1_experts_weights.rank != 3:
        raise Unsupported(f"MoE with {fc1_experts_weights.type}")
    shares = share_out(router_probs, k, normalized=normalize_routing_weights)
    into = Layer(fc1_experts_weights, fc1_experts_bias)
    out = Layer(fc2_experts_weights, fc2_experts_bias)
    return mix_experts(input, shares, into, between.function(), out)


@dataclass(frozen=True)
class Storage(Attributes):
    """How weights are kept: integers in blocks of rows, as they are or for an engine's own layout,
    which ONNX Runtime's kernel for the processor does not know. `accuracy_level` says how far
    tokens may be rounded; nothing is rounded here."""

    accuracy_level: Literal[0, 1, 2, 3, 4] = 0
    block_size: int = 0
    expert_weight_bits: Literal[2, 4, 8] = 4
    fc1_expert_weight_bits: Literal[0, 2, 4, 8] = 0
    fc2_expert_weight_bits: Literal[0, 2, 4, 8] = 0
    fc3_expert_weight_bits: Literal[0, 2, 4, 8] = 0
    quant_type: Literal["int"] = "int"
    weights_prepacked: Literal[-1, 0] = -1

    def require_one_width(self) -> None:
        """Unsupported where a third layer, which lies in the first, has other integers than it."""
        first, third = self.fc1_expert_weight_bits, self.fc3_expert_weight_bits
        if third and third != (first or self.expert_weight_bits):
            raise Unsupported(f"QMoE with fc3_expert_weight_bits={third}, not those of the first")

    def unpack(
        self, weights: np.ndarray, scales: Maybe, zero_points: np.ndarray | None, bits: int
    ) -> Value:
        """The weights of a layer of all experts; only those that are no integers have no scales."""
        if scales is None:
            raise BadType("QMoE of integers without scales")
        bits = bits or self.expert_weight_bits
        return dequantize_experts(weights, scales, zero_points, bits, self.block_size)


@table.convert("QMoE")
def quantised_mixture_of_experts(
    input: Value,
    router_probs: Value,
    fc1_experts_weights: np.ndarray,
    fc1_scales: Maybe,
    fc1_experts_bias: Maybe,
    fc2_experts_weights: np.ndarray,
    fc2_scales: Maybe = None,
    fc2_experts_bias: Maybe = None,
    fc3_experts_weights: Absent = None,
    fc3_scales: Absent = None,
    fc3_experts_bias: Absent = None,
    fc1_zero_points: np.ndarray | None = None,
    fc2_zero_points: np.ndarray | None = None,
    fc3_zero_points: Absent = None,
    router_weights: Maybe = None,
    fc1_global_scale: Absent = None,
    fc2_global_scale: Absent = None,
    fc1_act_scale: Absent = None,
    fc2_act_scale: Absent = None,
    fc1_act_block_scale: Absent = None,
    fc2_act_block_scale: Absent = None,
    *,
    between: Activation,
    k: int = 1,
    normalize_routing_weights: bool = False,
    storage: Storage,
    use_sparse_mixer: Literal[0] = 0,
) -> Value:
    """Probabilities of the best experts have the sum 1 in ONNX Runtime's kernel even where
    `normalize_routing_weights` is 0, but not `router_weights`."""
    is_normalized = normalize_routing_weights or router_weights is None
    shares = share_out(router_probs, k, normalized=is_normalized, weights=router_weights)
    first = fc1_experts_weights, fc1_scales, fc1_zero_points, storage.fc1_expert_weight_bits
    second = fc2_experts_weights, fc2_scales, fc2_zero_points, storage.fc2_expert_weight_bits
    storage.require_one_width()
    into = Layer(storage.unpack(*first), fc1_experts_bias)
    out = Layer(storage.unpack(*second), fc2_experts_bias)
    return mix_experts(input, shares, into, between.function(), out)
