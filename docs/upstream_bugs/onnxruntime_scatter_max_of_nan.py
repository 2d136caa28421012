"""ONNX Runtime: ScatterElements with the reduction max loses a NaN of the data.

Kind: NaN lost
Says: The operator says max(data, update), and Max of the same engine answers NaN for either
operand, as does PyTorch's scatter_reduce.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: nothing is done about it.
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 18]>
g (float[2] x, int64[2] i, float[2] u) => (float[2] y) {
  y = ScatterElements <reduction = "max"> (x, i, u)
}
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
x = np.array([np.nan, 1], np.float32)
(found,) = session.run(None, {"x": x, "i": np.array([0, 1]), "u": x[::-1].copy()})
print(f"max(nan, 1) and max(1, nan): got {found}, right is [nan nan]")
sys.exit(int(not np.isnan(found).all()))
