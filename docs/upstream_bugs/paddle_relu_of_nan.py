"""Paddle: relu of NaN is 0.

Kind: NaN lost
Says: relu is max(x, 0), says the documentation, and paddle.maximum of NaN and 0 is NaN, as are
relu6 of Paddle and relu of the others. A network whose numbers have gone wrong looks well.
Seen: 2.6.2, 3.3.1
Here: our relu keeps NaN; listed where frameworks differ
([framework_differences.md](framework_differences.md)).
"""

import sys

try:
    import paddle
    from paddle.nn import functional
except ModuleNotFoundError:
    sys.exit(2)

x = paddle.to_tensor(float("nan"))
found = (
    functional.relu(x).item(),
    paddle.maximum(x, paddle.zeros([])).item(),
    functional.relu6(x).item(),
)
print(f"relu {found[0]}, maximum {found[1]}, relu6 {found[2]}, right is nan")
sys.exit(int(found[0] == 0))
