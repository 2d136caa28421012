"""LiteRT: EXP of NaN is 0, and that of 88.5 infinity.

Kind: NaN lost
Says: exp(NaN) is NaN everywhere else, and exp(88.5) is 2.72e38, which float32 holds. LiteRT's own
kernels, without XNNPACK, which runs by default, are right.
Seen: 1.4.0, 2.3.0
Here: what XNNPACK computes otherwise goes to LiteRT's own kernels (`hal/drivers/litert/unary.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import run
except ModuleNotFoundError:
    sys.exit(2)

x = np.array([np.nan, 88.5], np.float32)
fast, plain = run("EXP", x), run("EXP", x, plain=True)
print(f"got {fast}, without XNNPACK {plain}")
sys.exit(int(not np.isnan(fast[0])))
