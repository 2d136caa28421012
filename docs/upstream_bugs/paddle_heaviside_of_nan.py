"""Paddle: heaviside of NaN is 0.

Kind: NaN lost
Says: The documentation has 0 for x < 0, y for x == 0 and 1 for x > 0, and NaN is none of these.
NumPy answers NaN.
Seen: 2.6.2, 3.3.1
Here: nothing is done about it.
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

found = paddle.heaviside(paddle.to_tensor(float("nan")), paddle.to_tensor(1.0)).item()
print(f"got {found}, right is nan")
sys.exit(int(found == 0))
