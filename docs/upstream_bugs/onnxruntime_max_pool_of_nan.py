"""ONNX Runtime: whether MaxPool keeps a NaN depends on the size of the window.

Kind: NaN lost
Says: The operator takes the largest element of a window, of which PyTorch says NaN. ONNX Runtime
says NaN for a window of two elements, and passes over it in a window of three, or where the places
are asked for too.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: left out of comparisons (`conformance/fuzzing/undefined.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

TEXT = """<ir_version: 8, opset_import: ["" : 13]>
g (float[1,1,1,6] x) => (float[1,1,1,k] y) {
  y = MaxPool <kernel_shape = [1, SIZE], strides = [1, SIZE]> (x)
}"""


def pool(text: str) -> np.ndarray:
    """The largest element of the first window, which holds a NaN."""
    model = onnx.parser.parse_model(text).SerializeToString()
    session = ort.InferenceSession(model, providers=["CPUExecutionProvider"])
    x = np.array([[[[1, np.nan, 2, 1, 2, 1]]]], np.float32)
    return session.run(None, {"x": x})[0].ravel()[0]


two = TEXT.replace("SIZE", "2")
places = two.replace("y)", "y, int64[1,1,1,k] i)").replace("y =", "y, i =")
found = [pool(two), pool(TEXT.replace("SIZE", "3")), pool(places)]
print("window of two: {}, of three: {}, with its place: {}; right is nan".format(*found))
sys.exit(int(0 < np.isnan(found).sum() < 3))
