"""LiteRT: LOG of 3e38 is infinity.

Kind: wrong value
Says: The natural logarithm of 3e38, a finite float32, is 88.6. LiteRT's own kernels, without
XNNPACK, which runs by default, are right.
Seen: 2.3.0; not in 1.4.0
Here: what XNNPACK computes otherwise goes to LiteRT's own kernels (`hal/drivers/litert/unary.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import run
except ModuleNotFoundError:
    sys.exit(2)

x = np.array([3e38], np.float32)
fast, plain = run("LOG", x)[0], run("LOG", x, plain=True)[0]
print(f"got {fast:.4f}, without XNNPACK {plain:.4f}, right is 88.5968")
sys.exit(int(np.isinf(fast)))
