"""OpenVINO: a product with a constant vector that is divided does not compile.

Kind: refused
Says: MatMul takes a vector as its second operand, and Divide what comes of it. The factor is moved
into the vector by a fusion that takes it for a matrix, and compiling fails.
Seen: 2025.4.1, 2026.4.1
Here: a constant vector becomes a matrix of one column (`hal/drivers/openvino/linear.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x = op.parameter([3, 5, 4, 7], np.float32)
product = op.matmul(x, op.constant(np.ones(7, np.float32)), False, False)
y = op.divide(product, op.constant(np.float32(0.5)))
try:
    found = ov.Core().compile_model(ov.Model([y], [x]), "CPU")([np.ones(x.shape, np.float32)])[0]
except RuntimeError as error:
    print(f"got {type(error).__name__}, right is a result of shape [3, 5, 4]")
    sys.exit(1)
print(f"got a result of shape {list(found.shape)}, right is [3, 5, 4]")
