"""Paddle: softplus of -20 is 0.

Kind: digits lost
Says: log(1 + exp(-20)) is 2.06e-9, which log1p has and PyTorch, ONNX Runtime and Paddle in float64
answer.
Seen: 2.6.2, 3.3.1
Here: nothing is done about it.
"""

import sys

try:
    import paddle
    from paddle.nn import functional
except ModuleNotFoundError:
    sys.exit(2)

found = [functional.softplus(paddle.to_tensor(-20.0, t)).item() for t in ("float32", "float64")]
print("float32 {:.4g}, float64 {:.4g}".format(*found))
sys.exit(int(found[0] == 0))
