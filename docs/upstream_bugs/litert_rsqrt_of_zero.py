"""LiteRT: RSQRT of 0 is NaN.

Kind: wrong value
Says: 1 / sqrt(0) is infinity, as TensorFlow's and PyTorch's rsqrt say. LiteRT's own kernels,
without XNNPACK, which runs by default, are right.
Seen: 1.4.0, 2.3.0
Here: what XNNPACK computes otherwise goes to LiteRT's own kernels (`hal/drivers/litert/unary.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import run
except ModuleNotFoundError:
    sys.exit(2)

x = np.zeros(1, np.float32)
fast, plain = run("RSQRT", x)[0], run("RSQRT", x, plain=True)[0]
print(f"got {fast}, without XNNPACK {plain}, right is inf")
sys.exit(int(np.isnan(fast)))
