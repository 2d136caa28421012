"""ONNX Runtime: ReduceProd of integers goes through float64.

Kind: wrong value
Says: ReduceProd takes int64, and 3**35 is one that a float64 does not hold. NumPy and ONNX's
reference evaluator answer it exactly, and wrap where a product is beyond the type; here it is the
largest number then.
Seen: 1.31.1
Here: halves times each other (`nnir/decompositions/reduce.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (int64[2,35] x) => (int64[2] y) { y = ReduceProd <axes = [1], keepdims = 0> (x) }
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
x = np.full((2, 35), 3)
x[1] = -5
(found,) = session.run(None, {"x": x})
print(f"got {found}, right is {x.prod(axis=1)}")
sys.exit(int(not np.array_equal(found, x.prod(axis=1))))
