"""ONNX Runtime: ReduceMax keeps a NaN in the first place of a row only.

Kind: NaN lost
Says: ONNX's reference evaluator, PyTorch, TensorFlow and Paddle answer NaN wherever it is. ONNX
Runtime's answer depends on the place, and along another axis NaN stays.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: the rows are listed as limits (`conformance/cases/onnx/reduce.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (float[2,3] x) => (float[2] y) { y = ReduceMax <axes = [1], keepdims = 0> (x) }
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(found,) = session.run(None, {"x": np.array([[np.nan, 1, 3], [1, np.nan, 3]], np.float32)})
print(f"got {found}, right is [nan nan]")
sys.exit(int(not np.isnan(found).all()))
