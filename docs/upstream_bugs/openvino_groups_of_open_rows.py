"""OpenVINO: products of an open number of rows with several constant matrices do not compile, or
fail while running.

Kind: refused
Says: MatMul broadcasts its leading axes as NumPy does, and rows of a known number are multiplied.
Mixtures of experts have such products.
Seen: 2026.4.1; not in 2024.6.0
Here: one more axis (`hal/drivers/openvino/linear.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

weights = np.arange(90, dtype=np.float32).reshape(6, 3, 5) / 90
rows = np.arange(12, dtype=np.float32).reshape(4, 3) / 12
wrong = 0
for shape, array in (([-1, 3], rows), ([1, -1, 3], rows[None])):
    x = ops.parameter(shape, ov.Type.f32)
    product = ops.matmul(x, ops.constant(weights), False, False)
    try:
        found = ov.Core().compile_model(ov.Model([product], [x]), "CPU")([array])[0]
        right = array @ weights
        is_right = found.shape == right.shape and np.allclose(found, right, atol=1e-2)
        text = "right" if is_right else f"other numbers, of shape {found.shape}"
    except RuntimeError as error:
        text = str(error).strip().splitlines()[-1]
    print(f"{shape}: {text}")
    wrong += text != "right"
sys.exit(int(wrong > 0))
