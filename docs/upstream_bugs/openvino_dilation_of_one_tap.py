"""OpenVINO: a dilation along an axis of one tap ends the process where windows are border.

Kind: crash
Says: Between the taps of one there is nothing, so that any dilation means the same.
Seen: 2026.4.1
Here: The dilation of one tap is 1 (`hal/drivers/openvino/strides.py`).
"""

import subprocess
import sys

PROGRAM = """
import numpy as np
import openvino as ov

ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13
image, taps = np.ones((1, 1, 3, 1), np.float32), np.ones((1, 1, 2, 1), np.float32)
given = ops.parameter(image.shape, ov.Type.f32)
sums = ops.convolution(given, ops.constant(taps), [1, 2], [1, 1], [1, 1], [1, 2])
sums = ops.add(sums, ops.constant(np.ones((1, 1, 1, 1), np.float32)))
print(ov.Core().compile_model(ov.Model([sums], [given]), "CPU")(image)[0].reshape(-1))
"""

try:
    import openvino  # noqa: F401
except ModuleNotFoundError:
    sys.exit(2)
ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
print("OpenVINO:", ended.stdout.strip() or f"ended with {ended.returncode}")
print("right:    [1. 1. 1. 1. 1. 1. 1. 1.], the bias, as every window lies in the border")
sys.exit(int(ended.returncode != 0))
