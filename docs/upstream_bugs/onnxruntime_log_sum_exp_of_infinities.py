"""ONNX Runtime: ReduceLogSumExp loses what is far below 0 beside -infinity.

Kind: wrong value
Says: log(exp(-inf) + exp(-1000)) is -1000, which ONNX's reference evaluator, PyTorch and TensorFlow
answer. The kernel takes the first element for the largest where it is -infinity.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: written out as exponents and a sum (`hal/drivers/onnxruntime/reduce.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (float[1,2] x) => (float[1] y) { y = ReduceLogSumExp <axes = [1], keepdims = 0> (x) }
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(found,) = session.run(None, {"x": np.array([[-np.inf, -1000]], np.float32)})
print(f"got {found[0]}, right is -1000.0")
sys.exit(int(found[0] != -1000))
