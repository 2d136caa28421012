"""Paddle: isclose finds infinity close to -infinity.

Kind: wrong value
Says: NumPy and PyTorch say no, as everybody would. The documentation has |x - y| <= atol + rtol *
|y|, which is true for two infinities of either sign, and compares itself with numpy.isclose.
Seen: 2.6.2, 3.3.1
Here: Paddle is followed; listed where frameworks differ
([framework_differences.md](framework_differences.md)).
"""

import sys

try:
    import paddle
except ModuleNotFoundError:
    sys.exit(2)

inf = paddle.to_tensor(float("inf"))
found = paddle.isclose(inf, -inf).item(), paddle.allclose(inf, -inf).item()
print(f"isclose {found[0]}, allclose {found[1]}, right is False")
sys.exit(int(found[0]))
