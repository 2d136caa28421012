"""Paddle: pow of int64 goes through float64 where the exponent is a tensor.

Kind: wrong value
Says: 3**39 is an int64, and pow with the number 39 gives it.
Seen: 2.6.2, 3.3.1
Here: nothing is done about it.
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

x = paddle.to_tensor(3)
found, other = paddle.pow(x, paddle.to_tensor(39)).item(), paddle.pow(x, 39).item()
print(f"by a tensor {found}, by a number {other}, right is {3**39}")
sys.exit(int(found != 3**39))
