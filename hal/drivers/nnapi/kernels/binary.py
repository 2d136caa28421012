"""Sums and products, element by element."""

from __future__ import annotations

from . import fixed
from .call import Call, Kernel, Results


def add(call: Call) -> Results:
    a, b = call.array("input0"), call.array("input1")
    if call.is_quantized:
        sums = fixed.dequantize(a, call.operand("input0")) + fixed.dequantize(
            b, call.operand("input1")
        )
        return [fixed.quantize(sums, call.output, call.activation)]
    return [fixed.activate(a + b, call.activation)]


def mul(call: Call) -> Results:
    a, b = call.array("input0"), call.array("input1")
    if call.is_quantized:
        left, right = call.operand("input0"), call.operand("input1")
        products = fixed.centre(a, left) * fixed.centre(b, right)
        multiplier = left.scale * right.scale / call.output.scale
        return [fixed.rescale(products, multiplier, call.output, call.activation)]
    return [fixed.activate(a * b, call.activation)]


KERNELS: dict[str, Kernel] = {"ADD": add, "MUL": mul}
