"""OpenVINO: a Pad in front of a Convolution or an AvgPool with auto_pad takes its border away.

Kind: wrong value
Says: With auto_pad "same_upper" a window finds the border by which its result has the size of its
input. Where sizes are open, a Pad of zeros in front of it is joined with the window, whose own
border is lost then; where they are known, the result is right.
Seen: 2026.4.1
Here: something that puts nothing on stands between both (`hal/drivers/openvino/windows.py`).
"""

import sys

import numpy as np

try:
    import openvino as ov
    from openvino import opset8 as op
except ModuleNotFoundError:
    sys.exit(2)

x = op.parameter([1, 1, -1, -1], np.float32)
ends = op.constant(np.array([0, 0, 1, 1], np.int64))
padded = op.pad(x, ends, ends, "constant", op.constant(np.float32(0)))
taps = op.constant(np.ones((1, 1, 2, 2), np.float32))
made = op.convolution(padded, taps, [1, 1], [0, 0], [0, 0], [1, 1], auto_pad="same_upper")
program = ov.Core().compile_model(ov.Model([made], [x]), "CPU")
found = program(np.ones((1, 1, 2, 2), np.float32))[0].shape
print(f"got a result of {list(found)}, right is [1, 1, 4, 4]")
sys.exit(found != (1, 1, 4, 4))
