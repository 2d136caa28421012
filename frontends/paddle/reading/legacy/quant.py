"""Legacy operators of quantised programs, as PaddleSlim writes them."""

from __future__ import annotations

from .call import Call, Rule
from .rule import Rules, same

RULES = Rules()
RULES.same(
    "fake_channel_wise_dequantize_max_abs",
    "fake_channel_wise_quantize_abs_max",
    "fake_channel_wise_quantize_dequantize_abs_max",
    "fake_dequantize_max_abs",
    "fake_quantize_abs_max",
    "fake_quantize_dequantize_abs_max",
)


def _steady(name: str, result: str) -> Rule:
    """Where nothing is learned, the scale that it writes is the one that it read."""
    whole = same(name)

    def rule(call: Call) -> None:
        read = "Scale" if call.has("Scale") else "InScale"
        if not call.attribute("is_test", False) or not call.has(read):
            whole(call)
            return
        scale = call.one(read)
        same(name, results=(result,))(call)
        call.bind("OutScale", scale)

    return rule


for _name in (
    "fake_quantize_dequantize_moving_average_abs_max",
    "fake_quantize_moving_average_abs_max",
    "fake_quantize_range_abs_max",
):
    RULES[_name] = _steady(_name, "Out")
for _name in ("dequantize_linear", "quantize_linear"):
    RULES[_name] = _steady(_name, "Y")


@RULES.add("moving_average_abs_max_scale")
def moving_average_abs_max_scale(call: Call) -> None:
    """An observer: what it reads passes through."""
    call.ignore("InAccum", "InState", "moving_rate")
    call.bind("Out", call.one("X"))
