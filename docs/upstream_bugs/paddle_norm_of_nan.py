"""Paddle: norm and cdist with p = infinity lose NaN.

Kind: NaN lost
Says: The largest of |NaN| and 1 is NaN, as paddle.max says, and norm itself for other p.
Seen: 2.6.2, 3.3.1
Here: nothing is done about it.
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

x = paddle.to_tensor([float("nan"), 1])
found = [paddle.linalg.norm(x, p=p).item() for p in (float("inf"), 2)]
print(f"p = infinity: {found[0]}, p = 2: {found[1]}, right is nan")
sys.exit(int(found[0] == 1))
