"""OpenVINO: attention of a scaled query with S equal to H, where one end of it is transposed."""

import sys

import numpy as np
import openvino as ov
from openvino import opset15 as ops

ROWS = HEADS = 4
SHAPE = (2, ROWS, HEADS, 8)
HALF = np.float32(0.5)


def ints(*values: int) -> ov.Node:
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
print(f"OpenVINO {ov.get_version()}: largest error {error:.2g}")
sys.exit(error > 1e-4)
