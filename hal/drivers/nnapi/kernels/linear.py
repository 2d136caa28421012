"""Dense layers."""

from __future__ import annotations

from . import fixed
from .call import Call, Kernel, Results
from .conv import finish


def fully_connected(call: Call) -> Results:
    """Rows of the flattened input times [units, inputs]."""
    weights = call.array("weights")
    rows = call.array().reshape(-1, weights.shape[1])
    if not call.is_quantized:
        return [fixed.activate(rows @ weights.T + call.array("bias"), call.activation)]
    x = fixed.centre(rows, call.operand())
    taps = fixed.centre(weights, call.operand("weights"))
    return finish(call, "weights", fixed.multiply(x, taps.T))


KERNELS: dict[str, Kernel] = {"FULLY_CONNECTED": fully_connected}
