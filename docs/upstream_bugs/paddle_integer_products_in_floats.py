"""Paddle: matmul of integers goes through floats.

Kind: wrong value
Says: 16777217 * 1 is 16777217, and what overflows wraps around, as in PyTorch, TensorFlow and ONNX
Runtime. int32 goes through float32, int64 through float64.
Seen: 2.6.2, 3.3.1
Here: listed where frameworks differ ([framework_differences.md](framework_differences.md)).
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

wrong = 0
for number, kind in ((2**24 + 1, "int32"), (2**60 + 1, "int64")):
    found = paddle.matmul(paddle.full([1, 1], number, kind), paddle.ones([1, 1], kind)).item()
    print(f"{kind}: {number} * 1 is {found}")
    wrong += found != number
sys.exit(int(wrong > 0))
