"""ONNX Runtime: GroupNormalization takes the variance as a difference of squares.

Kind: wrong value
Says: The operator says y = scale * (x - mean) / sqrt(variance + epsilon) + bias, which
InstanceNormalization of the same engine answers for one group: 1 and -1 here. What is far from 0
for its spread comes out hundreds of times too large or too small.
Seen: 1.18.1, 1.23.2, 1.31.1
Here: written out in two passes (`hal/drivers/onnxruntime/norm.py`).
"""

import sys

import numpy as np

try:
    import onnx
    import onnxruntime as ort
except ModuleNotFoundError:
    sys.exit(2)

X = np.array([[[10001, 9999, 10001, 9999]]], np.float32)


def normalize(call: str) -> np.ndarray:
    """The one row of X by an operator."""
    model = onnx.parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : 21]>
        g (float[1,1,4] x) => (float[1,1,4] y) <float[1] one = {{1}}, float[1] zero = {{0}}> {{
          y = {call} (x, one, zero)
        }}"""
    )
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})[0].ravel()


group, instance = (
    normalize("GroupNormalization <num_groups = 1>"),
    normalize("InstanceNormalization"),
)
print(f"GroupNormalization: {group}\nInstanceNormalization, which is right: {instance}")
sys.exit(int(np.abs(group - instance).max() > 1e-2))
