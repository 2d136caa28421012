"""Layers with a running state of ONNX Runtime's own domain, and the norm that follows them."""

from __future__ import annotations

from typing import Literal

from nnir.dim import differ
from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import activation as activations
from nnir.ops import attention, norm
from nnir.recipes.causal_conv import convolve_causally

from ...table import Pair, Table

table = Table(prefix="com.microsoft::")


@table.convert("LinearAttention")
def linear_attention(
    query: Value,
    key: Value,
    value: Value,
    past_state: Value | None = None,
    decay: Value | None = None,
    beta: Value | None = None,
    *,
    chunk_size: int = 64,
    kv_num_heads: int,
    q_num_heads: int,
    scale: float = 0.0,
    state_window: Literal[0] = 0,
    update_rule: str = "gated_delta",
) -> Pair:
    """`chunk_size` says how many steps are computed at once, and changes no value."""
    made: Pair = attention.linear_attention(
        *(query, key, value, past_state, decay, beta),
        q_num_heads=q_num_heads,
        kv_num_heads=kv_num_heads,
        update_rule=update_rule,
        scale=scale,
    )
    return made


@table.convert("CausalConvWithState")
def causal_conv(
    input: Value,
    weight: Value,
    bias: Value | None = None,
    past_state: Value | None = None,
    *,
    activation: Literal["none", "silu", "swish"] = "none",
    channels_last: Literal[0] = 0,
    dilation: Literal[1] = 1,
    ndim: Literal[1] = 1,
    state_window: Literal[0] = 0,
) -> Pair:
    return convolve_causally(input, weight, bias, past_state, activation=activation)


@table.convert("GatedRMSNorm")
def gated_rms_norm(
    x: Value,
    scale: Value,
    gate: Value,
    *,
    activation: Literal["silu", "swish", "sigmoid"] = "silu",
    epsilon: float = 1e-5,
) -> Value:
    """16-bit floats in float32, rounded at the end."""
    if scale.rank != 1 or x.rank < 1 or differ(scale.shape[0], x.shape[-1]):
        raise BadType(f"a normalisation of {x.type} with factors {scale.type}")
    wide, opening = norm.computing(x), norm.computing(gate)
    result = norm.rms_normalization(wide, norm.computing(scale), epsilon=epsilon)
    open_ = activations.sigmoid if activation == "sigmoid" else activations.swish
    return norm.same_precision(result * open_(opening), x)
