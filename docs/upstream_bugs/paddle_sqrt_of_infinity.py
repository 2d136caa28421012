"""Paddle: sqrt of infinity is infinity alone and NaN in a vector.

Kind: wrong value
Says: sqrt(inf) is infinity by IEEE 754, as for one element and for float64. The vectorised kernel
of float32 is another.
Seen: 2.6.2, 3.3.1
Here: nothing is done about it.
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

x = paddle.full([16], float("inf"))
alone, among = paddle.sqrt(x[:1]).item(), paddle.sqrt(x)[0].item()
print(f"alone {alone}, in a vector of 16 {among}, right is inf")
sys.exit(int(among != alone))
