"""ONNX Runtime: 480 is 448 as FLOAT8E4M3FN, where 465 is NaN.

Kind: wrong value
Says: Cast without `saturate` gives NaN for what is out of range. 465 and 500 are, but 480 to 495,
whose leading bits are those of NaN, become the largest number.
Seen: 1.31.1
Here: the device takes NaN for what is above 464 (`hal/drivers/onnxruntime/unary.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["" : 21]>
g (float[5] x) => (float[5] y) { c = Cast <to = 17, saturate = 0> (x)  y = Cast <to = 1> (c) }
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(found,) = session.run(None, {"x": np.array([464, 465, 480, 495, 500], np.float32)})
print(f"got {found.tolist()}, right is [448.0, nan, nan, nan, nan]")
sys.exit(int(not np.isnan(found[1:]).all()))
