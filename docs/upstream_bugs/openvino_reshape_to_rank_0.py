"""OpenVINO: a MatMul followed by a Reshape to rank 0 kills the process.

Kind: crash
Says: The operators allow it, and a Squeeze of both axes gives the number.
Seen: 2026.4.1; not in 2024.6.0
Here: Squeeze takes the place of Reshape (`hal/drivers/openvino/shape.py`).
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
left, right = (ops.parameter([3, 3], ov.Type.f32) for _ in range(2))
row = ops.reshape(left, ops.constant(np.array([1, 9])), False)
column = ops.reshape(right, ops.constant(np.array([9, 1])), False)
product = ops.matmul(row, column, False, False)
number = ops.reshape(product, ops.constant(np.array([], np.int64)), False)
ov.Core().compile_model(ov.Model([number], [left, right]), "CPU")
