"""OpenVINO: attention on a stacked tensor whose result is transposed, with S equal to H."""

import sys

import numpy as np
import openvino as ov
from openvino import opset15 as ops

ROWS = HEADS = 4
SHAPE = (3, 2, HEADS, ROWS, 8)


def ints(*values: int) -> ov.Node:
    return ops.constant(np.array(values, np.int64))


stacked = ops.parameter(SHAPE, ov.Type.f32)
query, key, value = (ops.gather(stacked, ops.constant(k), ops.constant(0)) for k in range(3))
scores = ops.matmul(query, ops.transpose(key, ints(0, 1, 3, 2)), False, False)
product = ops.matmul(ops.softmax(scores, -1), value, False, False)
result = ops.transpose(product, ints(0, 2, 1, 3))
model = ov.Model([result], [stacked])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})

array = np.random.default_rng(0).standard_normal(SHAPE, np.float32)
q, k, v = array
weights = np.exp(q @ k.swapaxes(-1, -2))
weights /= weights.sum(-1, keepdims=True)
wanted = (weights @ v).transpose(0, 2, 1, 3)
error = float(np.abs(compiled(array)[0] - wanted).max())
print(f"OpenVINO {ov.get_version()}: largest error {error:.2g}")
sys.exit(error > 1e-4)
