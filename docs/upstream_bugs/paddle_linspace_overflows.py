"""Paddle: linspace between -3e38 and 3e38 is infinite and NaN.

Kind: wrong value
Says: "Fixed number of evenly spaced values within a given interval": -3e38, 0, 3e38, as NumPy
answers. The distance of both ends is no float32.
Seen: 2.6.2, 3.3.1
Here: nothing is done about it.
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

found = paddle.linspace(-3e38, 3e38, 3).numpy()
print(f"got {found}, right is [-3e+38 0 3e+38]")
sys.exit(int(found[1] != 0))
