"""What ONNX Runtime gets wrong; see `hal.quirks`."""

from __future__ import annotations

from ...quirks import Means, Quirk

PAD_BEFORE_MAX_POOL = Quirk(
    "onnxruntime",
    "pad_before_max_pool",
    "a Pad of zeros is moved into the MaxPool behind it, whose padding is the least number",
    "1.31.1",
    Means.REWRITTEN,
)
UNSIGNED_BEHIND_TRANSPOSE = Quirk(
    "onnxruntime",
    "int8_behind_a_transpose",
    "int8 becomes uint8 on x86; a Transpose behind a dequantisation then has no session from opset "
    "21 on",
    "1.31.1",
    Means.SET,
)
LOST_IN_LOG_SUM_EXP = Quirk(
    "onnxruntime",
    "log_sum_exp_of_infinities",
    "ReduceLogSumExp loses what is far below 0 beside -infinity",
    "1.31.1",
    Means.REWRITTEN,
)
SUMS_OF_INT64 = Quirk(
    "onnxruntime",
    "sums_of_int64",
    "ReduceSum adds int64 in floats: beyond 2**53 its last digits are lost",
    "1.31.1",
    Means.REWRITTEN,
)
QUIRKS = (PAD_BEFORE_MAX_POOL, UNSIGNED_BEHIND_TRANSPOSE, LOST_IN_LOG_SUM_EXP, SUMS_OF_INT64)
