"""Paddle: logsumexp with infinity among the elements is NaN.

Kind: wrong value
Says: log(exp(0) + exp(inf)) is infinity, and that of -infinity only is -infinity, as PyTorch,
TensorFlow and ONNX Runtime answer. The kernel subtracts the largest element from itself.
Seen: 2.6.2, 3.3.1
Here: listed where frameworks differ ([framework_differences.md](framework_differences.md)).
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

inf = float("inf")
found = paddle.logsumexp(paddle.to_tensor([[0, inf], [-inf, -inf]]), axis=1).numpy()
print(f"got {found}, right is [inf -inf]")
sys.exit(int(found[0] != inf))
