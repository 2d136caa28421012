"""Operators whose kernels Paddle has for other devices only, by its own operators on the CPU.

The formulas are those of the documentation of Paddle's functions of the same name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle
from paddle.nn import functional as F  # noqa: N812  as Paddle's documentation calls it

from . import paddle_products


def rms_norm(x: Any, scale: Any, normalized_shape: list[int], epsilon: float) -> Any:
    """paddle.nn.functional.rms_norm, and the factor of every row."""
    axes = list(range(x.ndim - len(normalized_shape), x.ndim))
    inverse = paddle.rsqrt(paddle.mean(x * x, axis=axes, keepdim=True) + epsilon)
    result = x * inverse
    return result if scale is None else result * scale, paddle.squeeze(inverse, axes)


def argmax(x: Any, axis: int, keepdims: bool, flatten: bool, dtype: Any) -> Any:
    """Its function takes other arguments than the operator; the type is a name."""
    return paddle.argmax(x, None if flatten else axis, keepdims, dtype.name.lower())


def argmin(x: Any, axis: int, keepdims: bool, flatten: bool, dtype: Any) -> Any:
    """As `argmax`."""
    return paddle.argmin(x, None if flatten else axis, keepdims, dtype.name.lower())


def dequantize_linear(x: Any, scale: Any, zero_point: Any, *rest: Any) -> Any:
    """The kernel under its old name: the function of the new one calls quantize_linear."""
    names = ("quant_axis", "bit_length", "qmin", "qmax", "round_type", "is_test", "only_observer")
    given = [v for pair in zip(names, rest[2:], strict=True) for v in pair]
    return paddle._legacy_C_ops.dequantize_linear(x, scale, zero_point, *given)


ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "": lambda x: x,
    "gelu": F.gelu,
    "geglu": lambda x: F.gelu(x.chunk(2, -1)[0]) * x.chunk(2, -1)[1],
    "identity": lambda x: x,
    "none": lambda x: x,
    "relu": F.relu,
    "relu6": F.relu6,
    "tanh": F.tanh,
    "sigmoid": F.sigmoid,
    "silu": F.silu,
    "swiglu": lambda x: F.swiglu(x),  # which Paddle 3.0 does not have
    "swish": F.silu,
}


def fused_gemm_epilogue(
    x: Any, y: Any, bias: Any, trans_x: bool, trans_y: bool, activation: str
) -> Any:
    """paddle.incubate.nn.functional.fused_linear_activation; its gelu is that of tanh."""
    product = paddle.matmul(x, y, trans_x, trans_y) + bias
    is_gelu = activation == "gelu"
    return F.gelu(product, approximate=True) if is_gelu else ACTIVATIONS[activation](product)


def fused_bias_act(x: Any, bias: Any, *rest: Any) -> Any:
    """paddle.incubate.nn.functional.fused_bias_act."""
    return ACTIVATIONS[rest[3]](x if bias is None else x + bias)


def fused_dropout_add(
    x: Any, y: Any, seed: Any, p: float, is_test: bool, mode: str, *_: Any
) -> Any:
    """paddle.incubate.nn.functional.fused_dropout_add."""
    return F.dropout(x, p, training=not is_test, mode=mode) + y


def softmax_upper_triangle(x: Any) -> Any:
    """paddle.incubate.softmax_mask_fuse_upper_triangle."""
    seen = paddle.tril(paddle.ones(x.shape[-2:], "bool"))
    return F.softmax(paddle.where(seen, x, paddle.full_like(x, -float("inf"))))


def flash_attn(
    q: Any, k: Any, v: Any, seed: Any, mask: Any, dropout: float, causal: bool, *_: Any
) -> Any:
    """paddle.nn.functional.scaled_dot_product_attention."""
    return F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal)


def memory_efficient_attention(q: Any, k: Any, v: Any, bias: Any, *rest: Any) -> Any:
    """paddle.incubate.nn.memory_efficient_attention."""
    causal, _, scale, _ = rest[-4:]
    q, k, v = (paddle.transpose(x, [0, 2, 1, 3]) for x in (q, k, v))
    scores = paddle.matmul(q, k, transpose_y=True) * (scale if scale > 0 else q.shape[-1] ** -0.5)
    scores = scores if bias is None else scores + bias
    weights = softmax_upper_triangle(scores) if causal else F.softmax(scores)
    return paddle.transpose(paddle.matmul(weights, v), [0, 2, 1, 3])


def rotary(q: Any, k: Any, v: Any, sin: Any, cos: Any, ids: Any, pairs: bool, *_: Any) -> list[Any]:
    """paddle.incubate.nn.functional.fused_rotary_position_embedding, as its test computes it."""
    if ids is not None:
        sin, cos = (paddle.unsqueeze(paddle.squeeze(t, [0, 2])[ids], 2) for t in (sin, cos))
    found = []
    for x in (q, k, v):
        if x is None:
            continue
        if pairs:
            other = paddle.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)
        else:
            first, second = paddle.chunk(x, 2, axis=-1)
            other = paddle.concat([-second, first], axis=-1)
        found.append(x * cos + other * sin)
    return found


def fused_conv2d_add_act(x: Any, filter: Any, bias: Any, residual: Any, *rest: Any) -> Any:
    """A convolution, what is added to it and an activation."""
    strides, paddings, _, dilations, groups, _, activation, _, _, _, alpha = rest
    made = F.conv2d(x, filter, bias, strides, paddings, dilations, groups)
    made = made if residual is None else made + residual
    return (
        F.leaky_relu(made, alpha) if activation == "leaky_relu" else ACTIVATIONS[activation](made)
    )


def layer_norm(x: Any, scale: Any, bias: Any, epsilon: float, begin: int = -1) -> Any:
    """Over the axes from `begin` on."""
    sizes = x.shape[begin:]
    weights = (None if w is None else w.reshape(sizes) for w in (scale, bias))
    return F.layer_norm(x, sizes, *weights, epsilon)


def last_rms_norm(x: Any, scale: Any, epsilon: float) -> Any:
    """Over the last axis."""
    return rms_norm(x, scale, x.shape[-1:], epsilon)


def dropout_residual_norm(
    x: Any, residual: Any, bias: Any, scale: Any, shift: Any, *rest: Any
) -> Any:
    """paddle.incubate.nn.functional.fused_bias_dropout_residual_layer_norm."""
    rate, is_test, _, _, mode, epsilon = rest
    modes = {"downgrade_in_infer": "downscale_in_infer"}
    how = {"training": not is_test, "mode": modes.get(mode, mode)}
    whole = F.dropout(x if bias is None else x + bias, rate, **how)
    return layer_norm(whole + residual, scale, shift, epsilon), whole + residual


def fc_norm(x: Any, w: Any, y: Any, bias0: Any, scale: Any, bias1: Any, *rest: Any) -> Any:
    """A dense layer, a sum and a normalisation (phi's fused_fc_elementwise_layernorm)."""
    columns, activation, epsilon, begin = rest
    rows = paddle.flatten(x, columns) if x.ndim != columns + 1 else x
    dense = paddle.matmul(rows, w)
    dense = ACTIVATIONS[activation](dense if bias0 is None else dense + bias0)
    return layer_norm(dense + y, scale, bias1, epsilon, begin)


def group_norm_silu(x: Any, residual: Any, scale: Any, bias: Any, *rest: Any) -> Any:
    """A sum, a normalisation and an activation."""
    epsilon, groups, data_format, activation = rest
    whole = x if residual is None else x + residual
    made = F.group_norm(whole, groups, epsilon, scale, bias, data_format)
    return ACTIVATIONS[activation](made), whole


def dense_relus(x: Any, w: list[Any], bias: list[Any]) -> list[Any]:
    """paddle.nn.functional.linear and relu, again and again."""
    found = []
    for weight, shift in zip(w, bias, strict=True):
        x = F.relu(F.linear(x, weight, shift))
        found.append(x)
    return found


FORMULAS: dict[str, Callable[..., Any]] = {
    **paddle_products.FORMULAS,
    "add_group_norm_silu": group_norm_silu,
    "argmax": argmax,
    "argmin": argmin,
    "dequantize_linear": dequantize_linear,
    "dequantize_linear_": dequantize_linear,
    "fast_ln": layer_norm,
    "fast_rms_norm": last_rms_norm,
    "flash_attn": flash_attn,
    "fused_bias_act": fused_bias_act,
    "fused_bias_dropout_residual_layer_norm": dropout_residual_norm,
    "fused_conv2d_add_act": fused_conv2d_add_act,
    "fused_dropout_add": fused_dropout_add,
    "fused_fc_elementwise_layernorm": fc_norm,
    "fused_gemm_epilogue": fused_gemm_epilogue,
    "fused_rms_norm_ext": last_rms_norm,
    "fused_rotary_position_embedding": rotary,
    "fused_softmax_mask_upper_triangle": softmax_upper_triangle,
    "fusion_repeated_fc_relu": dense_relus,
    "memory_efficient_attention": memory_efficient_attention,
    "rms_norm": rms_norm,
    "skip_layernorm": lambda x, y, *rest: layer_norm(x + y, *rest),
}

PROGRAMS = frozenset({"fusion_squared_mat_sub", "gru_unit"})
"""Operators whose function keeps some of their results to itself."""
