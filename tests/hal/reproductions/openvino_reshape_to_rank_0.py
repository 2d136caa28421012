"""OpenVINO: a MatMul followed by a Reshape to rank 0 kills the process."""

import sys

import numpy as np
import openvino as ov
from openvino import opset15 as ops

left, right = (ops.parameter([3, 3], ov.Type.f32) for _ in range(2))
row = ops.reshape(left, ops.constant(np.array([1, 9])), False)
column = ops.reshape(right, ops.constant(np.array([9, 1])), False)
product = ops.matmul(row, column, False, False)
number = ops.reshape(product, ops.constant(np.array([], np.int64)), False)
compiled = ov.Core().compile_model(ov.Model([number], [left, right]), "CPU")
ones = np.ones((3, 3), np.float32)
found = compiled([ones, ones])[0]
print(f"OpenVINO {ov.get_version()}: {found}")
sys.exit(float(found) != 9)
