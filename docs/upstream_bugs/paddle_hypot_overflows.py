"""Paddle: hypot of 1e30 and 1e30 is infinity.

Kind: wrong value
Says: 1.414e30, as NumPy's and PyTorch's hypot and C's hypotf answer: not to overflow on the way is
what the function is for.
Seen: 2.6.2, 3.3.1
Here: nothing is done about it.
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

x = paddle.full([1], 1e30)
found = paddle.hypot(x, x).item()
print(f"got {found}, right is 1.4142136e+30")
sys.exit(int(found == float("inf")))
