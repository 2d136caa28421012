"""OpenVINO: a product of two constants, integers of 4 bits in front and transposed, is wrong.

Kind: wrong value
Says: MatMul with transpose_a multiplies by the transposed first matrix. Where both are constants it
is computed before the model runs; there integers of 4 bits behind Convert and Multiply come in the
order that they are stored in. With an input in the place of the second constant it is right.
Seen: 2026.4.1
Here: integers of 4 bits and of blocks stay packed only in products with what is not known; others
are decomposed (`hal/drivers/openvino/quant.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
op = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

whole = np.arange(24, dtype=np.float32).reshape(6, 4) % 7 - 3
packed = ov.Tensor(np.zeros(12, np.uint8), ov.Shape([6, 4]), ov.Type.i4)
packed.data[:] = (whole.astype(np.int8).reshape(-1, 2) & 15) @ np.array([1, 16], np.int8)
other = np.arange(18, dtype=np.float32).reshape(6, 3)
weights = op.multiply(op.convert(op.constant(packed), "f32"), op.constant(np.float32(0.5)))
model = ov.Model([op.matmul(weights, op.constant(other), True, False)], [])
found = ov.Core().compile_model(model, "CPU", {"EXECUTION_MODE_HINT": "ACCURACY"})([])[0]
want = whole.T @ other / 2
print(f"got {found[:, 0].tolist()}, right is {want[:, 0].tolist()}")
sys.exit(not np.allclose(found, want))
