"""From integers to the real numbers that they stand for."""

from __future__ import annotations

import numpy as np

from . import fixed
from .call import Call, Kernel, Results


def dequantize(call: Call) -> Results:
    """(integer - zeroPoint) * scale, rounded once."""
    return [fixed.dequantize(call.array(), call.operand()).astype(np.float32)]


KERNELS: dict[str, Kernel] = {"DEQUANTIZE": dequantize}
