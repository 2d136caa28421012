"""LiteRT: SIN and COS of large numbers are beyond 1.

Kind: wrong value
Says: A sine lies between -1 and 1; that of 1e10 is -0.487506. LiteRT's own kernels, without
XNNPACK, which runs by default, are right.
Seen: 1.4.0, 2.3.0
Here: what XNNPACK computes otherwise goes to LiteRT's own kernels (`hal/drivers/litert/unary.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import run
except ModuleNotFoundError:
    sys.exit(2)

x = np.array([1e10], np.float32)
fast, plain = run("SIN", x)[0], run("SIN", x, plain=True)[0]
print(f"got {fast:.4f}, without XNNPACK {plain:.4f}, right is -0.4875")
sys.exit(int(abs(fast) > 1))
