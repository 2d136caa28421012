"""Paddle: fmax of integers goes through floats.

Kind: wrong value
Says: The larger of two integers is one of them. paddle.maximum, which only differs for NaN, answers
it.
Seen: 2.6.2, 3.3.1
Here: left out of comparisons (`conformance/fuzzing/undefined.py`).
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

x, y = paddle.to_tensor(2**60 + 1), paddle.to_tensor(0)
found, other = paddle.fmax(x, y).item(), paddle.maximum(x, y).item()
print(f"fmax {found}, maximum {other}, which is right")
sys.exit(int(found != other))
