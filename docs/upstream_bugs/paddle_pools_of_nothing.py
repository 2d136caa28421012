"""Paddle: ceil_mode makes windows that lie behind the data: -3.4e38 and NaN.

Kind: wrong value
Says: A window without an element has no largest one and no mean. PyTorch and ONNX leave such a
window out; Paddle's documentation of ceil_mode speaks of the formula of the size only.
Seen: 2.6.2, 3.3.1
Here: refused (`frontends/paddle/operators/pool.py`).
"""

import sys

try:
    import paddle
    from paddle.nn import functional
except ModuleNotFoundError:
    sys.exit(2)

x = paddle.ones([1, 1, 1, 5])
found = [
    pool(x, (1, 2), stride=(1, 3), padding=(0, 1), ceil_mode=True).numpy().ravel()
    for pool in (functional.max_pool2d, functional.avg_pool2d)
]
print(f"largest {found[0]}, means {found[1]}")
sys.exit(int(found[0][-1] < 0))
