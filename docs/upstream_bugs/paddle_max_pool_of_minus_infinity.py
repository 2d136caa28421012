"""Paddle: max_pool2d of -infinity is the least finite number.

Kind: wrong value
Says: The largest of several -infinity is -infinity, as paddle.max of the same elements is.
Seen: 2.6.2, 3.3.1
Here: our pool starts from -infinity; listed where frameworks differ
([framework_differences.md](framework_differences.md)).
"""

import sys

try:
    import paddle
    from paddle.nn import functional
except ModuleNotFoundError:
    sys.exit(2)

x = paddle.full([1, 1, 1, 2], -float("inf"))
pooled, most = functional.max_pool2d(x, (1, 2)).item(), paddle.max(x).item()
print(f"max_pool2d {pooled}, max {most}, right is -inf")
sys.exit(int(pooled != most))
