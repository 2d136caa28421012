"""ONNX Runtime: ReduceSum of int64 loses digits.

Kind: wrong value
Says: ONNX's operators take int64, and the reference evaluator computes in it, as older versions of
ONNX Runtime do. ReduceSum adds in floats where a row is long.
Seen: 1.31.1; not in 1.18.1, 1.23.2
Here: a product with ones where the numbers may be that large (`hal/drivers/onnxruntime/reduce.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (int64[2,63] x) => (int64[2] y) <int64[1] axes = {-1}> {
  y = ReduceSum <keepdims = 0> (x, axes)
}
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
x = np.random.default_rng(0).integers(-(2**55), 2**55, (2, 63))
(found,) = session.run(None, {"x": x})
print(f"got {found}, right is {x.sum(axis=1)}")
sys.exit(int(not np.array_equal(found, x.sum(axis=1))))
