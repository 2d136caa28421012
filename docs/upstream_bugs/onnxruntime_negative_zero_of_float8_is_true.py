"""ONNX Runtime: the negative zero of an 8-bit float becomes true.

Kind: wrong value
Says: Cast gives false for 0 and true for all else. -0 is equal to 0, and is false where it is cast
from float, float16 or double.
Seen: 1.31.1
Here: 8-bit floats become truth values by way of float (`hal/drivers/onnxruntime/unary.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
g (float[3] x) => (bool[3] y) { c = Cast <to = 17> (x)  y = Cast <to = 9> (c) }
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(found,) = session.run(None, {"x": np.array([0.0, -0.0, 1.0], np.float32)})
print(f"got {found.tolist()}, right is [False, False, True]")
sys.exit(int(found.tolist() != [False, False, True]))
