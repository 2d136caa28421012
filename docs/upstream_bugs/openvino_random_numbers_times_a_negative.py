"""OpenVINO: random numbers times a constant that is not positive are not compiled.

Kind: refused
Says: `Multiply` takes any factor. What moves it into the bounds of `RandomUniform` finds the lower
one above the upper one then, and that is an error of the whole model.
Seen: 2024.6.0, 2026.4.1
Here: a bound of the numbers is no constant (`hal/drivers/openvino/random.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

zero, one, factor = (ops.constant(np.float32(n)) for n in (0, 1, -2))
numbers = ops.random_uniform(ops.constant(np.array([3], np.int64)), zero, one, "f32", 0, 0)
model = ov.Model([ops.multiply(numbers, factor)], [])
try:
    ov.Core().compile_model(model, "CPU")
except RuntimeError as error:
    said = next(line for line in str(error).splitlines() if line.startswith("Min value"))
    print(f"not compiled: {said.split('.')[0]}, right is a model that draws from (-2, 0]")
    sys.exit(1)
print("compiled")
