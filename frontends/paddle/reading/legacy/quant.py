"""Legacy operators of quantised programs, as PaddleSlim writes them."""

from __future__ import annotations

from .call import Call
from .rule import Rules

RULES = Rules()
RULES.same(
    "fake_channel_wise_dequantize_max_abs",
    "fake_channel_wise_quantize_abs_max",
    "fake_channel_wise_quantize_dequantize_abs_max",
    "fake_dequantize_max_abs",
    "fake_quantize_abs_max",
    "fake_quantize_dequantize_abs_max",
    "fake_quantize_dequantize_moving_average_abs_max",
    "fake_quantize_moving_average_abs_max",
    "fake_quantize_range_abs_max",
    "dequantize_linear",
    "quantize_linear",
)


@RULES.add("moving_average_abs_max_scale")
def moving_average_abs_max_scale(call: Call) -> None:
    """An observer: what it reads passes through."""
    call.ignore("InAccum", "InState", "moving_rate")
    call.bind("Out", call.one("X"))
