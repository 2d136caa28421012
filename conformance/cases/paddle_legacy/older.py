"""Where the kernels of Paddle 2.6 give something else than those of Paddle 3, which we follow."""

from __future__ import annotations

from ...case import Limit

RATIO = "Paddle 2.6 takes the ratio from the scale, Paddle 3 from the sizes of input and output"
RANGE = "Paddle 2.6 ignores qmin and qmax and has the range from bit_length alone"
OLDER = (
    Limit("nearest_interp", RATIO, case="scale=1.3"),
    Limit("bilinear_interp", RATIO, case="scale"),
    Limit("quantize_linear", RANGE, case="qmin=-8"),
    Limit("dequantize_linear", RANGE, case="qmin=-8"),
    Limit("digamma", "Paddle 2.6 gives NaN at 0, Paddle 3 -inf", case="plain", device="builtin"),
)
