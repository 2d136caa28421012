"""Layers with a running state of ONNX Runtime's own domain, and the norm that follows them."""

from __future__ import annotations

from typing import Literal

from nnir.dim import differ
from nnir.errors import BadType
from nnir.model import Value
from nnir.ops import activation as activations
from nnir.ops import attention, norm
from nnir.recipes.causal_conv import convolve_causally

from ...table import Table

table = Table(prefix="com.microsoft::")
table.same({"LinearAttention": attention.linear_attention}, only={"state_window": 0})
table.same(
    {"CausalConvWithState": convolve_causally},
    only={"channels_last": 0, "dilation": 1, "ndim": 1, "state_window": 0},
)


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
