"""Paddle's quantisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from nnir.errors import BadType, NNAdapterError, Unsupported

from ...case import ROUNDS, Case, f, i, rand

X = f(-3, -1.26, -0.5, 0.1, 0.49, 0.5, 1.5, 2.5, 9, -9)
M = rand(2, 3)
ONE, TWO = f(1), f(2)
SCALES = f(1, 2)
REST = (ONE, ONE)

FEW: tuple[dict[str, Any], ...] = ({"bit_length": 4}, {"round_type": 0})
RANGES: tuple[dict[str, Any], ...] = ({"window_size": 100}, *FEW)
MOVING: tuple[dict[str, Any], ...] = ({"moving_rate": 0.5}, *FEW)


def fake(
    op: str,
    *inputs: Any,
    why: str = "",
    raises: type[NNAdapterError] | None = None,
    **attrs: Any,
) -> Case:
    """An operator; of those that follow a scale from run to run only the first result counts."""
    read = 1 if "moving" in op or "range" in op else None
    return Case(op, inputs, attrs, tol=ROUNDS, why=why, raises=raises, read=read)


CASES = [
    fake("quantize_linear", X, TWO, f(0), *REST, quant_axis=-1),
    fake("quantize_linear", X, TWO, f(3), *REST, quant_axis=-1, why="a zero point"),
    fake("quantize_linear", X, TWO, f(0), *REST, quant_axis=-1, round_type=1),
    fake("quantize_linear", X, TWO, f(0), *REST, quant_axis=-1, qmin=-8, qmax=7, bit_length=4),
    fake("quantize_linear", M, SCALES, f(0, 0), *REST, quant_axis=0, why="of rows"),
    fake("quantize_linear", M, f(1, 2, 0.5), f(0, 0, 0), *REST, quant_axis=1, why="of columns"),
    fake("quantize_linear", X, f(0), f(0), *REST, quant_axis=-1, why="no scale"),
    fake("quantize_linear", X, TWO, f(0), *REST, quant_axis=-1, is_test=False, raises=Unsupported),
    fake("quantize_linear", X, TWO, f(0), *REST, quant_axis=-1, qmax=448, raises=Unsupported),
    fake("quantize_linear", X, TWO, f(0), *REST, quant_axis=-1, round_type=5, raises=Unsupported),
    fake(
        "quantize_linear",
        M,
        SCALES,
        f(0, 0),
        *REST,
        quant_axis=-1,
        raises=Unsupported,
        why="no axis",
    ),
    fake("quantize_linear_", X, TWO, f(0), *REST, quant_axis=-1),
    fake("dequantize_linear", X, TWO, f(0), *REST, quant_axis=-1),
    fake("dequantize_linear", M, SCALES, f(0, 0), *REST, quant_axis=0, why="of rows"),
    fake("dequantize_linear", X, TWO, f(0), *REST, quant_axis=-1, qmax=7, bit_length=4),
    fake("dequantize_linear_", X, TWO, f(0), *REST, quant_axis=-1),
    *(
        fake(op, X, bit_length=bits, round_type=way)
        for op in ("fake_quantize_abs_max", "fake_quantize_dequantize_abs_max")
        for bits, way in ((8, 0), (8, 1), (4, 1))
    ),
    fake("fake_channel_wise_quantize_abs_max", M),
    fake("fake_channel_wise_quantize_abs_max", M, quant_axis=1, round_type=0),
    fake("fake_channel_wise_quantize_abs_max", M, is_test=True, raises=Unsupported),
    fake("fake_channel_wise_quantize_dequantize_abs_max", M),
    fake("fake_channel_wise_quantize_dequantize_abs_max", M, quant_axis=1, bit_length=4),
    *(
        fake(f"{op}{end}", X, TWO, *REST, is_test=True)
        for op in (
            "fake_quantize_moving_average_abs_max",
            "fake_quantize_dequantize_moving_average_abs_max",
        )
        for end in ("", "_")
    ),
    fake("fake_quantize_moving_average_abs_max", X, TWO, *REST, raises=Unsupported),
    fake("fake_quantize_range_abs_max", X, TWO, i(0), is_test=True),
    fake("fake_quantize_range_abs_max_", X, TWO, i(0), is_test=True),
    fake("fake_quantize_range_abs_max", X, TWO, i(0), raises=Unsupported),
    fake("moving_average_abs_max_scale", X, *REST, is_test=True),
    fake("moving_average_abs_max_scale_", X, *REST, is_test=True),
    fake("moving_average_abs_max_scale", X, *REST, raises=Unsupported),
    fake("fake_dequantize_max_abs", X, TWO, max_range=127.0),
    fake("fake_channel_wise_dequantize_max_abs", M, [SCALES]),
    fake("fake_channel_wise_dequantize_max_abs", M, [f(1, 2, 3)], quant_axis=1, quant_bits=[4]),
    fake("fake_channel_wise_dequantize_max_abs", M, [SCALES, ONE], raises=Unsupported, why="two"),
    fake("dequantize_abs_max", i(-128, 0, 127, dtype=np.int8), TWO, max_range=127.0),
    fake("dequantize_log", i(-128, -1, 0, 127, dtype=np.int8), rand(128)),
    *(
        fake(op, X, TWO, f(0), *REST, quant_axis=-1, **how)
        for op in ("quantize_linear_", "dequantize_linear", "dequantize_linear_")
        for how in (
            {"qmin": -8, "qmax": 7, "bit_length": 4, "why": "four bits"},
            {"round_type": 1},
            {"only_observer": True},
        )
    ),
    fake("quantize_linear", X, TWO, f(0), *REST, quant_axis=-1, only_observer=True),
    fake("quantize_linear_", X, TWO, f(0), *REST, quant_axis=-1, is_test=False, raises=Unsupported),
    *(
        fake(op, X, TWO, f(0), *REST, quant_axis=-1, is_test=False)
        for op in ("dequantize_linear", "dequantize_linear_")
    ),
    fake("fake_channel_wise_quantize_abs_max", M, bit_length=4),
    fake("fake_channel_wise_quantize_dequantize_abs_max", M, round_type=0),
    *(
        fake(f"{op}{end}", X, TWO, *REST, is_test=True, **how)
        for op in (
            "fake_quantize_moving_average_abs_max",
            "fake_quantize_dequantize_moving_average_abs_max",
        )
        for end in ("", "_")
        for how in MOVING
    ),
    *(
        fake(f"fake_quantize_range_abs_max{end}", X, TWO, i(0), is_test=True, **how)
        for end in ("", "_")
        for how in RANGES
    ),
    *(
        fake(f"moving_average_abs_max_scale{end}", X, *REST, is_test=True, moving_rate=0.5)
        for end in ("", "_")
    ),
    fake("fake_channel_wise_dequantize_max_abs", rand(2, 3, 2), [SCALES], x_num_col_dims=2),
]
CASES += [
    *(fake(op, X, why="of a vector", raises=BadType)
      for op in ("fake_channel_wise_quantize_abs_max",
                 "fake_channel_wise_quantize_dequantize_abs_max")),
]  # fmt: skip
