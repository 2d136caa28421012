"""Paddle: logcumsumexp of -infinity is the least finite number.

Kind: wrong value
Says: log(exp(-inf)) is -infinity, as PyTorch's and TensorFlow's operators answer.
Seen: 2.6.2, 3.3.1
Here: nothing is done about it.
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

found = paddle.logcumsumexp(paddle.to_tensor([-float("inf"), 1])).numpy()
print(f"got {found}, right is [-inf 1.]")
sys.exit(int(found[0] != -float("inf")))
