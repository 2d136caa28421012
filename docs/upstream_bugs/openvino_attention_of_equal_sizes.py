"""OpenVINO: attention with as many rows as heads is wrong where one end of it is transposed.

Kind: wrong value
Says: softmax(q k^T) v, which NumPy computes from the same numbers; any other number of rows is
right. What fuses attention takes heads and rows for each other where their numbers are equal.
Seen: 2024.6.0, 2026.4.1
Here: the second product has one axis more (`hal/drivers/openvino/linear.py`).
"""

import sys
from typing import Any

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

ROWS = HEADS = 4
SHAPE = (2, ROWS, HEADS, 8)
HALF = np.float32(0.5)


def ints(*values: int) -> Any:
    """A constant vector."""
    return ops.constant(np.array(values, np.int64))


ends = [ops.parameter(SHAPE, ov.Type.f32) for _ in range(3)]
query, key, value = (ops.transpose(end, ints(0, 2, 1, 3)) for end in ends)
scores = ops.matmul(ops.multiply(query, ops.constant(HALF)), key, False, True)
product = ops.matmul(ops.softmax(scores, -1), value, False, False)
model = ov.Model([product], ends)
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})

arrays = np.random.default_rng(0).standard_normal((3, *SHAPE), np.float32)
q, k, v = arrays.transpose(0, 1, 3, 2, 4)
weights = np.exp(HALF * q @ k.swapaxes(-1, -2))
weights /= weights.sum(-1, keepdims=True)
error = float(np.abs(compiled(list(arrays))[0] - weights @ v).max())
print(f"largest error {error:.1f}, right is at most 0.0001")
sys.exit(int(error > 1e-4))
