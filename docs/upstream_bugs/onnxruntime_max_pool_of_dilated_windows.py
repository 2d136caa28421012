"""ONNX Runtime: MaxPool pads a dilated window with auto_pad as if it were not dilated.

Kind: wrong value
Says: With SAME_UPPER the definition has as many windows as the input has elements, divided by the
stride and rounded up. The padding is counted for the window without its dilation, so that there are
too few windows, and the first one is of other elements.
Seen: 1.31.1
Here: pads are always given (`hal/drivers/onnxruntime/pool.py`); ONNX's evaluator says what is
right.
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

model = onnx.parser.parse_model("""<ir_version: 8, opset_import: ["" : 12]>
g (float[1,1,7] x) => (float[1,1,n] y) {
  y = MaxPool <kernel_shape = [3], dilations = [2], auto_pad = "SAME_UPPER"> (x)
}
""")
session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
(found,) = session.run(None, {"x": np.arange(1, 8, dtype=np.float32).reshape(1, 1, 7)})
print(f"got {found.ravel()}, right is [3. 4. 5. 6. 7. 6. 7.]")
sys.exit(int(found.size != 7))
