"""LiteRT: SQRT and RSQRT of 1e38 are one and a half times too large.

Kind: wrong value
Says: sqrt(1e38) is 1e19. XNNPACK, which runs by default, answers 1.5e19; LiteRT's own kernels are
right.
Seen: 1.4.0, 2.3.0
Here: what XNNPACK computes otherwise goes to LiteRT's own kernels (`hal/drivers/litert/unary.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import run
except ModuleNotFoundError:
    sys.exit(2)

x = np.array([1e38], np.float32)
found = [run(op, x, plain=plain)[0] for op in ("SQRT", "RSQRT") for plain in (False, True)]
print("SQRT: got {:.4g}, without XNNPACK {:.4g}; RSQRT: {:.4g}, {:.4g}".format(*found))
sys.exit(int(abs(found[0] / 1e19 - 1) > 0.1))
