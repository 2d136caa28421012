"""Paddle: log_sigmoid of 20 is 0, that of -infinity NaN.

Kind: digits lost
Says: -log(1 + exp(-20)) is -2.06e-9, which log1p has and PyTorch answers; that of -infinity is
-infinity.
Seen: 2.6.2, 3.3.1
Here: nothing is done about it.
"""

import sys

try:
    import paddle
    from paddle.nn import functional
except ModuleNotFoundError:
    sys.exit(2)

found = functional.log_sigmoid(paddle.to_tensor([20, -float("inf")])).numpy()
print(f"got {found}, right is [-2.0611537e-09 -inf]")
sys.exit(int(found[0] == 0))
