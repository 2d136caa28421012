"""Paddle: exp of -infinity is above 0 in a vector.

Kind: wrong value
Says: exp(-inf) is 0, as for one element. The vectorised kernels clamp the argument, in float32 and
in float64, so that what a mask has taken out comes back with a weight.
Seen: 2.6.2, 3.3.1
Here: nothing is done about it.
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

x = paddle.full([16], -float("inf"))
alone, among = paddle.exp(x[:1]).item(), paddle.exp(x)[0].item()
print(f"alone {alone}, in a vector of 16 {among:.4g}, right is 0.0")
sys.exit(int(among != alone))
