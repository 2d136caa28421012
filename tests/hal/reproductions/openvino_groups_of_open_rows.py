"""OpenVINO: open rows and several constant matrices do not compile, or fail in the first run."""

import sys

import numpy as np
import openvino as ov
from openvino import opset15 as ops

weights = np.arange(90, dtype=np.float32).reshape(6, 3, 5) / 90
rows = np.arange(12, dtype=np.float32).reshape(4, 3) / 12
wrong = 0
for shape, array in (([-1, 3], rows), ([1, -1, 3], rows[None])):
    x = ops.parameter(shape, ov.Type.f32)
    product = ops.matmul(x, ops.constant(weights), False, False)
    try:
        found = ov.Core().compile_model(ov.Model([product], [x]), "CPU")([array])[0]
        is_right = np.allclose(found, array @ weights)
    except RuntimeError as error:
        is_right = False
        print(str(error).strip().splitlines()[-1])
    print(f"OpenVINO {ov.get_version()}: {shape}: {'right' if is_right else 'wrong'}")
    wrong += not is_right
sys.exit(wrong > 0)
