"""ONNX Runtime's weights of 2, 4 and 8 bits in blocks (com.microsoft), as language models have
them: blocked DEQUANTIZE_LINEAR in front of an operator."""

from __future__ import annotations

from typing import Literal

import numpy as np

from nnir.model import Value
from nnir.ops import linear
from nnir.recipes import packed

from ...table import Absent, Maybe, Table

table = Table(prefix="com.microsoft::")
table.same({"GatherBlockQuantized": packed.gather_blocks})


@table.convert("MatMulNBits")
def mat_mul_n_bits(
    a: Value,
    b: np.ndarray,
    scales: Value,
    zero_points: packed.Known | None = None,
    g_idx: Absent = None,
    bias: Maybe = None,
    *,
    K: int,  # noqa: N803  the names are those of ONNX Runtime
    N: int,  # noqa: N803  as above
    accuracy_level: Literal[0, 1, 2, 3, 4] = 0,
    bits: Literal[2, 4, 8] = 4,
    block_size: int,
    weight_prepacked: Literal[0] = 0,
) -> Value:
    """x W^T. `accuracy_level` says how far `a` may be rounded; nothing is rounded here."""
    how = (N, K), bits, block_size, a.precision
    weights = packed.dequantize_blocks(b, scales, zero_points, *how)
    product = linear.mat_mul(a, weights, transpose_y=True)
    return product if bias is None else product + bias


@table.convert("MatMulBnb4")
def mat_mul_bnb_4(
    a: Value,
    b: np.ndarray,
    absmax: np.ndarray,
    *,
    K: int,  # noqa: N803  the names are those of ONNX Runtime
    N: int,  # noqa: N803  as above
    block_size: int,
    quant_type: Literal[0, 1],
    training_mode: bool = False,
    transB: Literal[1] = 1,  # noqa: N803  as above
) -> Value:
    """x W^T. The codes are looked up once, when the model is converted: DEQUANTIZE_LINEAR knows
    integers alone."""
    codes = (packed.FP4, packed.NF4)[quant_type]
    weights = packed.look_up_codes(b, absmax, (N, K), block_size, codes)
    return linear.mat_mul(a, a.model.constant(weights, a.dtype), transpose_y=True)
