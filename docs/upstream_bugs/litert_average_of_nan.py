"""LiteRT: AVERAGE_POOL_2D of 1 and NaN is -infinity.

Kind: wrong value
Says: The mean of 1 and NaN is NaN. LiteRT's own kernels, without XNNPACK, which runs by default,
are right.
Seen: 1.4.0, 2.3.0
Here: left out of comparisons (`conformance/fuzzing/undefined.py`).
"""

import sys

import numpy as np

try:
    from _one_operator import option, run
except ModuleNotFoundError:
    sys.exit(2)

x = np.array([1, np.nan], np.float32).reshape(1, 1, 2, 1)
window = option("Pool2DOptions", padding=1, strideW=2, strideH=1, filterWidth=2, filterHeight=1)
fast, plain = (
    run("AVERAGE_POOL_2D", x, shape=(1, 1, 1, 1), options=window, plain=p).item()
    for p in (False, True)
)
print(f"got {fast}, without XNNPACK {plain}, right is nan")
sys.exit(int(not np.isnan(fast)))
