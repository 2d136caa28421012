"""ONNX Runtime: Range adds up the step, and its rounding errors.

Kind: wrong value
Says: The operator says output[i] = start + i * delta. The kernel adds delta again and again: the
last of 100000 numbers is off by 14 steps.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: start + i * step in nodes of its own (`hal/drivers/onnxruntime/generate.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (float a, float b, float d) => (float[n] y) { y = Range (a, b, d) }
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
feeds = {k: np.array(v, np.float32) for k, v in (("a", 0), ("b", 10000), ("d", 0.1))}
(found,) = session.run(None, feeds)
want = np.arange(len(found)) * np.float64(feeds["d"])
print(f"last of {len(found)}: got {found[-1]:.4f}, right is {want[-1]:.4f}")
sys.exit(int(abs(found[-1] - want[-1]) > 0.1))
