"""More formulas of `paddle_formulas`: dense layers, positions and counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle


def soft_relu(x: Any, threshold: float) -> Any:
    """ln(1 + exp(x)) of numbers that are moved into [-threshold, threshold] first."""
    return paddle.log(1 + paddle.exp(paddle.clip(x, -threshold, threshold)))


def legacy_matmul(x: Any, y: Any, transpose_x: bool, transpose_y: bool, alpha: float) -> Any:
    """paddle.matmul of Paddle 1, with a factor."""
    return alpha * paddle.matmul(x, y, transpose_x, transpose_y)


def gemm_epilogue(
    x: Any, w: Any, bias: Any, in_num_col_dims: int, activation_type: str, padding_weights: bool
) -> Any:
    """A dense layer whose rows are the first axes of x."""
    rows = paddle.flatten(x, in_num_col_dims)
    result = paddle.matmul(rows, w) + bias
    functional = paddle.nn.functional
    functions = {"relu": functional.relu, "gelu": functional.gelu}
    return functions[activation_type](result) if activation_type else result


def linear_v2(x: Any, weight: Any, bias: Any, transpose_weight: bool) -> Any:
    """paddle.nn.functional.linear."""
    return paddle.matmul(x, weight, transpose_y=transpose_weight) + bias


def batch_fc(x: Any, w: Any, bias: Any) -> Any:
    """A dense layer for each of several groups."""
    return paddle.matmul(x, w) + paddle.unsqueeze(bias, 1)


def max_with_index(x: Any, dim: int, keepdim: bool, flatten: bool) -> Any:
    """paddle.compat.max."""
    axis = None if flatten else dim
    return paddle.max(x, axis, keepdim), paddle.argmax(x, axis, keepdim)


def min_with_index(x: Any, dim: int, keepdim: bool, flatten: bool) -> Any:
    """paddle.compat.min."""
    axis = None if flatten else dim
    return paddle.min(x, axis, keepdim), paddle.argmin(x, axis, keepdim)


def sparse_weight_embedding(x: Any, weight: Any, padding_idx: int, sparse: bool) -> Any:
    """paddle.nn.functional.embedding of Paddle 1."""
    return paddle._C_ops.embedding(x, weight, padding_idx, sparse)


def int_bincount(x: Any, low: int, high: int, dtype: Any) -> Any:
    """paddle.bincount between two bounds."""
    return paddle.bincount(x, minlength=high)[low:high].astype(dtype)


FORMULAS: dict[str, Callable[..., Any]] = {
    "batch_fc": batch_fc,
    "gemm_epilogue": gemm_epilogue,
    "int_bincount": int_bincount,
    "legacy_matmul": legacy_matmul,
    "linear_v2": linear_v2,
    "max_with_index": max_with_index,
    "min_with_index": min_with_index,
    "soft_relu": soft_relu,
    "sparse_weight_embedding": sparse_weight_embedding,
}
