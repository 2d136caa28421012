"""ONNX Runtime: Pow of int64 goes through float64.

Kind: wrong value
Says: Pow takes int64, and 3**39 is an int64. NumPy, PyTorch and ONNX's reference evaluator answer
it exactly.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: squaring and multiplying (`hal/drivers/onnxruntime/binary.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (int64[1] x, int64[1] e) => (int64[1] y) { y = Pow (x, e) }
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(found,) = session.run(None, {"x": np.array([3]), "e": np.array([39])})
print(f"got {found[0]}, right is {3**39}")
sys.exit(int(found[0] != 3**39))
