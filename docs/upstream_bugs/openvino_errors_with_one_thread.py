"""OpenVINO: with one thread, an operation of open sizes that fails gives a result without elements.

Kind: wrong value
Says: With two threads GatherElements refuses indices of two sizes that its data has otherwise, as
its documentation does. With one thread, or on one core, `infer` loses the error; `start_async` and
`wait` tell it. What is computed from such a result is what the memory held, or the process ends.
Seen: 2026.4.1
Here: programs that run in one thread are started and waited for (`hal/drivers/openvino/driver.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

x, at = ops.parameter([-1, -1, -1], np.float32), ops.parameter([-1, -1, -1], np.int64)
model = ov.Model([ops.gather_elements(x, at, 2)], [x, at])
compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": "1"})
try:
    found = compiled([np.zeros((2, 3, 4), np.float32), np.zeros((2, 1, 3), np.int64)])[0]
except RuntimeError:
    sys.exit(0)
print(f"got a result of the shape {list(found.shape)}, right is an error")
sys.exit(1)
