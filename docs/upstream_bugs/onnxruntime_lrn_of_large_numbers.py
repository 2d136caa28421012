"""ONNX Runtime: LRN is infinite or NaN beside a large element.

Kind: wrong value
Says: Each result depends on the elements of its window, three here: sqrt(1 + 1 + 1 + 1) = 2 divides
a 1 among ones. The kernel carries a sum along that it subtracts from, and after an element of 10000
what is left of it is rounding.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: written as an average of squares (`hal/drivers/onnxruntime/norm.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 13]>
g (float[1,6,1,1] x) => (float[1,6,1,1] y) {
  y = LRN <size = 3, alpha = 3.0, beta = 0.5, bias = 1.0> (x)
}
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
x = np.array([1e4, 1, 1, 1, 1, 1], np.float32)
(found,) = session.run(None, {"x": x.reshape(1, 6, 1, 1)})
print(f"got {found.ravel()[2:]}, right is [0.5 0.5 0.5 0.57735026]")
sys.exit(int(not np.allclose(found.ravel()[2:], [0.5, 0.5, 0.5, 3**-0.5])))
