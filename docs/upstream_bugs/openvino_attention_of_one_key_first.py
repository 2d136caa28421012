"""OpenVINO: an attention of any number of keys is wrong for 16 and more, once it was run with one.

Kind: wrong value
Says: The same model is right where its first run has two keys, where a mask is added to the scores,
and with `SNIPPETS_MODE` DISABLE.
Seen: 2026.4.1
Here: the product with the values is one of rank 5 (`hal/drivers/openvino/quirks.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

q, k, v = (ops.parameter([-1, 16], np.float32) for _ in range(3))
weights = ops.softmax(ops.matmul(q, k, False, True), -1)
model = ov.Model([ops.matmul(weights, v, False, False)], [q, k, v])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
for keys in (1, 16):
    x = np.eye(keys, 16, dtype=np.float32)
    found = compiled([np.zeros((1, 16), np.float32), x, x])[0]
print(f"got {found.sum():.3g} as the sum of all weights, right is 1")
sys.exit(int(not np.allclose(found, 1 / 16)))
