"""OpenVINO: a Gather at positions of a known size 0 kills the process.

Kind: crash
Says: The operator's specification takes positions of any shape, and with an open size the result is
empty, as it is to be.
Seen: 2026.4.1
Here: refused where the size is known (`hal/drivers/openvino/index.py`).
"""

import subprocess
import sys

import numpy as np

try:
    import openvino as ov
except ModuleNotFoundError:
    sys.exit(2)
ops = ov.opset13 if hasattr(ov, "opset13") else ov.runtime.opset13

if sys.argv[1:] != ["child"]:
    died = subprocess.run([sys.executable, __file__, "child"], check=False).returncode
    print(f"exit status of the process: {died}, right is 0")
    sys.exit(int(died < 0))
x, places = ops.parameter([3, 2], ov.Type.f32), ops.parameter([0], ov.Type.i64)
rows = ops.gather(x, places, ops.constant(np.array(0, np.int64)))
compiled = ov.Core().compile_model(ov.Model([rows], [x, places]), "CPU")
compiled([np.ones((3, 2), np.float32), np.zeros(0, np.int64)])
