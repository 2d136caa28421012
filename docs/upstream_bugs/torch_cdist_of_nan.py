"""PyTorch: cdist with p = infinity loses NaN.

Kind: NaN lost
Says: The largest of |NaN - 1| and 0 is NaN, as dist and pdist of PyTorch say, and cdist itself for
every other p.
Seen: 2.13.0
Here: nothing is done about it.
"""

import sys

try:
    import torch
except ModuleNotFoundError:
    sys.exit(2)

inf, x = float("inf"), torch.tensor([[float("nan"), 1.0], [1.0, 1.0]])
found = [
    torch.cdist(x[:1], x[1:], p=inf).item(),
    torch.nn.functional.pdist(x, p=inf).item(),
    torch.dist(x[0], x[1], p=inf).item(),
]
print(f"cdist, pdist, dist: {found}, right is nan three times")
sys.exit(int(found[0] == 0))
