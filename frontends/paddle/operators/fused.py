"""Paddle's operators that several others were fused to."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir import build
from nnir.broadcast import axis_of
from nnir.dim import Expr
from nnir.errors import BadType, Unsupported
from nnir.model import Value
from nnir.ops import activation, binary, compare, linear, norm, shape, unary

from ...table import Ints, Items, Pair, Table
from . import attention
from .activation import drop_nothing
from .boxes import times
from .conv import straight
from .norm import group_norm, normalize_layer

table = Table()


def activate(op: str, x: Value, name: str, alpha: float | None = None) -> Value:
    """An activation by its name; `alpha` where the operator says a slope."""
    match name:
        case "" | "identity" | "none":
            return x
        case "gelu":
            return activation.gelu(x)
        case "gelu_approximate":
            return activation.gelu(x, approximate=True)
        case "leaky_relu" if alpha is not None:
            return activation.leaky_relu(x, alpha=alpha)
        case "relu":
            return activation.relu(x)
        case "relu6":
            return activation.relu6(x)
        case "sigmoid":
            return activation.sigmoid(x)
        case "silu" | "swish":
            return activation.swish(x)
        case "tanh":
            return activation.tanh(x)
    raise Unsupported(f"{op} with the activation {name!r}")


def gate(op: str, x: Value, name: str) -> Value:
    """One half of the last axis through an activation, times the other."""
    size = x.shape[-1]
    if isinstance(size, Expr) or size % 2:
        raise BadType(f"{op} with {name} of {x.type}")
    first, second = shape.split(x, [size // 2] * 2, axis=-1)
    return activate(op, first, "swish" if name == "swiglu" else "gelu") * second


@table.convert("fused_gemm_epilogue")
def fused_gemm_epilogue(
    x: Value,
    y: Value,
    bias: Value,
    trans_x: bool,
    trans_y: bool,
    activation: str,
) -> Value:
    """Its gelu is the approximate one (cuBLASLt's epilogue)."""
    product = linear.mat_mul(x, y, transpose_x=trans_x, transpose_y=trans_y)
    name = "gelu_approximate" if activation == "gelu" else activation
    return activate("fused_gemm_epilogue", product + bias, name)


@table.convert("fused_bias_act")
def fused_bias_act(
    x: Value,
    bias: Value | None,
    dequant_scales: Value | None,
    shift: Value | None,
    smooth: Value | None,
    act_method: str,
    compute_dtype: str,
    quant_scale: float,
    quant_round_type: int,
    quant_max_bound: float,
    quant_min_bound: float,
) -> Value:
    if quant_scale > 0 or any(v is not None for v in (dequant_scales, shift, smooth)):
        raise Unsupported("fused_bias_act with quantisation")
    whole = x if bias is None else x + bias
    if act_method in ("swiglu", "geglu"):
        return gate("fused_bias_act", whole, act_method)
    return activate("fused_bias_act", whole, act_method)


@table.convert("fused_dropout_add")
def fused_dropout_add(
    x: Value,
    y: Value,
    seed_tensor: Value | None,
    p: float,
    is_test: bool,
    mode: str,
    seed: int,
    fix_seed: bool,
) -> Value:
    return drop_nothing(x, p, is_test, mode) + y


@table.convert("fused_softmax_mask")
def fused_softmax_mask(x: Value, mask: Value) -> Value:
    return activation.softmax(x + mask.cast(x.precision), axis=-1)


@table.convert("fused_softmax_mask_upper_triangle")
def fused_softmax_mask_upper_triangle(X: Value) -> Value:  # noqa: N803  Paddle's name
    """Every row sees the elements up to the diagonal."""
    seen = build.arange_along(X, -1) <= shape.unsqueeze(build.arange_along(X, -2), [1])
    return activation.softmax(compare.where(seen, X, -np.inf), axis=-1)


@table.convert("fused_conv2d_add_act")
def fused_conv2d_add_act(
    input: Value,
    filter: Value,
    bias: Value | None,
    residual_data: Value | None,
    strides: Ints,
    paddings: Ints,
    padding_algorithm: str,
    dilations: Ints,
    groups: int,
    data_format: str,
    activation: str,
    split_channels: Ints,
    exhaustive_search: bool,
    workspace_size_MB: int,  # noqa: N803  Paddle's name
    fuse_alpha: float,
) -> Value:
    if split_channels:
        raise Unsupported(f"fused_conv2d_add_act with {split_channels=}")
    given = (strides, paddings, padding_algorithm, dilations, groups, data_format)
    made = straight("fused_conv2d_add_act", input, filter, *given)
    if bias is not None:
        after = [1, 1] if data_format == "NCHW" else []
        made = made + (shape.unsqueeze(bias, after) if after else bias)
    if residual_data is not None:
        made = made + residual_data
    return activate("fused_conv2d_add_act", made, activation, fuse_alpha)


@table.convert("skip_layernorm")
def skip_layernorm(
    x: Value, y: Value, scale: Value, bias: Value, epsilon: float, begin_norm_axis: int
) -> Value:
    return normalize_layer(x + y, scale, bias, epsilon, begin_norm_axis)


@table.convert("fast_ln")
def fast_ln(x: Value, scale: Value, bias: Value, epsilon: float) -> Value:
    return normalize_layer(x, scale, bias, epsilon, x.rank - 1)


@table.convert("fast_rms_norm", "fused_rms_norm_ext")
def fast_rms_norm(x: Value, scale: Value, epsilon: float) -> Value:
    return norm.rms_normalization(x, scale, begin_norm_axis=x.rank - 1, epsilon=epsilon)


def add_bias_and_residual(
    x: Value, bias: Value | None, residual: Value | None, alpha: float = 1.0
) -> Value:
    """A tensor with its bias and what went around it."""
    whole = x if bias is None else x + bias
    return whole if residual is None else whole + times(residual, alpha)


def require_floats(op: str, quant_scale: float) -> None:
    """Unsupported where the result would be of 8 bits."""
    if quant_scale > 0:
        raise Unsupported(f"{op} with {quant_scale=}")


@table.convert("fused_bias_residual_layernorm")
def fused_bias_residual_layernorm(
    x: Value,
    bias: Value | None,
    residual: Value | None,
    norm_weight: Value | None,
    norm_bias: Value | None,
    epsilon: float,
    residual_alpha: float,
    begin_norm_axis: int,
    quant_scale: float,
    quant_round_type: int,
    quant_max_bound: float,
    quant_min_bound: float,
) -> tuple[Value, Value | None]:
    """Without weights only the sum is wanted."""
    require_floats("fused_bias_residual_layernorm", quant_scale)
    whole = add_bias_and_residual(x, bias, residual, residual_alpha)
    if norm_weight is None and norm_bias is None:
        return whole, None
    result = normalize_layer(whole, norm_weight, norm_bias, epsilon, begin_norm_axis)
    return result, whole if residual is not None else None


@table.convert("fused_rms_norm_quant")
def fused_rms_norm_quant(
    x: Value,
    bias: Value | None,
    residual: Value | None,
    norm_weight: Value,
    norm_bias: Value | None,
    epsilon: float,
    begin_norm_axis: int,
    quant_scale: float,
    quant_round_type: int,
    quant_max_bound: float,
    quant_min_bound: float,
) -> tuple[Value, Value | None]:
    require_floats("fused_rms_norm_quant", quant_scale)
    whole, begin = add_bias_and_residual(x, bias, residual), axis_of(begin_norm_axis, x.rank)
    dims = [int(d) for d in x.shape[begin:]] if norm_weight.rank < x.rank - begin else None  # type: ignore[arg-type]
    weight = norm_weight if dims is None else shape.reshape(norm_weight, dims)
    result = norm.rms_normalization(whole, weight, begin_norm_axis=begin, epsilon=epsilon)
    if norm_bias is not None:
        result = result + norm_bias
    return result, whole if residual is not None else None


@table.convert("fused_bias_dropout_residual_layer_norm")
def fused_bias_dropout_residual_layer_norm(
    x: Value,
    residual: Value,
    bias: Value | None,
    ln_scale: Value | None,
    ln_bias: Value | None,
    dropout_rate: float,
    is_test: bool,
    dropout_fix_seed: bool,
    dropout_seed: int,
    dropout_implementation: str,
    ln_epsilon: float,
) -> Pair:
    left = drop_nothing(
        add_bias_and_residual(x, bias, None), dropout_rate, is_test, dropout_implementation
    )
    whole = left + residual
    return normalize_layer(whole, ln_scale, ln_bias, ln_epsilon, x.rank - 1), whole


@table.convert("fused_fc_elementwise_layernorm")
def fused_fc_elementwise_layernorm(
    x: Value,
    w: Value,
    y: Value,
    bias0: Value | None,
    scale: Value | None,
    bias1: Value | None,
    x_num_col_dims: int,
    activation_type: str,
    epsilon: float,
    begin_norm_axis: int,
) -> Value:
    rows = x
    if x.rank != x_num_col_dims + 1:
        rows = shape.flatten(x, start_axis=x_num_col_dims, end_axis=-1)
    dense = add_bias_and_residual(linear.mat_mul(rows, w), bias0, None)
    dense = activate("fused_fc_elementwise_layernorm", dense, activation_type)
    return normalize_layer(dense + y, scale, bias1, epsilon, begin_norm_axis)


@table.convert("add_group_norm_silu")
def add_group_norm_silu(
    x: Value,
    residual: Value | None,
    scale: Value | None,
    bias: Value | None,
    epsilon: float,
    groups: int,
    data_format: str,
    activation: str,
) -> Pair:
    whole = add_bias_and_residual(x, None, residual)
    made = group_norm(whole, scale, bias, epsilon, groups, data_format)
    return activate("add_group_norm_silu", made, activation), whole


@table.convert("fusion_squared_mat_sub")
def fusion_squared_mat_sub(x: Value, y: Value, scalar: float) -> tuple[Value, ...]:
    """(x y)**2 - x**2 y**2, times a number."""
    squares = [unary.square(v) for v in (x, y)]
    product = unary.square(linear.mat_mul(x, y))
    result = times(product - linear.mat_mul(*squares), scalar)
    return *squares, product, result


@table.convert("fusion_repeated_fc_relu")
def fusion_repeated_fc_relu(x: Value, w: Items, bias: Items) -> tuple[list[Value], Value]:
    """Dense layers, one after the other."""
    made: list[Value] = []
    for weight, shift in zip(w, bias, strict=True):
        x = activation.relu(linear.mat_mul(x, weight) + shift)
        made.append(x)
    return made[:-1], x


def _elementwise(name: str, operator: Any) -> None:
    def convert(
        x: Value,
        y: Value,
        axis: int,
        fuse_activation: str,
        fuse_alpha: float,
        fuse_beta: float,
        fused_output_scale: float,
        fused_unsqueeze2_axes: Ints,
        scale_x: float,
        scale_y: float,
        scale_out: float,
    ) -> Value:
        """On the CPU nothing is fused to it."""
        fused = fuse_activation or fused_unsqueeze2_axes or fuse_alpha or fuse_beta
        if fused or axis != -1 or {fused_output_scale, scale_x, scale_y, scale_out} != {1.0}:
            raise Unsupported(f"{name} with what was fused to it")
        return operator(x, y)

    table.convert(name)(convert)


_elementwise("fused_elementwise_add", binary.add)
_elementwise("fused_elementwise_sub", binary.sub)
_elementwise("fused_elementwise_mul", binary.mul)
_elementwise("fused_elementwise_div", binary.div)


table = Table.merge([table, attention.table])
