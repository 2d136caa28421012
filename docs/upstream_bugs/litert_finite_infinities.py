"""LiteRT: ADD, SUB, MUL and DIV make infinity the largest finite number.

Kind: wrong value
Says: 3e38 + 3e38 is infinity by IEEE 754, and by XNNPACK, which runs by default. The operator has
no activation; LiteRT's own kernels clamp the result to the finite numbers all the same, so that an
overflow is not seen and a model differs by the delegate.
Seen: 1.4.0, 2.3.0
Here: left out of comparisons (`conformance/fuzzing/undefined.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import option, run
except ModuleNotFoundError:
    sys.exit(2)

x = np.array([3e38], np.float32)
fast, plain = (run("ADD", x, x, options=option("AddOptions"), plain=p)[0] for p in (False, True))
print(f"3e38 + 3e38 with XNNPACK {fast}, by LiteRT's own kernels {plain}, right is inf")
sys.exit(int(np.isfinite(plain)))
