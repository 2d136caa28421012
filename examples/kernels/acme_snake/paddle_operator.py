"""Lets Paddle know `acme_snake`: importing this loads its kernels."""

from __future__ import annotations

import paddle
from paddle.utils.cpp_extension import load_op_meta_info_and_register_op

from .build import library

load_op_meta_info_and_register_op(str(library("paddle")))


def snake(x: paddle.Tensor, alpha: float = 1.0) -> paddle.Tensor:
    """x + sin(alpha x)^2 / alpha."""
    return paddle._C_ops._run_custom_op("acme_snake", x, alpha)
