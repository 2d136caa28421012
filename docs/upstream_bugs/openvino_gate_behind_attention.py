"""OpenVINO: a gate behind a transposed attention kills the process.

Kind: crash
Says: The operators allow it: products and a softmax, a transpose of heads and rows, and a product
with the sigmoid of another tensor. With SNIPPETS_MODE=DISABLE, or with one head, it is right.
Seen: 2026.4.1, on processors without AVX-512
Here: one axis more stands between (`hal/drivers/openvino/gates.py`).
"""

import subprocess
import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

if sys.argv[1:] != ["child"]:
    died = subprocess.run([sys.executable, __file__, "child"], check=False).returncode
    print(f"exit status of the process: {died}, right is 0")
    sys.exit(int(died < 0))
query, key, value = (ops.parameter([1, 4, 16, 8], ov.Type.f32) for _ in range(3))
gate = ops.parameter([1, 16, 4, 8], ov.Type.f32)
weights = ops.softmax(ops.matmul(query, key, False, True), -1)
rows = ops.transpose(ops.matmul(weights, value, False, False), ops.constant(np.array([0, 2, 1, 3])))
made = ov.Model([ops.multiply(rows, ops.sigmoid(gate))], [query, key, value, gate])
ov.Core().compile_model(made, "CPU")
