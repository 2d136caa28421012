"""Paddle: argmax does not name the element that max answers.

Kind: wrong value
Says: max of NaN, 1, 3 is NaN; argmax says that the largest element is the third one. NumPy, PyTorch
and ONNX Runtime name the first NaN.
Seen: 3.3.1; not in 2.6.2
Here: listed where frameworks differ ([framework_differences.md](framework_differences.md)).
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

x = paddle.to_tensor([float("nan"), 1, 3])
most, place = paddle.max(x).item(), paddle.argmax(x).item()
print(f"max {most}, argmax {place}, where {x[place].item()} stands")
sys.exit(int(str(x[place].item()) != str(most)))
