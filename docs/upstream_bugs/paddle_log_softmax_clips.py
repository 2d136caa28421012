"""Paddle: log_softmax is never below -64.

Kind: wrong value
Says: The logarithm of softmax of 0 and -100 is 0 and -100; -infinity is -infinity. PyTorch,
TensorFlow and ONNX Runtime answer so. Losses of unlikely classes are cut off, in float64 too.
Seen: 2.6.2, 3.3.1
Here: left out of comparisons (`conformance/fuzzing/undefined.py`).
"""

import sys

try:
    import paddle
    from paddle.nn import functional
except ModuleNotFoundError:
    sys.exit(2)

found = functional.log_softmax(paddle.to_tensor([0, -100, -float("inf")], "float64")).numpy()
print(f"got {found}, right is [0. -100. -inf]")
sys.exit(int(found[1] == -64))
