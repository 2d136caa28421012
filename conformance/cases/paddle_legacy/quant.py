"""Legacy operators of quantised programs, as PaddleSlim writes them."""

from __future__ import annotations

import numpy as np

from ...case import ROUNDS, Case, Const, f, rand

X = rand(2, 3, 4)
ONE = Const(f(1.5))
THREE = Const(f(0.5, 1.0, 2.0))
LEVELS = np.round(rand(2, 3, 4, low=-120, high=120))
LEARNED = ("Out", ("OutScale", "InScale"))
SCALED = ("Out", "OutScale")
LINEAR = ("Y",)


def linear(count: int) -> dict[str, object]:
    """Scales and zero points."""
    scale = f(*np.linspace(0.5, 2, count))
    return {"Scale": Const(scale), "ZeroPoint": Const(np.zeros(count, np.float32))}


CASES = [
    Case(
        "quantize_linear",
        ({"X": X, **linear(1)},),
        {"quant_axis": -1, "is_test": True},
        results=LINEAR,
    ),
    Case(
        "quantize_linear",
        ({"X": X, **linear(3)},),
        {"quant_axis": 1, "is_test": True},
        results=LINEAR,
    ),
    Case(
        "dequantize_linear",
        ({"X": LEVELS, **linear(1)},),
        {"quant_axis": -1, "is_test": True},
        results=LINEAR,
        tol=ROUNDS,
    ),
    Case(
        "dequantize_linear",
        ({"X": LEVELS, **linear(3)},),
        {"quant_axis": 1, "is_test": True},
        results=LINEAR,
        tol=ROUNDS,
    ),
    Case(
        "fake_quantize_dequantize_moving_average_abs_max",
        ({"X": X, "InScale": ONE},),
        {"is_test": True},
        results=LEARNED,
        read=1,
        tol=ROUNDS,
    ),
    Case(
        "fake_quantize_dequantize_moving_average_abs_max",
        ({"X": X, "InScale": ONE},),
        {"is_test": True, "bit_length": 4},
        results=LEARNED,
        read=1,
        tol=ROUNDS,
    ),
    Case(
        "fake_quantize_moving_average_abs_max",
        ({"X": X, "InScale": ONE},),
        {"is_test": True},
        results=LEARNED,
        read=1,
    ),
    Case(
        "fake_quantize_range_abs_max",
        ({"X": X, "InScale": ONE},),
        {"is_test": True},
        results=LEARNED,
        read=1,
    ),
    Case("fake_quantize_abs_max", ({"X": X},), results=SCALED),
    Case("fake_quantize_dequantize_abs_max", ({"X": X},), results=SCALED, tol=ROUNDS),
    Case("fake_channel_wise_quantize_abs_max", ({"X": X},), {"quant_axis": 1}, results=SCALED),
    Case(
        "fake_channel_wise_quantize_dequantize_abs_max",
        ({"X": X},),
        {"quant_axis": 0},
        results=SCALED,
        tol=ROUNDS,
    ),
    Case(
        "fake_dequantize_max_abs", ({"X": LEVELS, "Scale": ONE},), {"max_range": 127.0}, tol=ROUNDS
    ),
    Case(
        "fake_channel_wise_dequantize_max_abs",
        ({"X": LEVELS, "Scales": [THREE]},),
        {"quant_bits": [8], "quant_axis": 1},
        tol=ROUNDS,
    ),
    Case("moving_average_abs_max_scale", ({"X": X},), {"is_test": True}, results=SCALED, read=1),
]
