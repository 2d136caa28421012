"""Paddle: pow of integers by 2.5 is pow by 2.

Kind: wrong value
Says: The documentation takes a float as exponent and a tensor of integers as base. 4 ** 2.5 is 32;
PyTorch answers 32.0, TensorFlow refuses.
Seen: 2.6.2, 3.3.1
Here: Paddle is followed (`frontends/paddle/operators/binary.py`).
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

found = paddle.pow(paddle.to_tensor(4), 2.5).item()
print(f"4 ** 2.5: got {found}, right is 32")
sys.exit(int(found != 32))
