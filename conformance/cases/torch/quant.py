"""ATen quantisation, and the operators that PyTorch's quantised programs are written in."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import Unsupported
from nnir.types import Precision

from ...case import ROUNDS, Case, Limit, f, i, rand, scalar

I8, U8, I32 = Precision.INT8, Precision.UINT8, Precision.INT32
X = rand(3, 4, low=-9, high=9)
Q = rand(3, 4, dtype=np.int8, low=-128, high=127)
SCALES, ZEROS = f(0.5, 0.25, 0.125), i(3, -2, 0)
ROWS, ROW_ZEROS = rand(3, 1, low=0.1, high=0.5), i(3, -2, 0).reshape(3, 1)


def each(op: str, *rows: tuple[tuple[Any, ...], str]) -> list[Case]:
    """Cases of one operator of `quantized_decomposed`: inputs and why."""
    return [Case(f"quantized_decomposed.{op}", inputs, tol=ROUNDS, why=why) for inputs, why in rows]


def fake(op: str, *rows: tuple[tuple[Any, ...], str]) -> list[Case]:
    """Cases of one operator that rounds floats as if they were quantised."""
    return [Case(f"aten.fake_quantize_{op}", inputs, tol=ROUNDS, why=why) for inputs, why in rows]


CASES: list[Case] = [
    *each(
        "quantize_per_tensor.default",
        ((X, 0.125, 3, -128, 127, I8), "int8"),
        ((X, 0.25, 100, 0, 255, U8), "uint8"),
        ((X, 0.0625, 3, -7, 7, I8), "a small range"),
        ((f(-np.inf, np.inf, 0), 0.5, 0, -128, 127, I8), "infinity"),
        ((f(0.5, 1.5, 2.5, -0.5), 1.0, 1, -128, 127, I8), "halves"),
        ((X.astype(np.float16), 0.125, 3, -128, 127, I8), "half"),
        ((X, 0.001, 0, -(1 << 31), (1 << 31) - 1, I32), "int32"),
    ),
    Case(
        "quantized_decomposed.quantize_per_tensor.default",
        (X, 0.5, 0, 0, 1, Precision.FLOAT8E5M2),
        raises=Unsupported,
        why="a float type",
    ),
    *each(
        "quantize_per_tensor.tensor",
        ((X, f(0.125), i(3), -128, 127, I8), "plain"),
        ((X, scalar(0.5, np.float64), scalar(3, np.int64), -128, 127, I8), "no axes"),
    ),
    *each(
        "quantize_per_tensor.tensor2",
        ((X, f(0.125), i(3), i(-100), i(50), I8), "plain"),
    ),
    *each(
        "dequantize_per_tensor.default",
        ((Q, 0.1, 3, -128, 127, I8), "int8"),
        ((Q.view(np.uint8), 0.1, 128, 0, 255, U8), "uint8"),
    ),
    Case(
        "quantized_decomposed.dequantize_per_tensor.default",
        (Q, 0.125, 3, -128, 127, I8),
        {"out_dtype": Precision.FLOAT16},
        why="to half",
    ),
    *each("dequantize_per_tensor.tensor", ((Q, f(0.1), i(3), -128, 127, I8), "plain")),
    *each("dequantize_per_tensor.tensor2", ((Q, f(0.1), i(3), i(-128), i(127), I8), "plain")),
    *each(
        "quantize_per_channel.default",
        ((X, SCALES, ZEROS, 0, -128, 127, I8), "axis 0"),
        ((X.T.copy(), SCALES, ZEROS, 1, -5, 5, I8), "axis 1, a small range"),
    ),
    *each(
        "dequantize_per_channel.default",
        ((Q, SCALES, ZEROS, 0, -128, 127, I8), "axis 0"),
        ((Q, SCALES, None, 0, -128, 127, I8), "no zero points"),
    ),
    *each("quantize_per_token.default", ((X, ROWS, ROW_ZEROS, -128, 127, I8), "plain")),
    *each(
        "dequantize_per_token.default",
        ((Q, ROWS, ROW_ZEROS, -128, 127, I8, Precision.FLOAT32), "plain"),
        ((Q, np.float64(ROWS), ROW_ZEROS, -128, 127, I8, Precision.FLOAT32), "double scales"),
    ),
    *each(
        "quantize_per_channel_group.default",
        ((X, rand(3, 2, low=0.1, high=1), rand(3, 2, dtype=np.int64), -8, 7, I8, 2), "plain"),
    ),
    *each(
        "dequantize_per_channel_group.default",
        (
            (Q, rand(3, 2), rand(3, 2, dtype=np.int64), -128, 127, I8, 2, Precision.FLOAT32),
            "plain",
        ),
        ((Q, rand(3, 1), None, -128, 127, I8, 128, Precision.FLOAT32), "one group"),
    ),
    *each(
        "choose_qparams.tensor",
        ((X, -128, 127, 1e-5, I8), "plain"),
        ((np.abs(X), 0, 255, 1e-5, U8), "positive"),
        ((np.zeros(3, np.float32), -128, 127, 1e-5, I8), "zeros"),
    ),
    *each(
        "choose_qparams_symmetric.tensor",
        ((X, -128, 127, 1e-5, I8), "plain"),
        ((X, 0, 255, 1e-5, U8), "uint8"),
    ),
    *each(
        "choose_qparams_per_token.default",
        ((X, I8), "plain"),
        ((X.astype(np.float16), I8), "halves"),
        ((X.astype(np.float64), I8), "doubles"),
        ((f((1, np.inf), (np.nan, 2), (3, -4), (0, 0)), I8), "rows that are not finite"),
    ),
    *each("_choose_qparams_per_token_asymmetric_impl.default", ((X, I8), "plain")),
    *each("choose_qparams_per_token_asymmetric.default", ((np.abs(X), I8), "positive")),
    *each("fake_quant_per_channel.default", ((X, SCALES, ZEROS, 0, -8, 7), "plain")),
    *fake(
        "per_tensor_affine.default",
        ((X, 0.1, 3, -128, 127), "plain"),
        ((X, 0.5, 0, -7, 7), "a small range"),
    ),
    *fake("per_tensor_affine.tensor_qparams", ((X, f(0.1), i(3, dtype=np.int32), -128, 127), "")),
    *fake("per_tensor_affine_cachemask.default", ((X, 0.5, 0, -7, 7), "plain")),
    *fake(
        "per_channel_affine.default",
        ((X, SCALES, ZEROS.astype(np.int32), 0, -8, 7), "axis 0"),
    ),
    *fake(
        "per_channel_affine_cachemask.default",
        ((X.T.copy(), SCALES, ZEROS.astype(np.int32), 1, -8, 7), "axis 1"),
    ),
    *(
        Case(f"quantized_decomposed.{op}", given, {"out_dtype": kind}, tol=ROUNDS, why=kind.name)
        for op, given in (
            ("dequantize_per_tensor.tensor", (Q, f(0.125), i(3), -128, 127, I8)),
            ("dequantize_per_tensor.tensor2", (Q, f(0.125), i(3), i(-128), i(127), I8)),
            ("dequantize_per_channel.default", (Q, SCALES, ZEROS, 0, -128, 127, I8)),
        )
        for kind in (Precision.FLOAT16, Precision.FLOAT32)
    ),
]
LIMITS: list[Limit] = []
