"""ONNX Runtime: TopK gives elements that are not the largest where there are NaN.

Kind: wrong value
Says: Whatever NaN counts for, the other elements have an order: of 3 and 1, both of them twenty
times in the row, 1 is not among the five largest. NumPy, PyTorch and Paddle take NaN for the
largest.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: listed as a limit (`conformance/cases/torch/sort.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (float[100] x, int64[1] k) => (float[5] y, int64[5] places) { y, places = TopK <axis = 0> (x, k) }
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
x = np.tile(np.array([1, np.nan, 3, np.nan, 2], np.float32), 20)
found = session.run(None, {"x": x, "k": np.array([5])})
print(f"got {found[0]}, right is [nan nan nan nan nan], or five times 3")
sys.exit(int((found[0] < 3).any()))
