"""OpenVINO: a constant minus random numbers is the same in every run.

Kind: wrong value
Says: `RandomUniform` with both seeds 0 draws other numbers in each run, says its specification, and
does so alone, or behind an addition. Subtracted from a constant, it is drawn once, by the compiler.
Seen: 2024.6.0, 2026.4.1
Here: a bound of the numbers is nothing that the compiler can compute
(`hal/drivers/openvino/random.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

zero, one = (ops.constant(np.float32(n)) for n in (0, 1))
numbers = ops.random_uniform(ops.constant(np.array([3], np.int64)), zero, one, "f32", 0, 0)
model = ov.Model([ops.subtract(one, numbers)], [])
compiled = ov.Core().compile_model(model, "CPU")
first, second = (compiled([])[0].copy() for _ in range(2))
print(f"one run {first}, the next {second}, right are other numbers in each")
sys.exit(int(bool((first == second).all())))
