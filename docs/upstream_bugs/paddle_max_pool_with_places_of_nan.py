"""Paddle: max_pool2d keeps a NaN, unless its place is asked for too.

Kind: NaN lost
Says: return_mask adds the place of each element and changes no element.
Seen: 2.6.2, 3.3.1
Here: left out of comparisons (`conformance/fuzzing/undefined.py`).
"""

import sys

try:
    import paddle
    from paddle.nn import functional
except ModuleNotFoundError:
    sys.exit(2)

x = paddle.to_tensor([[[[1, float("nan")]]]])
plain, (placed, _) = (
    functional.max_pool2d(x, (1, 2)),
    functional.max_pool2d(x, (1, 2), return_mask=True),
)
print(f"alone {plain.item()}, with its place {placed.item()}, right is nan")
sys.exit(int(str(plain.item()) != str(placed.item())))
